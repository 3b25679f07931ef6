// The k best of each row and column of the product of two blocks of vectors, from products of small integers: two to
// four times as fast as those of floats. A tile of integer sums gives upper bounds of its products (see bounds.hpp); where
// one is above the worst that is kept of its row or column, and only there, the product itself is worked out. What is
// kept is exactly what the products themselves would have left.
#pragma once

#include "codes.hpp"
#include "hot.hpp"
#include "nearest.hpp"
#include "product.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

// The more bits, the closer the bounds; without VNNI there is room for 7.
#ifdef __AVX512VNNI__
constexpr std::int32_t ROW_OFFSET = 128, MOST_OF_CODE = 127;
#else
constexpr std::int32_t ROW_OFFSET = OFFSET, MOST_OF_CODE = MOST;
#endif
constexpr std::size_t ROWS_A_TILE = STRIP, COLUMNS_A_TILE = PANEL;
constexpr float PRODUCT_ROUNDING = 4e-6f;  // of a float32 sum of products, for vectors of length 1
static_assert(FUSED_ROWS % ROWS_A_TILE == 0);

CALQUE_INLINE std::size_t padded(std::size_t depth) { return (depth + TERMS - 1) / TERMS * TERMS; }

struct ColumnTile {
    float scale[COLUMNS_A_TILE], error[COLUMNS_A_TILE], length[COLUMNS_A_TILE];
    std::int32_t correction[COLUMNS_A_TILE];  // since rows are offset: the first factor must not be negative
    std::int8_t codes[];                      // a panel
};

struct RowTile {
    float scale[ROWS_A_TILE], error[ROWS_A_TILE], length[ROWS_A_TILE];
    std::uint8_t codes[];  // a strip
};

constexpr std::size_t LINE = 64;
CALQUE_INLINE std::size_t whole_lines(std::size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
inline std::size_t column_tile_bytes(std::size_t depth) {
    return whole_lines(sizeof(ColumnTile) + COLUMNS_A_TILE * padded(depth));
}
CALQUE_INLINE std::size_t row_tile_bytes(std::size_t depth) {
    return whole_lines(sizeof(RowTile) + ROWS_A_TILE * padded(depth));
}
inline std::size_t row_scratch_bytes(std::size_t depth) {
    return FUSED_ROWS / ROWS_A_TILE * row_tile_bytes(depth);
}

inline void pack_columns(const float* columns, std::size_t count, std::size_t depth, std::size_t tile, void* place) {
    ColumnTile& packed = *static_cast<ColumnTile*>(place);
    std::int8_t codes[WIDEST];
    for (std::size_t lane = 0; lane < COLUMNS_A_TILE; ++lane) {
        const std::size_t column = tile * COLUMNS_A_TILE + lane;
        const float* vector = columns + (column < count ? column : count - 1) * depth;
        const float scale = round_to(vector, depth, padded(depth), MOST_OF_CODE, codes);
        const Lengths lengths = lengths_of(vector, codes, scale, depth);
        std::int32_t sum = 0;
        for (std::size_t at = 0; at < depth; ++at) sum += codes[at];
        put_codes(codes, padded(depth), lane, COLUMNS_A_TILE, packed.codes);
        packed.scale[lane] = scale;
        packed.error[lane] = lengths.error * ROUNDED_UP + lengths.vector * PRODUCT_ROUNDING;
        packed.length[lane] = lengths.codes * ROUNDED_UP;
        packed.correction[lane] = -ROW_OFFSET * sum;
    }
}

inline void pack_rows(const float* rows, std::size_t count, std::size_t depth, char* place) {
    std::int8_t codes[WIDEST];
    std::uint8_t offset[WIDEST];
    for (std::size_t row = 0; row < count; row += ROWS_A_TILE) {
        RowTile& packed = *reinterpret_cast<RowTile*>(place + row / ROWS_A_TILE * row_tile_bytes(depth));
        for (std::size_t r = 0; r < ROWS_A_TILE; ++r) {
            const float* vector = rows + (row + r < count ? row + r : count - 1) * depth;  // the last one, again
            const float scale = round_to(vector, depth, padded(depth), MOST_OF_CODE, codes);
            const Lengths lengths = lengths_of(vector, codes, scale, depth);
            for (std::size_t at = 0; at < padded(depth); ++at)
                offset[at] = static_cast<std::uint8_t>(codes[at] + ROW_OFFSET);
            put_codes(offset, padded(depth), r, ROWS_A_TILE, packed.codes);
            packed.scale[r] = scale;
            packed.error[r] = lengths.error;
            packed.length[r] = lengths.vector;
        }
    }
}

// What the products of one row with half a tile's columns are at the most.
CALQUE_INLINE Numbers most(const Whole& sums, const RowTile& rows, std::size_t r, const ColumnTile& columns,
                           std::size_t first) {
    const Numbers about = __builtin_convertvector(sums, Numbers) * load<Numbers>(columns.scale + first);
    return about * in_all(rows.scale[r]) + load<Numbers>(columns.error + first) * in_all(rows.length[r]) +
           load<Numbers>(columns.length + first) * in_all(rows.error[r]);
}

// In an order of its own, so that it does not depend on where a product stands.
CALQUE_INLINE float product(const float* one, const float* two, std::size_t depth) {
    Numbers sums[4] = {};
    std::size_t at = 0;
    for (; at + 4 * WIDTH <= depth; at += 4 * WIDTH)
#pragma GCC unroll 4
        for (std::size_t part = 0; part < 4; ++part)
            sums[part] += load<Numbers>(one + at + part * WIDTH) * load<Numbers>(two + at + part * WIDTH);
    float sum = 0;
    const Numbers lanes = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < WIDTH; ++lane) sum += lanes[lane];
    for (; at < depth; ++at) sum += one[at] * two[at];
    return sum;
}

