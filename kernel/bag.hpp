// A sentence is the sum of its rows. The sum is held in registers, some tiles of columns at a time.
#pragma once

#include "vector.hpp"

namespace calque::CALQUE_TARGET {

#ifdef __AVX512F__
constexpr std::size_t WIDEST_TILE = 20;  // of 32 registers
#else
constexpr std::size_t WIDEST_TILE = 6;  // of 16 registers, two a vector
#endif

// How a stored row becomes sixteen floats: as it is, or from 16-bit fixed point with one scale a row.
struct FloatRow {
    const float* row;
    CALQUE_INLINE Floats at(std::size_t column) const { return load<Floats>(row + column); }
    CALQUE_INLINE void prefetch(std::size_t width) const { prefetch_row(row, width * sizeof(float)); }
};

struct FixedRow {
    const std::int16_t* row;
    float scale;
    CALQUE_INLINE Floats at(std::size_t column) const {
        const Ints wide = __builtin_convertvector(load<Shorts>(row + column), Ints);
        return __builtin_convertvector(wide, Floats) * scale;
    }
};

// `tail` is where the last tile begins: it may overlap the one before it, so that no row need be padded.
template <std::size_t TILES, class RowAt>
CALQUE_INLINE void sum_tiles(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t tail, float* out) {
    Floats sums[TILES] = {};
    for (std::size_t k = 0; k < count; ++k) {
        const auto row = row_at(k);
#pragma GCC unroll 20
        for (std::size_t tile = 0; tile + 1 < TILES; ++tile) sums[tile] += row.at(begin + tile * LANES);
        sums[TILES - 1] += row.at(tail);
    }
#pragma GCC unroll 20
    for (std::size_t tile = 0; tile + 1 < TILES; ++tile) store(out + begin + tile * LANES, sums[tile]);
    store(out + tail, sums[TILES - 1]);
}

// Finds the unrolled loop for a width known only at run time.
template <std::size_t TILES = WIDEST_TILE, class RowAt>
CALQUE_INLINE void sum_rest(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t end, float* out) {
    if constexpr (TILES > 0) {
        if ((end - begin + LANES - 1) / LANES == TILES) return sum_tiles<TILES>(row_at, count, begin, end - LANES, out);
        sum_rest<TILES - 1>(row_at, count, begin, end, out);
    }
}

// out[begin … end) = the same columns of row_at(0) + … + row_at(count − 1); end ≥ 16.
template <class RowAt>
CALQUE_INLINE void sum_rows(const RowAt& row_at, std::size_t count, std::size_t begin, std::size_t end, float* out) {
    for (; end - begin > WIDEST_TILE * LANES; begin += WIDEST_TILE * LANES)
        sum_tiles<WIDEST_TILE>(row_at, count, begin, begin + (WIDEST_TILE - 1) * LANES, out);
    sum_rest(row_at, count, begin, end, out);
}

// width is a multiple of 16.
CALQUE_INLINE float squared_norm(const float* vector, std::size_t width) {
    Floats sum = {};
    for (std::size_t at = 0; at < width; at += LANES) sum += load<Floats>(vector + at) * load<Floats>(vector + at);
    return horizontal_sum(sum);
}

CALQUE_INLINE void scale_in_place(float* vector, std::size_t width, float factor) {
    for (std::size_t at = 0; at < width; ++at) vector[at] *= factor;
}

}  // namespace calque::CALQUE_TARGET
