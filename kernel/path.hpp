// The cheapest way through a band of a lattice, row by row. Node (i, j) stands for i sentences of one document and j of
// the other being dealt with; a step takes a block of both, or skips one sentence of either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace calque {

// Row i holds the columns first[i] … last[i]; its nodes lie at offsets[i] … of flat arrays.
struct Band {
    const std::int64_t* first;
    const std::int64_t* last;
    const std::int64_t* offsets;

    bool holds(std::int64_t row, std::int64_t column) const {
        return row >= 0 && column >= first[row] && column <= last[row];
    }
    std::int64_t at(std::int64_t row, std::int64_t column) const { return offsets[row] + column - first[row]; }
};

struct Blocks {
    const std::int64_t* shapes;  // (count, 2): sentences of each document
    std::int64_t count;
    const float* costs;  // (count, nodes): of the block that ends at a node
    std::int64_t nodes;
};

constexpr std::uint8_t SKIP_SOURCE = 254, SKIP_TARGET = 255, MOST_SHAPES = 254;

// Rows begin … end of `total` and `step`, from the rows before; of equal ways the one by the earlier shape, then a block.
inline void advance(const Band& band, const Blocks& blocks, double skip, std::int64_t begin, std::int64_t end,
                    double* total, std::uint8_t* step) {
    for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t column = band.first[row]; column <= band.last[row]; ++column) {
            const std::int64_t node = band.at(row, column), cost = node - band.offsets[begin];
            double best = row == 0 && column == 0 ? 0 : std::numeric_limits<double>::infinity();
            std::uint8_t chosen = SKIP_SOURCE;
            const auto offer = [&](std::int64_t from_row, std::int64_t from_column, double price, std::uint8_t by) {
                if (!band.holds(from_row, from_column)) return;
                const double way = total[band.at(from_row, from_column)] + price;
                if (way < best) {
                    best = way;
                    chosen = by;
                }
            };
            for (std::int64_t shape = 0; shape < blocks.count; ++shape) {
                offer(row - blocks.shapes[2 * shape], column - blocks.shapes[2 * shape + 1],
                      blocks.costs[shape * blocks.nodes + cost], static_cast<std::uint8_t>(shape));
            }
            offer(row - 1, column, skip, SKIP_SOURCE);
            offer(row, column - 1, skip, SKIP_TARGET);
            total[node] = best;
            step[node] = chosen;
        }
    }
}

}  // namespace calque
