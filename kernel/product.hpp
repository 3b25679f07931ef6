// Cosines of many rows with many columns as products of 8-bit integers: exact integer sums, so every machine and every
// number of threads finds the same numbers. AVX-512 VNNI multiplies 64 at a time; elsewhere the compiler's own
// vectorisation of a plain dot product does.
#pragma once

#include "vector.hpp"

#ifdef __AVX512VNNI__
#include <immintrin.h>
#endif

namespace calque::CALQUE_TARGET {

constexpr std::size_t PANEL = 2 * LANES;  // columns handled together
constexpr std::size_t STRIP = 12;         // rows handled together: 12 × 2 sums fit the registers
constexpr std::int32_t OFFSET = 128;      // VNNI wants one factor unsigned

// Where element k of column j lies in its panel of `depth` × PANEL bytes.
CALQUE_INLINE std::size_t in_panel(std::size_t k, std::size_t j, [[maybe_unused]] std::size_t depth) {
#ifdef __AVX512VNNI__
    return k / 4 * (4 * PANEL) + j * 4 + k % 4;
#else
    return j * depth + k;
#endif
}

// The rounded multiples of scale = max|x| / 127; returns the scale divided by the vector's length, so that
// scale_a · scale_b · Σ a·b is a cosine.
CALQUE_INLINE float quantise(const float* vector, std::size_t depth, std::int8_t* out) {
    Floats largest_of = {}, squares_of = {};
    for (std::size_t k = 0; k < depth; k += LANES) {
        const Floats part = load<Floats>(vector + k), size = part < 0 ? -part : part;
        largest_of = size > largest_of ? size : largest_of;
        squares_of += part * part;
    }
    const float squares = horizontal_sum(squares_of);
    float largest = 0;
    for (std::size_t lane = 0; lane < LANES; ++lane) largest = largest_of[lane] > largest ? largest_of[lane] : largest;
    if (!(largest > 0)) {
        std::memset(out, 0, depth);
        return 0;
    }
    const float inverse = 127 / largest;
    for (std::size_t k = 0; k < depth; ++k) {
        const float scaled = vector[k] * inverse;
        out[k] = static_cast<std::int8_t>(scaled + (scaled < 0 ? -0.5f : 0.5f));
    }
    return largest / 127 / __builtin_sqrtf(squares);
}

using Tile = std::int32_t[STRIP][PANEL];

// tile[r][j] = Σₖ rows[r][k] · panel[k][j]; `rows` hold value + OFFSET, and correction[j] = −OFFSET · Σₖ panel[k][j].
CALQUE_INLINE void multiply_tile(const std::uint8_t* rows, const std::int8_t* panel, const std::int32_t* correction,
                                 std::size_t depth, Tile& tile) {
#ifdef __AVX512VNNI__
    __m512i sums[STRIP][2];
    const __m512i left = _mm512_loadu_si512(correction), right = _mm512_loadu_si512(correction + LANES);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < STRIP; ++r) sums[r][0] = left, sums[r][1] = right;
    for (std::size_t k = 0; k < depth; k += 4, panel += 4 * PANEL) {
        const __m512i low = _mm512_loadu_si512(panel), high = _mm512_loadu_si512(panel + 64);
#pragma GCC unroll 12
        for (std::size_t r = 0; r < STRIP; ++r) {
            std::int32_t four;
            std::memcpy(&four, rows + r * depth + k, 4);
            const __m512i broadcast = _mm512_set1_epi32(four);
            sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], broadcast, low);
            sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], broadcast, high);
        }
    }
#pragma GCC unroll 12
    for (std::size_t r = 0; r < STRIP; ++r) {
        _mm512_storeu_si512(tile[r], sums[r][0]);
        _mm512_storeu_si512(tile[r] + LANES, sums[r][1]);
    }
#else
    for (std::size_t r = 0; r < STRIP; ++r)
        for (std::size_t j = 0; j < PANEL; ++j) {
            std::int32_t sum = correction[j];
            const std::uint8_t* row = rows + r * depth;
            const std::int8_t* column = panel + j * depth;
            for (std::size_t k = 0; k < depth; ++k) sum += std::int32_t{row[k]} * column[k];
            tile[r][j] = sum;
        }
#endif
}

}  // namespace calque::CALQUE_TARGET
