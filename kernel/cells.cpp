#include "cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "threads.hpp"

namespace calque {
namespace {

constexpr std::uint64_t HIGH = 0x8080808080808080u;

std::uint64_t eight(const unsigned char* at) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// The first byte in memory with its high bit set.
std::size_t first_byte(std::uint64_t high) {
    if constexpr (std::endian::native == std::endian::little) return static_cast<std::size_t>(std::countr_zero(high)) / 8;
    else return static_cast<std::size_t>(std::countl_zero(high)) / 8;
}

// How many bytes from `at` on are ASCII.
std::size_t ascii_run(const unsigned char* at, const unsigned char* end) {
    const unsigned char* begin = at;
    for (; end - at >= 8; at += 8)
        if (const std::uint64_t high = eight(at) & HIGH) return static_cast<std::size_t>(at - begin) + first_byte(high);
    while (at < end && *at < 0x80) ++at;
    return static_cast<std::size_t>(at - begin);
}

// The character at `at`, which does not begin with an ASCII byte, and its length; 0 bytes if it is none.
struct Decoded {
    std::uint32_t point;
    unsigned bytes;
};

inline Decoded decode(const unsigned char* at, const unsigned char* end) {
    const std::size_t left = static_cast<std::size_t>(end - at);
    const auto tail = [at](unsigned index) { return (at[index] & 0xC0u) == 0x80u; };
    const auto bits = [at](unsigned index) { return at[index] & 0x3Fu; };
    if (at[0] < 0xC2 || at[0] > 0xF4) return {0, 0};
    if (at[0] < 0xE0) {
        if (left < 2 || !tail(1)) return {0, 0};
        return {(at[0] & 0x1Fu) << 6 | bits(1), 2};
    }
    if (at[0] < 0xF0) {
        if (left < 3 || !tail(1) || !tail(2)) return {0, 0};
        const std::uint32_t point = (at[0] & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
        if (point < 0x800 || (point >= 0xD800 && point < 0xE000)) return {0, 0};
        return {point, 3};
    }
    if (left < 4 || !tail(1) || !tail(2) || !tail(3)) return {0, 0};
    const std::uint32_t point = (at[0] & 0x07u) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
    if (point < 0x10000 || point > 0x10FFFF) return {0, 0};
    return {point, 4};
}

// As Python's str.isspace.
bool is_space(std::uint32_t point) {
    if (point < 0x80) return (point >= 9 && point <= 13) || (point >= 28 && point <= 32);
    return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

bool is_blank(const unsigned char* at, const unsigned char* end) {
    while (at < end) {
        const Decoded next = *at < 0x80 ? Decoded{*at, 1} : decode(at, end);
        if (!is_space(next.point)) return false;
        at += next.bytes;
    }
    return true;
}

// Fills in a cell; returns where it stops being UTF-8, or its end.
const unsigned char* measure(const unsigned char* begin, const unsigned char* end, Cell& cell) {
    std::uint32_t largest = 0;
    std::size_t beyond = 0;  // bytes that begin no character
    const unsigned char* at = begin;
    while (at < end) {
        at += ascii_run(at, end);
        while (at < end && *at >= 0x80) {
            const Decoded next = decode(at, end);
            if (next.bytes == 0) return at;
            largest = std::max(largest, next.point);
            beyond += next.bytes - 1;
            at += next.bytes;
        }
    }
    const std::size_t bytes = static_cast<std::size_t>(end - begin);
    cell.data = reinterpret_cast<const char*>(begin);
    cell.bytes = static_cast<std::uint32_t>(bytes);
    cell.characters = static_cast<std::uint32_t>(bytes - beyond);
    cell.largest = largest < 0x80 ? 0x7F : largest < 0x100 ? 0xFF : largest < 0x10000 ? 0xFFFF : 0x10FFFF;
    cell.blank = is_blank(begin, end);
    return end;
}

// The lines of one part of a block.
class Scanner {
  public:
    Scanner(const Columns& columns, Cells& out) : columns_(columns), out_(out) {
        last_ = columns.chosen.empty() ? 0 : *std::max_element(columns.chosen.begin(), columns.chosen.end());
    }

    void scan(const unsigned char* at, const unsigned char* end) {
        while (at < end && out_.problem.fault == Fault::none) {
            const auto* feed = static_cast<const unsigned char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const unsigned char* stop = feed ? feed : end;
            const unsigned char* text_end = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
            if (take(at, text_end)) ++out_.lines;
            at = stop + 1;
        }
    }

  private:
    bool take(const unsigned char* begin, const unsigned char* end) {
        if (columns_.chosen.empty()) return add(begin, begin, end, out_.cells.emplace_back());
        const std::size_t base = out_.cells.size();
        out_.cells.resize(base + columns_.chosen.size());
        std::size_t column = 0;
        for (const unsigned char* at = begin;; ++column) {
            const auto* tab = static_cast<const unsigned char*>(std::memchr(at, '\t', static_cast<std::size_t>(end - at)));
            for (std::size_t slot = 0; slot < columns_.chosen.size(); ++slot)
                if (columns_.chosen[slot] == column && !add(begin, at, tab ? tab : end, out_.cells[base + slot])) return false;
            if (!tab || (columns_.exactly == 0 && column == last_)) break;
            at = tab + 1;
        }
        const std::size_t found = column + 1;
        if (columns_.exactly ? found == columns_.exactly : found > last_) return true;
        out_.problem = {Fault::columns, out_.lines, found, 0};
        return false;
    }

    bool add(const unsigned char* line, const unsigned char* begin, const unsigned char* end, Cell& cell) {
        const unsigned char* stop = measure(begin, end, cell);
        if (stop == end) return true;
        out_.problem = {Fault::utf8, out_.lines, static_cast<std::size_t>(stop - line), *stop};
        return false;
    }

    const Columns& columns_;
    Cells& out_;
    std::size_t last_;
};

}  // namespace

Cells cells_of(const char* block, std::size_t bytes, const Columns& columns, std::size_t threads) {
    const auto* begin = reinterpret_cast<const unsigned char*>(block);
    const auto* end = begin + bytes;
    std::vector<const unsigned char*> cuts{begin};
    for (std::size_t part = 1; part < threads; ++part) {
        const unsigned char* from = std::max(begin + bytes * part / threads, cuts.back());
        const auto* feed = static_cast<const unsigned char*>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
        cuts.push_back(feed ? feed + 1 : end);
    }
    cuts.push_back(end);
    std::vector<Cells> parts(threads);
    on_threads(threads, [&](std::size_t part) { Scanner(columns, parts[part]).scan(cuts[part], cuts[part + 1]); });
    Cells all = std::move(parts[0]);
    for (std::size_t part = 1; part < threads && all.problem.fault == Fault::none; ++part) {
        all.cells.insert(all.cells.end(), parts[part].cells.begin(), parts[part].cells.end());
        all.problem = parts[part].problem;
        all.problem.line += all.lines;
        all.lines += parts[part].lines;
    }
    return all;
}

namespace {

// As decode, for text that is known to be UTF-8.
inline Decoded decode_valid(const unsigned char* at) {
    const auto bits = [at](unsigned index) { return at[index] & 0x3Fu; };
    if (at[0] < 0xE0) return {(at[0] & 0x1Fu) << 6 | bits(1), 2};
    if (at[0] < 0xF0) return {(at[0] & 0x0Fu) << 12 | bits(1) << 6 | bits(2), 3};
    return {(at[0] & 0x07u) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4};
}

template <class Wide>
void widen_to(const Cell& cell, Wide* out) {
    const auto* at = reinterpret_cast<const unsigned char*>(cell.data);
    const auto* end = at + cell.bytes;
    const Wide* out_end = out + cell.characters;
    const auto put_one = [&] {
        const Decoded next = decode_valid(at);
        *out++ = static_cast<Wide>(next.point);
        at += next.bytes;
    };
    while (end - at >= 8 && out_end - out >= 8) {
        const std::uint64_t high = eight(at) & HIGH;
        for (unsigned byte = 0; byte < 8; ++byte) out[byte] = at[byte];  // what is not ASCII is written again
        const std::size_t run = high ? first_byte(high) : 8;
        at += run, out += run;
        if (high) put_one();
        while (at < end && *at >= 0x80) put_one();
    }
    while (at < end) {
        if (*at < 0x80) *out++ = *at++;
        else put_one();
    }
}

}  // namespace

void widen(const Cell& cell, void* out, unsigned width) {
    if (cell.characters == cell.bytes) std::memcpy(out, cell.data, cell.bytes);  // ASCII
    else if (width == 1) widen_to(cell, static_cast<std::uint8_t*>(out));
    else if (width == 2) widen_to(cell, static_cast<std::uint16_t*>(out));
    else widen_to(cell, static_cast<std::uint32_t*>(out));
}

}  // namespace calque
