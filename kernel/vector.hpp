// Sixteen floats as one value. The compiler lowers a vector to whatever the target has (one AVX-512 register, two of
// AVX2, four of SSE or NEON), so the hot loops are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define CALQUE_INLINE inline __attribute__((always_inline))

namespace calque::CALQUE_TARGET {

constexpr std::size_t LANES = 16;
constexpr std::size_t AHEAD = 4;  // rows asked for before they are needed

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Shorts = std::int16_t __attribute__((vector_size(32)));

// What one register holds. GCC sends a vector that is wider than that through memory whenever it is compared or
// converted, so loops that do so go by registers.
#if defined(__AVX512F__)
constexpr std::size_t WIDTH = 16;
#elif defined(__AVX2__)
constexpr std::size_t WIDTH = 8;
#else
constexpr std::size_t WIDTH = 4;
#endif
using Numbers = float __attribute__((vector_size(WIDTH * sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(WIDTH * sizeof(float))));

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

CALQUE_INLINE Floats splat(float value) { return Floats{} + value; }

// Halves are added to halves, on every target in the same order.
CALQUE_INLINE float horizontal_sum(const Floats& value) {
#ifdef __AVX512F__
    return _mm512_reduce_add_ps((__m512)value);
#else
    float sums[LANES];
    store(sums, value);
    for (std::size_t half = LANES / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
#endif
}

// 1/√x for x > 0, to the last bit or two: dividing by a square root would take six times as long.
CALQUE_INLINE Floats inverse_root(const Floats& value) {
#ifdef __AVX512F__
    const Floats guess = (Floats)_mm512_rsqrt14_ps((__m512)value);
    return guess * (1.5f - 0.5f * value * guess * guess);
#else
    Floats root;
    for (std::size_t lane = 0; lane < LANES; ++lane) root[lane] = 1 / __builtin_sqrtf(value[lane]);
    return root;
#endif
}

// Sixteen signed bytes as integers. The compiler's own conversion goes through scalar registers.
CALQUE_INLINE Ints sign_extend(const std::int8_t* bytes) {
#if defined(__AVX512F__)
    return (Ints)_mm512_cvtepi8_epi32(load<__m128i>(bytes));
#elif defined(__AVX2__)
    struct Halves {
        __m256i low, high;
    } const halves{_mm256_cvtepi8_epi32(load<__m128i>(bytes)),
                   _mm256_cvtepi8_epi32(_mm_srli_si128(load<__m128i>(bytes), 8))};
    return load<Ints>(&halves);
#else
    Ints wide;
    for (std::size_t lane = 0; lane < LANES; ++lane) wide[lane] = bytes[lane];
    return wide;
#endif
}

CALQUE_INLINE Floats keep_where(const Ints& mask, const Floats& value) {
    return (Floats)(mask & (Ints)value);
}

CALQUE_INLINE void prefetch_row(const void* row, std::size_t bytes) {
    const char* line = static_cast<const char*>(row);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(line + at);
}

}  // namespace calque::CALQUE_TARGET
