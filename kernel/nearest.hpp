// The k best of each row of a block of cosines, kept between blocks. Blocks must come in the order of their columns: of
// equals, the one seen first is kept.
#pragma once

#include "hot.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

CALQUE_INLINE bool any_set(const Ints& mask) {
#ifdef __AVX512F__
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    std::int64_t parts[8];
    store(parts, mask);
    return (parts[0] | parts[1] | parts[2] | parts[3] | parts[4] | parts[5] | parts[6] | parts[7]) != 0;
#endif
}

// `floor` may be out of date and too low, never too high.
CALQUE_INLINE bool any_above(const float* values, std::size_t count, const Floats& floor) {
    if (count < LANES) {
        for (std::size_t lane = 0; lane < count; ++lane)
            if (values[lane] > floor[lane]) return true;
        return false;
    }
#if defined(__AVX2__) && !defined(__AVX512F__)
    // The compiler would put sixteen comparisons together in memory.
    const __m256 low = _mm256_cmp_ps(load<__m256>(values), load<__m256>(&floor), _CMP_GT_OQ);
    const __m256 high = _mm256_cmp_ps(load<__m256>(values + 8), load<__m256>((const float*)&floor + 8), _CMP_GT_OQ);
    return _mm256_movemask_ps(_mm256_or_ps(low, high)) != 0;
#else
    return any_set(load<Floats>(values) > floor);
#endif
}

constexpr std::size_t RUN = 4 * LANES;  // looked at together: far most of what comes is below the floor

// Comparisons are joined, not values: the larger of something and NaN may be NaN.
CALQUE_INLINE bool any_of_run_above(const float* values, float floor) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    const __m256 low = _mm256_set1_ps(floor);
    const auto above = [&](std::size_t at) { return _mm256_cmp_ps(_mm256_loadu_ps(values + at), low, _CMP_GT_OQ); };
    const __m256 one = _mm256_or_ps(_mm256_or_ps(above(0), above(8)), _mm256_or_ps(above(16), above(24)));
    const __m256 two = _mm256_or_ps(_mm256_or_ps(above(32), above(40)), _mm256_or_ps(above(48), above(56)));
    return _mm256_movemask_ps(_mm256_or_ps(one, two)) != 0;
#else
    const Floats low = splat(floor);
    return any_set((load<Floats>(values) > low) | (load<Floats>(values + LANES) > low) |
                   (load<Floats>(values + 2 * LANES) > low) | (load<Floats>(values + 3 * LANES) > low));
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
            while (j + RUN <= block.columns && !any_of_run_above(values + j, *lowest)) j += RUN;
            const std::size_t count = block.columns - j < LANES ? block.columns - j : LANES;
            if (any_above(values + j, count, splat(*lowest)))
                for (std::size_t lane = 0; lane < count; ++lane)
                    take(values[j + lane], static_cast<std::int32_t>(block.first_column + j + lane), top,
                         block.first_row + row);
        }
    }
}

}  // namespace calque::CALQUE_TARGET
