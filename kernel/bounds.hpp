// Lower and upper bounds of a query's product with each of many rows, from 8-bit codes of the rows: a quarter of the
// memory to read, which is what a scan's time goes into. With x = x̂ + e for a row and q = q̂ + f for the query,
//     q·x = q̂·x̂ + q·e + f·x̂,   |q·e| ≤ |q||e|,   |f·x̂| ≤ |f||x̂|,
// and q̂·x̂ is a sum of integers, which is exact. The query has 12 bits a number, so that its own error hardly counts.
#pragma once

#include "codes.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t ROWS_AT_ONCE = 4;

// Four rows share the loads of the query.
CALQUE_INLINE void dots_of_four(const std::int8_t* codes, const std::int16_t* query, std::size_t width,
                                std::int32_t* dots) {
#if defined(__AVX512VNNI__)
    __m512i sums[ROWS_AT_ONCE] = {};
    std::size_t k = 0;
    for (; k + 32 <= width; k += 32) {
        const __m512i part = _mm512_loadu_si512(query + k);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r)
            sums[r] = _mm512_dpwssd_epi32(sums[r], _mm512_cvtepi8_epi16(load<__m256i>(codes + r * width + k)), part);
    }
    if (k < width) {  // sixteen are left; the upper half of both is zero
        const __m512i part = _mm512_zextsi256_si512(load<__m256i>(query + k));
#pragma GCC unroll 4
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
            const __m256i wide = _mm256_cvtepi8_epi16(load<__m128i>(codes + r * width + k));
            sums[r] = _mm512_dpwssd_epi32(sums[r], _mm512_zextsi256_si512(wide), part);
        }
    }
    for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) dots[r] = _mm512_reduce_add_epi32(sums[r]);
#elif defined(__AVX2__)
    __m256i sums[ROWS_AT_ONCE] = {};
    for (std::size_t k = 0; k < width; k += 16) {
        const __m256i part = load<__m256i>(query + k);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
            const __m256i wide = _mm256_cvtepi8_epi16(load<__m128i>(codes + r * width + k));
            sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(wide, part));
        }
    }
    const __m256i pairs =
        _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    store(dots, _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1)));
#else
    for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < width; ++k)
            sum += static_cast<std::int16_t>(codes[r * width + k]) * query[k];
        dots[r] = sum;
    }
#endif
}

CALQUE_INLINE std::int32_t dot_of_one(const std::int8_t* codes, const std::int16_t* query, std::size_t width) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < width; ++k) sum += static_cast<std::int16_t>(codes[k]) * query[k];
    return sum;
}

CALQUE_INLINE void bound(std::int32_t dot, const CodedRow& row, const CodedQuery& query, float* lower, float* upper) {
    const float about = static_cast<float>(dot) * (row.scale * query.scale);
    const float apart = row.error * query.length + row.length * query.error;
    // Also covers the rounding of these lines themselves, and of the exact product to float32.
    const float slack = apart * ROUNDED_UP + (row.length + row.error) * query.length * ROUNDING + SMALLEST;
    *lower = about - slack;
    *upper = about + slack;
}

inline void bound_rows(const CodedRows& rows, const CodedQuery& query, std::size_t begin, std::size_t end, float* lower,
                       float* upper) {
    std::size_t row = begin;
    for (; row + ROWS_AT_ONCE <= end; row += ROWS_AT_ONCE) {
        std::int32_t dots[ROWS_AT_ONCE];
        dots_of_four(rows.codes + row * rows.width, query.values, rows.width, dots);
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r)
            bound(dots[r], rows.about[row + r], query, lower + (row - begin) + r, upper + (row - begin) + r);
    }
    for (; row < end; ++row)
        bound(dot_of_one(rows.codes + row * rows.width, query.values, rows.width), rows.about[row], query,
              lower + (row - begin), upper + (row - begin));
}

}  // namespace calque::CALQUE_TARGET
