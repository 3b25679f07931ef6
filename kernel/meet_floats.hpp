// The product of two blocks of vectors, and the k best of each row and column, from registers: the product itself is
// never in memory. For machines without fast products of 8-bit integers; see meet_codes.hpp. A dot product is a sum in
// the order of its terms, so it does not depend on how blocks are cut.
#pragma once

#include "hot.hpp"
#include "nearest.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t ROWS_A_TILE = 6;
constexpr std::size_t COLUMNS_A_TILE = 2 * WIDTH;  // with the sums, two of these and one number fill the registers
static_assert(FUSED_ROWS % ROWS_A_TILE == 0);

inline std::size_t column_tile_bytes(std::size_t depth) { return COLUMNS_A_TILE * depth * sizeof(float); }
inline std::size_t row_scratch_bytes(std::size_t depth) { return FUSED_ROWS * depth * sizeof(float); }

// Columns laid out so that a tile's numbers follow one another as the product needs them; zeros fill the last tile.
inline void pack_columns(const float* columns, std::size_t count, std::size_t depth, std::size_t tile, void* place) {
    float* packed = static_cast<float*>(place);
    for (std::size_t lane = 0; lane < COLUMNS_A_TILE; ++lane) {
        const std::size_t column = tile * COLUMNS_A_TILE + lane;
        for (std::size_t at = 0; at < depth; ++at)
            packed[at * COLUMNS_A_TILE + lane] = column < count ? columns[column * depth + at] : 0;
    }
}

// Rows likewise, a number of each at a time; the last one stands in for those that are missing.
inline void pack_rows(const float* rows, std::size_t count, std::size_t depth, float* packed) {
    for (std::size_t tile = 0; tile < count; tile += ROWS_A_TILE)
        for (std::size_t r = 0; r < ROWS_A_TILE; ++r) {
            const float* row = rows + (tile + r < count ? tile + r : count - 1) * depth;
            for (std::size_t at = 0; at < depth; ++at) packed[tile * depth + at * ROWS_A_TILE + r] = row[at];
        }
}

struct FloatSums {  // of a tile
    Numbers low[ROWS_A_TILE], high[ROWS_A_TILE];
};

CALQUE_INLINE FloatSums multiply(const float* rows, const float* columns, std::size_t depth) {
    FloatSums sums{};
#pragma GCC unroll 4
    for (std::size_t at = 0; at < depth; ++at, rows += ROWS_A_TILE, columns += COLUMNS_A_TILE) {
        const Numbers low = load<Numbers>(columns), high = load<Numbers>(columns + WIDTH);
        for (std::size_t row = 0; row < ROWS_A_TILE; ++row) {
            const Numbers number = in_all(rows[row]);
            sums.low[row] += number * low;
            sums.high[row] += number * high;
        }
    }
    return sums;
}

// Whether some number of a tile beats the worst that is kept of its row or of its column.
CALQUE_INLINE bool is_news(const FloatSums& tile, const float (&row_floors)[ROWS_A_TILE], const float* column_floors) {
    const Numbers low = load<Numbers>(column_floors), high = load<Numbers>(column_floors + WIDTH);
    Whole found{};
    for (std::size_t row = 0; row < ROWS_A_TILE; ++row) {
        const Numbers floor = in_all(row_floors[row]);
        found |= (tile.low[row] > floor) | (tile.low[row] > low) | (tile.high[row] > floor) | (tile.high[row] > high);
    }
    return any(found);
}

// A tile's numbers for its rows and for the columns that this thread keeps on its own.
inline void offer_tile(const FusedBlock& block, const FloatSums& tile, std::size_t row, std::size_t row_end,
                       std::size_t column, const Top& rows, const Top& columns, float* column_floors) {
    float numbers[COLUMNS_A_TILE];
    const std::size_t width = block.columns - column < COLUMNS_A_TILE ? block.columns - column : COLUMNS_A_TILE;
    for (std::size_t r = 0; r < ROWS_A_TILE && row + r < row_end; ++r) {
        store(numbers, tile.low[r]);
        store(numbers + WIDTH, tile.high[r]);
        const std::size_t at = block.first_row + row + r;
        for (std::size_t lane = 0; lane < width; ++lane) {
            take(numbers[lane], static_cast<std::int32_t>(block.first_column + column + lane), rows, at);
            if (numbers[lane] > column_floors[column + lane]) {
                take(numbers[lane], static_cast<std::int32_t>(at), columns, column + lane);
                const float worst = columns.cosine[(column + lane) * columns.k + columns.k - 1];
                if (worst > column_floors[column + lane]) column_floors[column + lane] = worst;
            }
        }
    }
}

// For some of the rows: the best of each into `rows`, the best of each column among these rows into `columns`.
inline void meet(const FusedBlock& block, std::size_t begin, std::size_t end, const Top& rows, const Top& columns,
                 float* column_floors, void* place) {
    float* scratch = static_cast<float*>(place);
    for (std::size_t near = begin; near < end; near += FUSED_ROWS) {
        const std::size_t near_end = near + FUSED_ROWS < end ? near + FUSED_ROWS : end;
        pack_rows(block.rows + near * block.depth, near_end - near, block.depth, scratch);
        for (std::size_t column = 0; column < block.columns; column += COLUMNS_A_TILE) {
            for (std::size_t row = near; row < near_end; row += ROWS_A_TILE) {
                const float* packed = static_cast<const float*>(block.packed) + column * block.depth;
                const FloatSums sums = multiply(scratch + (row - near) * block.depth, packed, block.depth);
                float floors[ROWS_A_TILE];
                for (std::size_t r = 0; r < ROWS_A_TILE; ++r) {
                    const std::size_t at = row + r < near_end ? row + r : near_end - 1;
                    floors[r] = rows.cosine[(block.first_row + at) * rows.k + rows.k - 1];
                }
                if (is_news(sums, floors, column_floors + column))
                    offer_tile(block, sums, row, near_end, column, rows, columns, column_floors);
            }
        }
    }
}

}  // namespace calque::CALQUE_TARGET
