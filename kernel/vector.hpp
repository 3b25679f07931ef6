// One register's numbers as one value, so the hot loops are written once. Columns come in tiles of sixteen on every target,
// and a sum over a tile is made in the same order on all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define CALQUE_INLINE inline __attribute__((always_inline))

namespace calque::CALQUE_TARGET {

constexpr std::size_t LANES = 16;  // a tile
constexpr std::size_t AHEAD = 4;   // rows asked for before they are needed

// Never more than a register: GCC takes wider vectors apart in memory whenever they are compared, converted or summed.
#if defined(__AVX512F__)
constexpr std::size_t WIDTH = 16;
#elif defined(__AVX2__)
constexpr std::size_t WIDTH = 8;
#else
constexpr std::size_t WIDTH = 4;
#endif
using Numbers = float __attribute__((vector_size(WIDTH * sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(WIDTH * sizeof(float))));
using Words = std::uint32_t __attribute__((vector_size(WIDTH * sizeof(float))));
using Bytes = std::uint8_t __attribute__((vector_size(WIDTH * sizeof(float))));
using Shorts = std::int16_t __attribute__((vector_size(WIDTH * sizeof(std::int16_t))));

// Minus zero changes nothing, not even −0, so the compiler leaves it out.
CALQUE_INLINE Numbers in_all(float value) { return value - Numbers{}; }

template <class Vector>
CALQUE_INLINE Vector load(const void* from) {
    Vector value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class Vector>
CALQUE_INLINE void store(void* to, const Vector& value) {
    std::memcpy(to, &value, sizeof value);
}

CALQUE_INLINE Whole lane_numbers() {
    Whole numbers;
    for (std::size_t lane = 0; lane < WIDTH; ++lane) numbers[lane] = static_cast<std::int32_t>(lane);
    return numbers;
}

CALQUE_INLINE bool any(const Whole& mask) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_epi8((__m256i)mask) != 0;
#else
    std::int64_t parts[2];
    store(parts, mask);
    return (parts[0] | parts[1]) != 0;
#endif
}

// The sum of a tile, of which `part_at` gives a register from a column on. Halves are added to halves, on every target in
// the same order.
template <class PartAt>
CALQUE_INLINE float sum_of_tile(const PartAt& part_at) {
#if defined(__AVX512F__)
    return _mm512_reduce_add_ps((__m512)part_at(0));
#elif defined(__AVX2__)
    const __m256 eight = (__m256)(part_at(0) + part_at(8));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    const Numbers four = (part_at(0) + part_at(8)) + (part_at(4) + part_at(12));
    return (four[0] + four[2]) + (four[1] + four[3]);
#endif
}

// 1/√x for x > 0, to the last bit or two: dividing by a square root would take several times as long.
CALQUE_INLINE Numbers inverse_root(const Numbers& value) {
    const Numbers half = 0.5f * value;
    const auto nearer = [&](const Numbers& guess) { return guess * (1.5f - half * guess * guess); };  // Newton's method
#ifdef __AVX512F__
    return nearer((Numbers)_mm512_rsqrt14_ps((__m512)value));
#else
    // The bits of a float are nearly its logarithm. AVX2's own guess would depend on the maker of the processor.
    const Numbers guess = (Numbers)(0x5F3759DFu - (Words)((Whole)value >> 1));
    return nearer(nearer(nearer(guess)));
#endif
}

// Signed bytes as integers. The compiler's own conversion goes through scalar registers.
CALQUE_INLINE Whole sign_extend(const std::int8_t* bytes) {
#if defined(__AVX512F__)
    return (Whole)_mm512_cvtepi8_epi32(load<__m128i>(bytes));
#elif defined(__AVX2__)
    return (Whole)_mm256_cvtepi8_epi32(_mm_loadu_si64(bytes));
#else
    Whole wide;
    for (std::size_t lane = 0; lane < WIDTH; ++lane) wide[lane] = bytes[lane];
    return wide;
#endif
}

CALQUE_INLINE Numbers keep_where(const Whole& mask, const Numbers& value) {
    return (Numbers)(mask & (Whole)value);
}

CALQUE_INLINE void prefetch_row(const void* row, std::size_t bytes) {
    const char* line = static_cast<const char*>(row);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(line + at);
}

}  // namespace calque::CALQUE_TARGET
