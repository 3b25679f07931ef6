// The k best of each row and of each column of a block of cosines, kept between blocks. Blocks must come in the order of
// their rows and columns: of equals, the one seen first is kept.
#pragma once

#include "hot.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

// `floor` may be out of date and too low, never too high.
CALQUE_INLINE bool any_above(const float* values, std::size_t count, const Floats& floor) {
    if (count < LANES) {
        for (std::size_t lane = 0; lane < count; ++lane)
            if (values[lane] > floor[lane]) return true;
        return false;
    }
    const Ints above = load<Floats>(values) > floor;
#ifdef __AVX512F__
    return _mm512_test_epi32_mask((__m512i)above, (__m512i)above) != 0;
#else
    Ints folded = above;
    std::int64_t parts[8];
    store(parts, folded);
    return (parts[0] | parts[1] | parts[2] | parts[3] | parts[4] | parts[5] | parts[6] | parts[7]) != 0;
#endif
}

CALQUE_INLINE void take(float value, std::int32_t at, const Top& top, std::size_t which) {
    float* best = top.cosine + which * top.k;
    std::int32_t* index = top.index + which * top.k;
    if (!(value > best[top.k - 1])) return;  // NaN is never taken
    std::size_t place = top.k - 1;
    for (; place > 0 && value > best[place - 1]; --place) {
        best[place] = best[place - 1];
        index[place] = index[place - 1];
    }
    best[place] = value;
    index[place] = at;
}

inline void offer_rows(const CosineBlock& block, std::size_t begin, std::size_t end, const Top& top) {
    for (std::size_t row = begin; row < end; ++row) {
        const float* values = block.cosines + row * block.columns;
        const float* lowest = top.cosine + (block.first_row + row) * top.k + top.k - 1;
        for (std::size_t j = 0; j < block.columns; j += LANES) {
            const std::size_t count = block.columns - j < LANES ? block.columns - j : LANES;
            if (any_above(values + j, count, splat(*lowest)))
                for (std::size_t lane = 0; lane < count; ++lane)
                    take(values[j + lane], static_cast<std::int32_t>(block.first_column + j + lane), top,
                         block.first_row + row);
        }
    }
}

// For at most COLUMNS_A_PIECE columns from `begin` on. Row after row, since a column's numbers lie far apart.
inline void offer_columns(const CosineBlock& block, std::size_t begin, std::size_t end, const Top& top) {
    alignas(64) float floors[COLUMNS_A_PIECE];
    const auto floor_of = [&](std::size_t column) {
        return top.cosine[(block.first_column + column) * top.k + top.k - 1];
    };
    for (std::size_t j = begin; j < end; ++j) floors[j - begin] = floor_of(j);
    for (std::size_t row = 0; row < block.rows; ++row) {
        const float* values = block.cosines + row * block.columns;
        for (std::size_t j = begin; j < end; j += LANES) {
            const std::size_t count = end - j < LANES ? end - j : LANES;
            if (!any_above(values + j, count, load<Floats>(floors + (j - begin)))) continue;
            for (std::size_t lane = 0; lane < count; ++lane) {
                take(values[j + lane], static_cast<std::int32_t>(block.first_row + row), top,
                     block.first_column + j + lane);
                floors[j - begin + lane] = floor_of(j + lane);
            }
        }
    }
}

}  // namespace calque::CALQUE_TARGET
