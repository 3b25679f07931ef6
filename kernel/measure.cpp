#include "measure.hpp"

#include <cstring>

namespace calque {
namespace {

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t FIRST = 0xA0761D6478BD642Fu, SECOND = 0xE7037ED1A0B428DBu;

// Equal texts are held in the same form, so their bytes will do, with the size of a character: 水 and "4l" share theirs.
std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::size_t unit) {
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t hash = fold((bytes << 3 | unit) ^ FIRST, SECOND);
    std::uint64_t part = 0;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        std::memcpy(&part, at, 8);
        hash = fold(hash ^ part, FIRST);
    }
    part = 0;
    std::memcpy(&part, at, bytes);
    return fold(hash ^ part, SECOND);
}

// Code points three at a time, in the 64 bits that a product takes.
class LettersHash {
  public:
    void add(std::uint32_t point) {
        waiting_ = waiting_ << 21 | point;
        if (++count_ % 3 == 0) mix();
    }
    std::uint64_t value() {
        mix();
        return fold(hash_ ^ count_, SECOND);
    }

  private:
    void mix() {
        hash_ = fold(hash_ ^ waiting_, FIRST);
        waiting_ = 0;
    }
    std::uint64_t hash_ = SECOND, waiting_ = 0, count_ = 0;
};

template <class Unit>
Measures measure_units(const Unit* units, std::size_t length, const Characters& table, std::uint32_t scripts,
                       std::uint32_t wide_scripts) {
    Measures found{};
    LettersHash letters;
    bool in_word = false;
    std::uint32_t before = 0;
    std::uint32_t unseen = 0;
    for (std::size_t at = 0; at < length; ++at) {
        const std::uint32_t point = units[at];
        const std::uint16_t kind = point < table.size ? table.kinds[point] : static_cast<std::uint16_t>(OTHER);
        const std::uint16_t group = kind & CLASS;
        const bool space = group == SPACE;
        found.words += !space && !in_word;
        in_word = !space;
        unseen += space || group == CONTROL || group == HIDDEN;
        if (group == LETTER) {
            const std::uint32_t script = 1u << ((kind & SCRIPT) >> SCRIPT_SHIFT);
            ++found.letters;
            found.expected += (script & scripts) != 0;
            found.wide += (script & wide_scripts) != 0;
            letters.add(table.small[point]);
        } else if (group == DIGIT) {
            const std::size_t digit = kind >> DIGIT_SHIFT;
            if (digit < found.digits.size()) found.digits[digit] += found.digits[digit] < 0xFFFF;
        } else if (group == CONTROL) {
            ++found.controls;
        }
        found.mojibake += (kind & TAIL) != 0 && before >= 0xC2 && before <= 0xF4;
        before = point;
    }
    found.characters = static_cast<std::uint32_t>(length);
    found.visible = static_cast<std::uint32_t>(length) - unseen;
    found.letters_hash = letters.value();
    found.text_hash = hash_bytes(units, length * sizeof(Unit), sizeof(Unit));
    return found;
}

}  // namespace

Measures measure(const Text& text, const Characters& characters, std::uint32_t scripts, std::uint32_t wide_scripts) {
    const auto of = [&](auto* units) { return measure_units(units, text.length, characters, scripts, wide_scripts); };
    if (text.kind == 1) return of(static_cast<const std::uint8_t*>(text.data));
    if (text.kind == 2) return of(static_cast<const std::uint16_t*>(text.data));
    return of(static_cast<const std::uint32_t*>(text.data));
}

}  // namespace calque
