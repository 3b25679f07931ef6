// Sixteen floats as one value. The compiler lowers a vector to whatever the target has (one AVX-512 register, two of
// AVX2, four of SSE or NEON), so the hot loops are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#define CALQUE_INLINE inline __attribute__((always_inline))

namespace calque::CALQUE_TARGET {

constexpr std::size_t LANES = 16;

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Shorts = std::int16_t __attribute__((vector_size(32)));

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

CALQUE_INLINE Floats splat(float value) { return Floats{} + value; }

// A fixed order of additions: the sum must not depend on the target's registers.
CALQUE_INLINE float horizontal_sum(const Floats& value) {
    float sums[LANES];
    store(sums, value);
    for (std::size_t half = LANES / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
}

CALQUE_INLINE Floats keep_where(const Ints& mask, const Floats& value) {
    return (Floats)(mask & (Ints)value);
}

CALQUE_INLINE void prefetch_row(const void* row, std::size_t bytes) {
    const char* line = static_cast<const char*>(row);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(line + at);
}

}  // namespace calque::CALQUE_TARGET
