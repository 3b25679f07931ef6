#include "cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace calque {
namespace {

using Bytes = const unsigned char*;

constexpr std::uint64_t HIGH = 0x8080808080808080u;

std::uint64_t eight(Bytes at) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// The first byte in memory with its high bit set.
std::size_t first_byte(std::uint64_t high) {
    if constexpr (std::endian::native == std::endian::little) return static_cast<std::size_t>(std::countr_zero(high)) / 8;
    else return static_cast<std::size_t>(std::countl_zero(high)) / 8;
}

bool is_ascii(Bytes at, Bytes end) {
    std::uint64_t seen = 0;
    for (; end - at >= 8; at += 8) seen |= eight(at);
    for (; at < end; ++at) seen |= *at;
    return (seen & HIGH) == 0;
}

Bytes find_byte(Bytes at, Bytes end, char byte) {
    return static_cast<Bytes>(std::memchr(at, byte, static_cast<std::size_t>(end - at)));
}

// The character at `at`, which does not begin with an ASCII byte, and its length; 0 bytes if it is none.
struct Decoded {
    std::uint32_t point;
    unsigned bytes;
};

inline Decoded decode(Bytes at, Bytes end) {
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

enum class Outcome { done, wider, not_utf8 };

template <class Wide>
struct Widened {
    Outcome outcome;
    Bytes stopped;
    Wide* end;
    std::uint32_t largest;
};

// Writes the characters, each as one Wide; `out` has room for as many as there are bytes.
template <class Wide>
Widened<Wide> widen(Bytes at, Bytes end, Wide* out) {
    constexpr std::uint32_t most = sizeof(Wide) == 1 ? 0xFF : sizeof(Wide) == 2 ? 0xFFFF : 0x10FFFF;
    std::uint32_t largest = 0;
    while (at < end) {
        while (end - at >= 8) {
            const std::uint64_t high = eight(at) & HIGH;
            for (unsigned byte = 0; byte < 8; ++byte) out[byte] = at[byte];  // what is not ASCII is written again
            if (high) {
                at += first_byte(high), out += first_byte(high);
                break;
            }
            at += 8, out += 8;
        }
        if (end - at < 8)
            while (at < end && *at < 0x80) *out++ = *at++;
        while (at < end && *at >= 0x80) {
            const Decoded next = decode(at, end);
            if (next.bytes == 0) return {Outcome::not_utf8, at, out, largest};
            if (next.point > most) return {Outcome::wider, at, out, largest};
            largest = std::max(largest, next.point);
            *out++ = static_cast<Wide>(next.point);
            at += next.bytes;
        }
    }
    return {Outcome::done, end, out, largest};
}

// Widens a cell into the arena. Where it stops being UTF-8, or its end.
template <class Wide>
Bytes widen_cell(Bytes begin, Bytes end, Arena& arena, Cell& cell) {
    auto* out = static_cast<Wide*>(arena.room(sizeof(Wide) * static_cast<std::size_t>(end - begin)));
    const Widened<Wide> made = widen(begin, end, out);
    if constexpr (sizeof(Wide) < 4) {
        using Wider = std::conditional_t<sizeof(Wide) == 1, std::uint16_t, std::uint32_t>;
        if (made.outcome == Outcome::wider) return widen_cell<Wider>(begin, end, arena, cell);
    }
    cell.data = out;
    cell.characters = static_cast<std::uint32_t>(made.end - out);
    cell.largest = made.largest < 0x100 ? 0xFF : made.largest < 0x10000 ? 0xFFFF : 0x10FFFF;
    arena.keep(sizeof(Wide) * cell.characters);
    return made.stopped;
}

}  // namespace

void* Arena::room(std::size_t bytes) {
    while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < bytes) ++chunk_, used_ = 0;
    if (chunk_ == chunks_.size()) {
        const std::size_t size = std::max((bytes + 3) / 4 * 4, CHUNK);  // as `keep` counts: or it would be more than full
        chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    }
    return chunks_[chunk_].memory.get() + used_;
}

void Cells::find(const char* block, std::size_t bytes, const Columns& columns) {
    cells.clear();
    arena_.forget();
    lines = 0;
    problem = {};
    const std::size_t last = columns.chosen.empty() ? 0 : *std::max_element(columns.chosen.begin(), columns.chosen.end());
    Bytes at = reinterpret_cast<Bytes>(block), end = at + bytes;
    while (at < end) {
        Bytes feed = find_byte(at, end, '\n');
        Bytes stop = feed ? feed : end;
        if (!take_line(at, stop > at && stop[-1] == '\r' ? stop - 1 : stop, columns, last)) return;
        ++lines;
        at = stop + 1;
    }
}

bool Cells::take_line(Bytes begin, Bytes end, const Columns& columns, std::size_t last) {
    if (columns.chosen.empty()) return take_cell(begin, begin, end, cells.emplace_back());
    const std::size_t base = cells.size();
    cells.resize(base + columns.chosen.size());
    std::size_t column = 0;
    for (Bytes at = begin;; ++column) {
        Bytes tab = find_byte(at, end, '\t');
        for (std::size_t slot = 0; slot < columns.chosen.size(); ++slot)
            if (columns.chosen[slot] == column && !take_cell(begin, at, tab ? tab : end, cells[base + slot])) return false;
        if (!tab || (columns.exactly == 0 && column == last)) break;
        at = tab + 1;
    }
    const std::size_t found = column + 1;
    if (columns.exactly ? found == columns.exactly : found > last) return true;
    problem = {Fault::columns, lines, found, 0};
    return false;
}

bool Cells::take_cell(Bytes line, Bytes begin, Bytes end, Cell& cell) {
    cell = {begin, static_cast<std::uint32_t>(end - begin), 0x7F};
    if (!is_ascii(begin, end)) {
        Bytes stopped = widen_cell<std::uint8_t>(begin, end, arena_, cell);
        if (stopped != end) {
            problem = {Fault::utf8, lines, static_cast<std::size_t>(stopped - line), *stopped};
            return false;
        }
    }
    return true;
}

}  // namespace calque
