// A block of UTF-8 text as lines and cells, each in the form in which a Python string holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace calque {

// Text of one width: ASCII lies where it was, in the block; what is not was widened into the arena.
struct Cell {
    const void* data;
    std::uint32_t characters;
    std::uint32_t largest;  // an upper bound on its code points: 127, 255, 65535 or 1114111

    std::size_t bytes() const { return std::size_t{characters} * (largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4); }
};

enum class Fault : std::uint8_t { none, columns, utf8 };

// What is wrong with the first line that cannot be used.
struct Problem {
    Fault fault = Fault::none;
    std::size_t line = 0;    // from 0, in the block
    std::size_t detail = 0;  // columns found, or the place of the byte in its line, from 0
    unsigned char byte = 0;
};

// Which columns of a line to take, from 0; no column at all means the line itself.
struct Columns {
    std::vector<std::size_t> chosen;
    std::size_t exactly = 0;  // columns that a line must have; 0: at least the chosen ones
};

// Memory for many short texts that are all forgotten together.
class Arena {
  public:
    void forget() { chunk_ = 0, used_ = 0; }

    // Room for so many bytes, aligned for any width; `keep` says how many of them are used in the end.
    void* room(std::size_t bytes);
    void keep(std::size_t bytes) { used_ += (bytes + 3) / 4 * 4; }

  private:
    static constexpr std::size_t CHUNK = 1 << 20;
    struct Chunk {
        std::unique_ptr<char[]> memory;
        std::size_t size;
    };
    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0, used_ = 0;
};

// The cells of a block. It may be used for another block, which is faster than a new one.
class Cells {
  public:
    // The block holds whole lines; the last may lack its line feed. A carriage return before a line's end goes with it.
    void find(const char* block, std::size_t bytes, const Columns& columns);

    std::vector<Cell> cells;  // all chosen columns of line 0, then of line 1, …
    std::size_t lines = 0;    // whole lines before the problem
    Problem problem;

  private:
    bool take_line(const unsigned char* begin, const unsigned char* end, const Columns& columns, std::size_t last);
    bool take_cell(const unsigned char* line, const unsigned char* begin, const unsigned char* end, Cell& cell);

    Arena arena_;
};

}  // namespace calque
