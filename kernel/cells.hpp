// A block of UTF-8 text as lines and cells: where each begins, and what it takes to hold it as a Python string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calque {

struct Cell {
    const char* data;
    std::uint32_t bytes;
    std::uint32_t characters;
    std::uint32_t largest;  // an upper bound on its code points: 127, 255, 65535 or 1114111
    bool blank;             // nothing but white space
};

enum class Fault : std::uint8_t { none, columns, utf8 };

// What is wrong with the first line that cannot be used.
struct Problem {
    Fault fault = Fault::none;
    std::size_t line = 0;    // from 0, in the block
    std::size_t detail = 0;  // columns found, or the place of the byte in its line, from 0
    unsigned char byte = 0;
};

struct Cells {
    std::vector<Cell> cells;  // all chosen columns of line 0, then of line 1, …
    std::size_t lines = 0;    // whole lines before the problem
    Problem problem;
};

// Which columns of a line to take, from 0; no column at all means the line itself.
struct Columns {
    std::vector<std::size_t> chosen;
    std::size_t exactly = 0;  // columns that a line must have; 0: at least the chosen ones
};

// The block holds whole lines; the last may lack its line feed. A carriage return before a line feed goes with it.
Cells cells_of(const char* block, std::size_t bytes, const Columns& columns, std::size_t threads);

// Writes a cell's characters, each `width` bytes (1, 2 or 4) wide; the cell is valid UTF-8.
void widen(const Cell& cell, void* out, unsigned width);

}  // namespace calque
