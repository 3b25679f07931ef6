// Dropout without storing masks: whether an element is kept is a hash of (step, token, column), so the backward pass
// asks again and gets the same answer, in any thread.
#pragma once

#include "mix.hpp"
#include "vector.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t TILES_A_DRAW = 4;  // a draw is 64 random bytes, and one byte decides one element
constexpr std::size_t DRAW = TILES_A_DRAW * LANES;

// A random byte for each of 4 · WIDTH columns of one token, beginning at a multiple of so many.
CALQUE_INLINE Words draw_bits(std::uint32_t token_key, std::size_t column) {
    Words bits = ((Words)lane_numbers() + static_cast<std::uint32_t>(column / 4)) * 0x9E3779B9u ^ token_key;
    bits = (bits ^ (bits >> 16)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15)) * 0x846CA68Bu;
    return bits ^ (bits >> 16);
}

// Which of one token's columns survive, a byte each: 255 or 0.
template <std::size_t MOST_TILES>
struct Kept {
    alignas(64) std::int8_t bytes[(MOST_TILES / TILES_A_DRAW + 2) * DRAW];
    std::size_t first_column;

    // `threshold` of 256 outcomes drop a column.
    CALQUE_INLINE void draw(std::uint32_t token_key, std::uint32_t threshold, std::size_t tile_begin, std::size_t tile_end) {
        const std::size_t first = tile_begin / TILES_A_DRAW, last = (tile_end + TILES_A_DRAW - 1) / TILES_A_DRAW;
        first_column = first * DRAW;
        for (std::size_t column = first * DRAW; column < last * DRAW; column += 4 * WIDTH)
            store(bytes + (column - first_column),
                  (Bytes)((Bytes)draw_bits(token_key, column) >= static_cast<std::uint8_t>(threshold)));
    }

    // All ones where the element survives.
    CALQUE_INLINE Whole at(std::size_t column) const {
        return sign_extend(bytes + (column - first_column));
    }
};

}  // namespace calque::CALQUE_TARGET
