// A sentence is the sum of its rows. The sum is held in registers, some columns at a time.
#pragma once

#include "vector.hpp"

namespace calque::CALQUE_TARGET {

#if defined(__AVX2__) && !defined(__AVX512F__)
constexpr std::size_t MOST_SUMS = 12;  // of 16 registers
#else
constexpr std::size_t MOST_SUMS = 20;  // of 32 registers
#endif

// How a stored row becomes floats: as it is, or from 16-bit fixed point with one scale a row.
struct FloatRow {
    const float* row;
    CALQUE_INLINE Numbers at(std::size_t column) const { return load<Numbers>(row + column); }
    CALQUE_INLINE void prefetch(std::size_t width) const { prefetch_row(row, width * sizeof(float)); }
};

struct FixedRow {
    const std::int16_t* row;
    float scale;
    CALQUE_INLINE Numbers at(std::size_t column) const {
        const Whole wide = __builtin_convertvector(load<Shorts>(row + column), Whole);
        return __builtin_convertvector(wide, Numbers) * scale;
    }
};

// `tail` is where the last register begins: it may overlap the one before it, so that no row need be padded.
template <std::size_t SUMS, class RowAt>
CALQUE_INLINE void sum_some(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t tail, float* out) {
    Numbers sums[SUMS] = {};
    for (std::size_t k = 0; k < count; ++k) {
        const auto row = row_at(k);
#pragma GCC unroll 20
        for (std::size_t part = 0; part + 1 < SUMS; ++part) sums[part] += row.at(begin + part * WIDTH);
        sums[SUMS - 1] += row.at(tail);
    }
#pragma GCC unroll 20
    for (std::size_t part = 0; part + 1 < SUMS; ++part) store(out + begin + part * WIDTH, sums[part]);
    store(out + tail, sums[SUMS - 1]);
}

// Finds the unrolled loop for a width known only at run time.
template <std::size_t SUMS = MOST_SUMS, class RowAt>
CALQUE_INLINE void sum_rest(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t end, float* out) {
    if constexpr (SUMS > 0) {
        if ((end - begin + WIDTH - 1) / WIDTH == SUMS) return sum_some<SUMS>(row_at, count, begin, end - WIDTH, out);
        sum_rest<SUMS - 1>(row_at, count, begin, end, out);
    }
}

// out[begin … end) = the same columns of row_at(0) + … + row_at(count − 1); end ≥ 16.
template <class RowAt>
CALQUE_INLINE void sum_rows(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t end, float* out) {
    for (; end - begin > MOST_SUMS * WIDTH; begin += MOST_SUMS * WIDTH)
        sum_some<MOST_SUMS>(row_at, count, begin, begin + (MOST_SUMS - 1) * WIDTH, out);
    sum_rest(row_at, count, begin, end, out);
}

// width is a multiple of 16.
CALQUE_INLINE float squared_norm(const float* vector, std::size_t width) {
    Numbers sums[LANES / WIDTH] = {};
    for (std::size_t tile = 0; tile < width; tile += LANES)
        for (std::size_t at = 0; at < LANES; at += WIDTH) {
            const Numbers part = load<Numbers>(vector + tile + at);
            sums[at / WIDTH] += part * part;
        }
    return sum_of_tile([&](std::size_t at) { return sums[at / WIDTH]; });
}

CALQUE_INLINE void scale_in_place(float* vector, std::size_t width, float factor) {
    for (std::size_t at = 0; at < width; ++at) vector[at] *= factor;
}

}  // namespace calque::CALQUE_TARGET
