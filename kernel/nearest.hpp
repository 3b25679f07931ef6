// The k best of each row of a block of cosines, kept between blocks. Blocks must come in the order of their columns: of
// equals, the one seen first is kept.
#pragma once

#include "hot.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t RUN = 4 * LANES;  // looked at together: far most of what comes is below the floor

// Whether one of COUNT values is above `floor`, which may be out of date and too low, never too high. Comparisons are
// joined, not values: the larger of something and NaN may be NaN.
template <std::size_t COUNT>
CALQUE_INLINE bool any_above(const float* values, float floor) {
    Whole above = {};
    for (std::size_t at = 0; at < COUNT; at += WIDTH) above |= load<Numbers>(values + at) > floor;
    return any(above);
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
            while (j + RUN <= block.columns && !any_above<RUN>(values + j, *lowest)) j += RUN;
            const std::size_t count = block.columns - j < LANES ? block.columns - j : LANES;
            if (count < LANES || any_above<LANES>(values + j, *lowest))
                for (std::size_t lane = 0; lane < count; ++lane)
                    take(values[j + lane], static_cast<std::int32_t>(block.first_column + j + lane), top,
                         block.first_row + row);
        }
    }
}

}  // namespace calque::CALQUE_TARGET
