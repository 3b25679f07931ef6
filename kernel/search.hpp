// The hardest negatives of a mega-batch: for each row its nearest column and for each column its nearest row, from one
// pass over the product of 7-bit numbers. No product is ever stored; a tile lives in registers.
#pragma once

#include "codes.hpp"
#include "hot.hpp"
#include "product.hpp"

namespace calque::CALQUE_TARGET {

constexpr float NOTHING = -2;                 // below any cosine
constexpr std::size_t COLUMNS_A_BLOCK = 512;  // keeps the block of columns in the second-level cache
static_assert(COLUMNS_A_BLOCK % PANEL == 0);

// A vector as 7-bit numbers. Returns one over their length, so that scale_a · scale_b · Σ a·b is a cosine: of the numbers,
// not of the vectors that they stand for, and therefore the same on every machine.
CALQUE_INLINE float quantise(const float* vector, std::size_t depth, std::int8_t* out) {
    round_to(vector, depth, depth, MOST, out);
    std::int32_t squares = 0;
    for (std::size_t k = 0; k < depth; ++k) squares += std::int32_t{out[k]} * out[k];
    return squares ? 1 / __builtin_sqrtf(static_cast<float>(squares)) : 0;
}

inline void pack_strip(const std::int8_t* rows, std::size_t count, std::size_t depth, std::uint8_t* strip) {
    std::uint8_t offset[WIDEST];
    for (std::size_t r = 0; r < STRIP; ++r) {
        for (std::size_t k = 0; k < depth; ++k)
            offset[k] = static_cast<std::uint8_t>(OFFSET + (r < count ? rows[r * depth + k] : 0));
        put_codes(offset, depth, r, STRIP, strip);
    }
}

inline void pack_panel(const std::int8_t* columns, std::size_t count, std::size_t depth, std::int8_t* panel,
                       std::int32_t* correction) {
    std::memset(panel, 0, depth * PANEL);
    for (std::size_t j = 0; j < PANEL; ++j) {
        std::int32_t sum = 0;
        if (j < count) {
            put_codes(columns + j * depth, depth, j, PANEL, panel);
            for (std::size_t k = 0; k < depth; ++k) sum += columns[j * depth + k];
        }
        correction[j] = -OFFSET * sum;
    }
}

struct BestLanes {
    Numbers cosine = in_all(NOTHING);
    Whole index = Whole{} - 1;

    CALQUE_INLINE void offer(const Numbers& candidate, const Whole& at) {
        const Whole better = candidate > cosine;
        cosine = better ? candidate : cosine;
        index = better ? at : index;
    }
};

CALQUE_INLINE Whole excluded(const Search& search, std::size_t row, std::size_t column) {
    Whole same = {};
    for (std::size_t key = 0; key < search.keys; ++key)
        same |= load<Whole>(search.column_keys[key] + column) == search.row_keys[key][row];
    return same;
}

// Equal cosines go to the smaller index, so that the answer does not depend on the lanes.
CALQUE_INLINE void settle(const BestLanes& lanes, float& cosine, std::int32_t& index) {
    for (std::size_t lane = 0; lane < WIDTH; ++lane) {
        const float candidate = lanes.cosine[lane];
        const std::int32_t at = lanes.index[lane];
        if (at >= 0 && (candidate > cosine || (candidate == cosine && at < index))) cosine = candidate, index = at;
    }
}

// The cosines of `height` rows from `strip` on with the columns from `panel` on.
CALQUE_INLINE void offer_sums(const Search& search, const Sums& sums, std::size_t strip, std::size_t height,
                              std::size_t panel, BestLanes (&row_best)[STRIP], const Best& columns) {
    for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t j = panel + half * WIDTH;
        const Numbers column_scale = load<Numbers>(search.column_scale + j);
        const Whole column = lane_numbers() + static_cast<std::int32_t>(j);
        BestLanes column_best{load<Numbers>(columns.cosine + j), load<Whole>(columns.index + j)};
        for (std::size_t r = 0; r < height; ++r) {
            const Numbers dots = __builtin_convertvector(sums.of[r][half], Numbers);
            const Numbers cosine = dots * (column_scale * search.row_scale[strip + r]);
            const Numbers open = excluded(search, strip + r, j) ? in_all(NOTHING) : cosine;
            row_best[r].offer(open, column);
            column_best.offer(open, Whole{} + static_cast<std::int32_t>(strip + r));
        }
        store(columns.cosine + j, column_best.cosine);
        store(columns.index + j, column_best.index);
    }
}

inline void search(const Search& search, std::size_t row_begin, std::size_t row_end, Best rows, Best columns) {
    for (std::size_t block = 0; block < search.column_count; block += COLUMNS_A_BLOCK) {
        const std::size_t block_end =
            block + COLUMNS_A_BLOCK < search.column_count ? block + COLUMNS_A_BLOCK : search.column_count;
        for (std::size_t strip = row_begin; strip < row_end; strip += STRIP) {
            const std::size_t height = row_end - strip < STRIP ? row_end - strip : STRIP;
            BestLanes row_best[STRIP];
            for (std::size_t panel = block; panel < block_end; panel += PANEL) {
                const Sums sums = multiply(search.rows + strip * search.depth, search.columns + panel * search.depth,
                                           search.correction + panel, search.depth);
                offer_sums(search, sums, strip, height, panel, row_best, columns);
            }
            for (std::size_t r = 0; r < height; ++r)
                settle(row_best[r], rows.cosine[strip + r], rows.index[strip + r]);
        }
    }
}

}  // namespace calque::CALQUE_TARGET
