// Sums of products of small integers, a tile of them in registers: some rows with some columns. Integer sums are exact, so
// every machine and every number of threads finds the same ones.
#pragma once

#include "vector.hpp"

namespace calque::CALQUE_TARGET {

#if defined(__AVX512VNNI__)
// Bytes are multiplied and four products added to 32 bits in one go.
constexpr std::size_t STRIP = 12, TERMS = 4;  // rows of a tile: 12 × 2 sums fit the registers; terms added together
#elif defined(__AVX2__)
// Two products are added to 16 bits, which two such sums fit if the numbers have 7 bits. Then they are widened.
constexpr std::size_t STRIP = 4, TERMS = 8;
#else
constexpr std::size_t STRIP = 4, TERMS = 4;
#endif
constexpr std::size_t PANEL = 2 * WIDTH;  // columns of a tile

// Numbers of 7 bits. Rows are offset, as the first factor must not be negative.
constexpr std::int32_t OFFSET = 64, MOST = 63;
static_assert(2 * 2 * (OFFSET + MOST) * MOST < 1 << 15);

// Puts a row into its strip or a column into its panel; `many` is STRIP or PANEL, depth a multiple of TERMS.
CALQUE_INLINE void put_codes(const void* codes, std::size_t depth, std::size_t which, std::size_t many, void* place) {
#ifdef __AVX2__
    // Four terms of each follow one another, as the product needs them.
    const char* from = static_cast<const char*>(codes);
    char* to = static_cast<char*>(place) + 4 * which;
    for (std::size_t at = 0; at < depth; at += 4, to += 4 * many) std::memcpy(to, from + at, 4);
#else
    (void)many;
    std::memcpy(static_cast<char*>(place) + which * depth, codes, depth);
#endif
}

struct Sums {  // of a tile
    Whole of[STRIP][2];
};

CALQUE_INLINE std::int32_t four_of(const std::uint8_t* codes) { return load<std::int32_t>(codes); }

// correction[j] + Σ row · column; with −offset · Σ column for a correction that is the product of the numbers themselves.
CALQUE_INLINE Sums multiply(const std::uint8_t* rows, const std::int8_t* columns, const std::int32_t* correction,
                            std::size_t depth) {
    Sums sums;
    const Whole begin[2] = {load<Whole>(correction), load<Whole>(correction + WIDTH)};
#pragma GCC unroll 12
    for (std::size_t r = 0; r < STRIP; ++r) sums.of[r][0] = begin[0], sums.of[r][1] = begin[1];
#if defined(__AVX512VNNI__)
    for (std::size_t at = 0; at < depth; at += TERMS, rows += 4 * STRIP, columns += 4 * PANEL) {
        const __m512i low = load<__m512i>(columns), high = load<__m512i>(columns + 64);
#pragma GCC unroll 12
        for (std::size_t r = 0; r < STRIP; ++r) {
            const __m512i four = _mm512_set1_epi32(four_of(rows + 4 * r));
            sums.of[r][0] = (Whole)_mm512_dpbusd_epi32((__m512i)sums.of[r][0], four, low);
            sums.of[r][1] = (Whole)_mm512_dpbusd_epi32((__m512i)sums.of[r][1], four, high);
        }
    }
#elif defined(__AVX2__)
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::size_t at = 0; at < depth; at += TERMS, rows += 8 * STRIP, columns += 8 * PANEL) {
        const __m256i low = load<__m256i>(columns), high = load<__m256i>(columns + 32);
        const __m256i low_next = load<__m256i>(columns + 64), high_next = load<__m256i>(columns + 96);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < STRIP; ++r) {
            const __m256i four = _mm256_set1_epi32(four_of(rows + 4 * r));
            const __m256i four_next = _mm256_set1_epi32(four_of(rows + 4 * STRIP + 4 * r));
            const __m256i low_sum =
                _mm256_add_epi16(_mm256_maddubs_epi16(four, low), _mm256_maddubs_epi16(four_next, low_next));
            const __m256i high_sum =
                _mm256_add_epi16(_mm256_maddubs_epi16(four, high), _mm256_maddubs_epi16(four_next, high_next));
            sums.of[r][0] += (Whole)_mm256_madd_epi16(low_sum, ones);
            sums.of[r][1] += (Whole)_mm256_madd_epi16(high_sum, ones);
        }
    }
#else
    for (std::size_t r = 0; r < STRIP; ++r)
        for (std::size_t j = 0; j < PANEL; ++j) {
            const std::uint8_t* row = rows + r * depth;
            const std::int8_t* column = columns + j * depth;
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < depth; ++k) sum += std::int32_t{row[k]} * column[k];
            sums.of[r][j / WIDTH][j % WIDTH] += sum;
        }
#endif
    return sums;
}

}  // namespace calque::CALQUE_TARGET
