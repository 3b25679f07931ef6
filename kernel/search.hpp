// The hardest negatives of a mega-batch: for each row its nearest column and for each column its nearest row, from one
// pass over the product. No product is ever stored; a tile lives in the first-level cache.
#pragma once

#include "hot.hpp"
#include "product.hpp"

namespace calque::CALQUE_TARGET {

constexpr float NOTHING = -2;                      // below any cosine
constexpr std::size_t COLUMNS_A_BLOCK = 16 * PANEL;  // keeps the block of columns in the second-level cache

struct BestLanes {
    Floats cosine = splat(NOTHING);
    Ints index = Ints{} - 1;

    CALQUE_INLINE void offer(const Floats& candidate, const Ints& at) {
        const Ints better = candidate > cosine;
        cosine = better ? candidate : cosine;
        index = better ? at : index;
    }
};

CALQUE_INLINE Ints excluded(const Search& search, std::size_t row, std::size_t column) {
    Ints same = {};
    for (std::size_t key = 0; key < search.keys; ++key)
        same |= load<Ints>(search.column_keys[key] + column) == search.row_keys[key][row];
    return same;
}

// Equal cosines go to the smaller index, so that the answer does not depend on the lanes.
CALQUE_INLINE void settle(const BestLanes& lanes, float& cosine, std::int32_t& index) {
    float cosines[LANES];
    std::int32_t indices[LANES];
    store(cosines, lanes.cosine);
    store(indices, lanes.index);
    for (std::size_t lane = 0; lane < LANES; ++lane) {
        const bool found = indices[lane] >= 0;
        if (found && (cosines[lane] > cosine || (cosines[lane] == cosine && indices[lane] < index)))
            cosine = cosines[lane], index = indices[lane];
    }
}

inline void search(const Search& search, std::size_t row_begin, std::size_t row_end, Best rows, Best columns) {
    constexpr Ints LANE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    alignas(64) Tile tile;
    for (std::size_t block = 0; block < search.column_count; block += COLUMNS_A_BLOCK) {
        const std::size_t block_end =
            block + COLUMNS_A_BLOCK < search.column_count ? block + COLUMNS_A_BLOCK : search.column_count;
        for (std::size_t strip = row_begin; strip < row_end; strip += STRIP) {
            const std::size_t height = row_end - strip < STRIP ? row_end - strip : STRIP;
            BestLanes row_best[STRIP];
            for (std::size_t panel = block; panel < block_end; panel += PANEL) {
                multiply_tile(search.rows + strip * search.depth, search.columns + panel * search.depth,
                              search.correction + panel, search.depth, tile);
                for (std::size_t j = panel; j < panel + PANEL; j += LANES) {
                    const Floats column_scale = load<Floats>(search.column_scale + j);
                    BestLanes column_best{load<Floats>(columns.cosine + j), load<Ints>(columns.index + j)};
                    for (std::size_t r = 0; r < height; ++r) {
                        const Floats dots = __builtin_convertvector(load<Ints>(tile[r] + (j - panel)), Floats);
                        const Floats cosine = dots * (column_scale * search.row_scale[strip + r]);
                        const Floats open = excluded(search, strip + r, j) ? splat(NOTHING) : cosine;
                        row_best[r].offer(open, LANE + static_cast<std::int32_t>(j));
                        column_best.offer(open, Ints{} + static_cast<std::int32_t>(strip + r));
                    }
                    store(columns.cosine + j, column_best.cosine);
                    store(columns.index + j, column_best.index);
                }
            }
            for (std::size_t r = 0; r < height; ++r)
                settle(row_best[r], rows.cosine[strip + r], rows.index[strip + r]);
        }
    }
}

inline void pack_panel(const std::int8_t* columns, std::size_t count, std::size_t depth, std::int8_t* panel,
                       std::int32_t* correction) {
    std::memset(panel, 0, depth * PANEL);
    for (std::size_t j = 0; j < PANEL; ++j) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; j < count && k < depth; ++k) {
            panel[in_panel(k, j, depth)] = columns[j * depth + k];
            sum += columns[j * depth + k];
        }
        correction[j] = -OFFSET * sum;
    }
}

}  // namespace calque::CALQUE_TARGET