// The products of half a row of a tile that may be news.
inline void offer_some(const FusedBlock& block, const Numbers& most, std::size_t row, std::size_t column,
                       const Top& rows, const Top& columns, float* column_floors) {
    const std::size_t at = block.first_row + row;
    const float* row_floor = rows.cosine + at * rows.k + rows.k - 1;
    float bounds[WIDTH];
    store(bounds, most);
    for (std::size_t lane = 0; lane < WIDTH && column + lane < block.columns; ++lane) {
        float& floor = column_floors[column + lane];
        if (!(bounds[lane] > *row_floor || bounds[lane] > floor)) continue;
        const float value =
            product(block.rows + row * block.depth, block.columns_as_given + (column + lane) * block.depth, block.depth);
        take(value, static_cast<std::int32_t>(block.first_column + column + lane), rows, at);
        if (!(value > floor)) continue;
        take(value, static_cast<std::int32_t>(at), columns, column + lane);
        const float worst = columns.cosine[(column + lane) * columns.k + columns.k - 1];
        if (worst > floor) floor = worst;
    }
}

CALQUE_INLINE void offer_tile(const FusedBlock& block, const Sums& sums, const RowTile& row_tile,
                              const ColumnTile& column_tile, std::size_t row, std::size_t row_end, std::size_t column,
                              const Top& rows, const Top& columns, float* column_floors) {
    for (std::size_t r = 0; r < ROWS_A_TILE && row + r < row_end; ++r)
        for (std::size_t half = 0; half < 2; ++half) {
            const Numbers bounds = most(sums.of[r][half], row_tile, r, column_tile, half * WIDTH);
            const Numbers row_floor = in_all(rows.cosine[(block.first_row + row + r) * rows.k + rows.k - 1]);
            const Numbers column_floor = load<Numbers>(column_floors + column + half * WIDTH);
            if (any((bounds > row_floor) | (bounds > column_floor)))
                offer_some(block, bounds, row + r, column + half * WIDTH, rows, columns, column_floors);
        }
}

// For some of the rows: the best of each into `rows`, the best of each column among these rows into `columns`.
inline void meet(const FusedBlock& block, std::size_t begin, std::size_t end, const Top& rows, const Top& columns,
                 float* column_floors, void* place) {
    char* scratch = static_cast<char*>(place);
    for (std::size_t near = begin; near < end; near += FUSED_ROWS) {
        const std::size_t near_end = near + FUSED_ROWS < end ? near + FUSED_ROWS : end;
        pack_rows(block.rows + near * block.depth, near_end - near, block.depth, scratch);
        for (std::size_t column = 0; column < block.columns; column += COLUMNS_A_TILE) {
            const ColumnTile& column_tile = *reinterpret_cast<const ColumnTile*>(
                static_cast<const char*>(block.packed) + column / COLUMNS_A_TILE * column_tile_bytes(block.depth));
            for (std::size_t row = near; row < near_end; row += ROWS_A_TILE) {
                const RowTile& row_tile = *reinterpret_cast<const RowTile*>(
                    scratch + (row - near) / ROWS_A_TILE * row_tile_bytes(block.depth));
                const Sums sums =
                    multiply(row_tile.codes, column_tile.codes, column_tile.correction, padded(block.depth));
                offer_tile(block, sums, row_tile, column_tile, row, near_end, column, rows, columns, column_floors);
            }
        }
    }
}

}  // namespace calque::CALQUE_TARGET
