// The k best of each row and column of the product of two blocks of vectors, by several threads.
#pragma once

#include <cstddef>

#include "hot.hpp"

namespace calque {

struct Meeting {
    const float* rows;     // (row_count, depth)
    const float* columns;  // (column_count, depth)
    std::size_t row_count, column_count, depth, first_row, first_column;
};

// Adds to what is kept, in place. Blocks must come in the order of their rows and columns: of equals, the one seen first
// is kept.
void meet(const Meeting& meeting, const Top& rows, const Top& columns, std::size_t threads);

}  // namespace calque
