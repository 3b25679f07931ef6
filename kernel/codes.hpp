// A vector as 8-bit numbers and one scale, with proof of how far they are from it: the error's length is measured, not
// estimated, and rounded up, so that a cosine worked out from codes can be given bounds that hold.
#pragma once

#include "hot.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

// Both cover what float32 loses while lengths are added up: at most 512 additions a lane, so 3·10⁻⁵ of a sum of squares.
constexpr float ROUNDED_UP = 1.0001f;
constexpr float ROUNDING = 1e-6f;
constexpr float SMALLEST = 1e-30f, LARGEST = 1e30f;  // beyond, what is left of products says nothing

// NaN is passed over.
CALQUE_INLINE float largest_of(const float* vector, std::size_t depth) {
    const auto larger = [](const auto& value, const auto& largest) {
        const auto size = value < 0 ? -value : value;
        return size > largest ? size : largest;
    };
    Numbers lanes = {};
    std::size_t k = 0;
    for (; k + WIDTH <= depth; k += WIDTH) lanes = larger(load<Numbers>(vector + k), lanes);
    float largest = 0;
    for (std::size_t lane = 0; lane < WIDTH; ++lane) largest = larger(lanes[lane], largest);
    for (; k < depth; ++k) largest = larger(vector[k], largest);
    return largest;
}

struct Lengths {
    float error, codes, vector;
};

CALQUE_INLINE float root_of_sum(const float* squares) {
    float sum = 0;
    for (std::size_t lane = 0; lane < LANES; ++lane) sum += squares[lane];
    return __builtin_sqrtf(sum) * ROUNDED_UP;
}

template <class Code>
CALQUE_INLINE Lengths lengths_of(const float* vector, const Code* codes, float scale, std::size_t depth) {
    float errors[LANES] = {}, coded[LANES] = {}, exact[LANES] = {};
    const auto add = [&](std::size_t k, std::size_t lane) {
        const float value = scale * static_cast<float>(codes[k]), error = vector[k] - value;
        errors[lane] += error * error;
        coded[lane] += value * value;
        exact[lane] += vector[k] * vector[k];
    };
    std::size_t k = 0;
    for (; k + LANES <= depth; k += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane) add(k + lane, lane);
    for (std::size_t lane = 0; k + lane < depth; ++lane) add(k + lane, lane);
    const float length = root_of_sum(exact);
    return {root_of_sum(errors) + length * ROUNDING, root_of_sum(coded), length};
}

// Codes from −most to most; those from depth to width are zero. Returns the scale.
template <class Code>
CALQUE_INLINE float round_to(const float* vector, std::size_t depth, std::size_t width, float most, Code* codes) {
    const float largest = largest_of(vector, depth), scale = largest / most;
    std::memset(codes, 0, width * sizeof(Code));
    if (!(scale > SMALLEST && scale < LARGEST)) return 0;  // nor NaN
    const float inverse = most / largest;
    for (std::size_t k = 0; k < depth; ++k) {
        const float scaled = vector[k] * inverse, nearest = scaled + (scaled < 0 ? -0.5f : 0.5f);
        codes[k] = static_cast<Code>(nearest == nearest ? nearest : 0.0f);  // NaN is no whole number
    }
    return scale;
}

inline void code_row(const float* vector, std::size_t depth, std::size_t width, std::int8_t* codes, CodedRow* about) {
    const float scale = round_to(vector, depth, width, 127, codes);
    const Lengths lengths = lengths_of(vector, codes, scale, depth);
    *about = {scale, lengths.error, lengths.codes};
}

inline void code_query(const float* vector, std::size_t depth, std::size_t width, std::int16_t* values,
                       CodedQuery* query) {
    const float scale = round_to(vector, depth, width, MOST_OF_QUERY, values);
    const Lengths lengths = lengths_of(vector, values, scale, depth);
    *query = {values, scale, lengths.error, lengths.vector};
}

}  // namespace calque::CALQUE_TARGET
