// What cleaning rules need to know of a text, counted in one pass over its characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "text.hpp"

namespace calque {

// Numpy reads it as a structured array: see corpus/cleaning/measures.py.
struct Measures {
    std::uint64_t text_hash;     // of all characters
    std::uint64_t letters_hash;  // of the letters alone, in small case
    std::uint32_t characters;
    std::uint32_t words;     // runs between white space
    std::uint32_t visible;   // characters that leave ink: not white space, control, joiners and the like
    std::uint32_t letters;   // with the marks that belong to them
    std::uint32_t wide;      // letters that stand for a syllable or a word each: Han, kana, hangul
    std::uint32_t expected;  // letters of the expected scripts
    std::uint32_t controls;  // control, private and replacement characters, lone surrogates
    std::uint32_t mojibake;  // places that look like UTF-8 taken for Windows-1252
    std::array<std::uint16_t, 10> digits;  // how often each digit occurs
    std::uint32_t unused;    // so that the size is a multiple of eight
};

// For each code point below `size`: its class, script and digit in one number, and its small counterpart.
struct Characters {
    const std::uint16_t* kinds;
    const std::uint32_t* small;
    std::size_t size;
};

// Bits of a kind.
constexpr std::uint16_t CLASS = 7, SCRIPT = 31 << 3, TAIL = 1 << 8;
constexpr unsigned SCRIPT_SHIFT = 3, DIGIT_SHIFT = 9;
enum Class : std::uint16_t { OTHER, LETTER, DIGIT, SPACE, CONTROL, HIDDEN };

// `scripts` has a bit for each script that letters are expected in.
Measures measure(const Text& text, const Characters& characters, std::uint32_t scripts, std::uint32_t wide_scripts);

}  // namespace calque
