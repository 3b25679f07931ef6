// The k rows nearest to a query, exactly, though most are only looked at as 8-bit codes: a row is worked out in full
// when its upper bound reaches the k-th best lower bound.
#pragma once

#include "hot.hpp"

namespace calque {

struct Scanned {
    CodedRows coded;
    const float* vectors;         // (count, depth)
    const std::uint8_t* deleted;  // a row is left out where this is not 0; null: none is
    std::size_t count, depth;
};

// The product of two vectors, summed as double in a fixed order and rounded once. Products of float32 are exact in
// double, so that every machine finds the same number.
float exact_product(const float* one, const float* two, std::size_t depth);

// Fills (queries, k) from the best down, of equals the earlier row first; where there are fewer, as it was.
void scan(const Scanned& rows, const float* queries, std::size_t count, std::size_t k, std::size_t threads,
          float* cosine, std::int32_t* index);

}  // namespace calque
