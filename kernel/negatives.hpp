// The hardest negatives of a mega-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "hot.hpp"

namespace calque {

// Unit vectors as 7-bit integers, packed as a search's rows or as its columns.
class QuantisedSide {
  public:
    void prepare(std::size_t count, std::size_t depth);
    void put(std::size_t at, const float* vector);  // any thread, each `at` once
    void as_rows();
    void as_columns();

    std::size_t count = 0, depth = 0;
    std::vector<float> scale;
    Buffer<std::int8_t> values;     // (count, depth)
    Buffer<std::uint8_t> strips;
    Buffer<std::int8_t> panels;
    std::vector<std::int32_t> correction;
};

struct Keys {
    std::vector<std::int32_t> of[3];
    std::size_t count = 0;
};

struct Negatives {
    std::vector<float> row_cosine, column_cosine;
    std::vector<std::int32_t> row_index, column_index;  // −1: every candidate was excluded
};

void find_negatives(const QuantisedSide& rows, const QuantisedSide& columns, const Keys& row_keys, Keys& column_keys,
                    std::size_t threads, Negatives& found);

}  // namespace calque
