// Words of a UTF-8 text, and what they are called in the table. Only U+0020 separates: whatever else counts as white
// space is left to the vocabulary's own normalisation, which sees each word raw.
#pragma once

#include "hot.hpp"
#include "vector.hpp"

#if defined(__AVX512BW__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace calque::CALQUE_TARGET {

constexpr std::size_t BLOCK = 64;
constexpr std::size_t SHORT = 15;  // bytes of a word that is its own key

// One bit a byte: is it a space?
CALQUE_INLINE std::uint64_t spaces_in(const char* block) {
#if defined(__AVX512BW__)
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8(' '));
#elif defined(__SSE2__)
    std::uint64_t bits = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + quarter);
        const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        bits |= static_cast<std::uint64_t>(static_cast<unsigned>(found)) << (16 * quarter);
    }
    return bits;
#else
    std::uint64_t bits = 0;
    for (int at = 0; at < 64; ++at) bits |= static_cast<std::uint64_t>(block[at] == ' ') << at;
    return bits;
#endif
}

// Calls visit(begin, end) for each word; visit returns false to stop.
template <class Visit>
CALQUE_INLINE bool for_words(const char* text, std::size_t bytes, const Visit& visit) {
    std::size_t start = 0;
    for (std::size_t base = 0; base < bytes; base += BLOCK) {
        std::uint64_t spaces;
        if (bytes - base >= BLOCK) {
            spaces = spaces_in(text + base);
        } else {
            char rest[BLOCK] = {};
            std::memcpy(rest, text + base, bytes - base);
            spaces = spaces_in(rest);
        }
        for (; spaces; spaces &= spaces - 1) {
            const std::size_t end = base + static_cast<std::size_t>(__builtin_ctzll(spaces));
            if (end > start && !visit(text + start, end - start)) return false;
            start = end + 1;
        }
    }
    return start >= bytes || visit(text + start, bytes - start);
}

struct Key {
    std::uint64_t low, high;
};

// Case is folded only in words that are ASCII throughout: in others a capital may belong to a mark that follows it, and
// together they need not have a small counterpart (H with a line below, the Turkish İ).
constexpr std::uint64_t NOT_ASCII = 0x8080808080808080u;

CALQUE_INLINE bool is_ascii(const char* word, std::size_t bytes) {
    unsigned char seen = 0;
    for (std::size_t at = 0; at < bytes; ++at) seen |= static_cast<unsigned char>(word[at]);
    return seen < 128;
}

CALQUE_INLINE std::uint64_t fold_ascii(std::uint64_t bytes) {
    constexpr std::uint64_t ONES = 0x0101010101010101u;
    const std::uint64_t from_a = bytes + ONES * (128 - 'A'), past_z = bytes + ONES * (127 - 'Z');
    return bytes | ((from_a & ~past_z & NOT_ASCII) >> 2);
}

// Up to 16 bytes, zeros behind them, without reading past the word.
CALQUE_INLINE Key short_bytes(const char* word, std::size_t bytes) {
    Key key{0, 0};
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const __m128i loaded = _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << bytes) - 1), word);
    std::memcpy(&key, &loaded, sizeof key);
#else
    std::memcpy(&key, word, bytes);
#endif
    return key;
}

CALQUE_INLINE std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

CALQUE_INLINE Key long_key(const char* word, std::size_t bytes, const WordRows& table) {
    const bool fold = table.fold_case && is_ascii(word, bytes);
    Key key{table.seed ^ bytes, ~table.seed};
    for (std::size_t at = 0; at < bytes; at += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, word + at, bytes - at < 8 ? bytes - at : 8);
        if (fold) part = fold_ascii(part);
        key.low = fold_product(key.low ^ part, 0xA0761D6478BD642Fu);
        key.high = fold_product(key.high ^ part ^ key.low, 0xE7037ED1A0B428DBu);
    }
    key.high |= std::uint64_t{0xFF} << 56;  // no short word has this length
    return key;
}

CALQUE_INLINE Key key_of(const char* word, std::size_t bytes, const WordRows& table) {
    if (bytes > SHORT) return long_key(word, bytes, table);
    Key key = short_bytes(word, bytes);
    if (table.fold_case && !((key.low | key.high) & NOT_ASCII))
        key.low = fold_ascii(key.low), key.high = fold_ascii(key.high);
    key.high |= static_cast<std::uint64_t>(bytes) << 56;
    return key;
}

CALQUE_INLINE std::uint64_t home_of(const Key& key, const WordRows& table) {
    return fold_product(key.low ^ table.seed, key.high ^ 0x8EBC6AF09C88C6E3u) & table.slot_mask;
}

}  // namespace calque::CALQUE_TARGET
