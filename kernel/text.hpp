// A text as its owner holds it (one, two or four bytes a character), and as UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hot.hpp"

namespace calque {

struct Text {
    const void* data;
    std::size_t length;     // characters
    unsigned char kind;     // bytes a character: Latin-1, UCS-2 or UCS-4
    bool ascii;
};

// A lone surrogate stands for no character and becomes U+FFFD. `scratch` holds the result unless the text is ASCII.
inline Utf8 to_utf8(const Text& text, std::string& scratch) {
    if (text.ascii) return {static_cast<const char*>(text.data), text.length};
    scratch.resize(4 * text.length);
    char* out = scratch.data();
    const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
    for (std::size_t at = 0; at < text.length; ++at) {
        std::uint32_t point = text.kind == 1   ? static_cast<const std::uint8_t*>(text.data)[at]
                              : text.kind == 2 ? static_cast<const std::uint16_t*>(text.data)[at]
                                               : static_cast<const std::uint32_t*>(text.data)[at];
        if (point >= 0xD800 && point < 0xE000) point = 0xFFFD;
        if (point < 0x80) {
            put(point);
        } else if (point < 0x800) {
            put(0xC0 | point >> 6), put(0x80 | (point & 63));
        } else if (point < 0x10000) {
            put(0xE0 | point >> 12), put(0x80 | (point >> 6 & 63)), put(0x80 | (point & 63));
        } else {
            put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 63)), put(0x80 | (point >> 6 & 63)), put(0x80 | (point & 63));
        }
    }
    return {scratch.data(), static_cast<std::size_t>(out - scratch.data())};
}

}  // namespace calque
