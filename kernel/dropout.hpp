// Dropout without storing masks: whether an element is kept is a hash of (step, token, column), so the backward pass
// asks again and gets the same answer, in any thread.
#pragma once

#include "vector.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t TILES_A_DRAW = 4;  // a draw holds four bytes a lane, and one byte decides one element

// 64 bits mixed (splitmix64's finaliser): one number a token, from which its columns' draws are derived.
CALQUE_INLINE std::uint64_t mix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// 16 × 32 random bits for the tiles 4·draw … 4·draw + 3 of one token.
CALQUE_INLINE Words draw_bits(std::uint32_t token_key, std::size_t draw) {
    constexpr Words LANE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Words bits = (LANE + static_cast<std::uint32_t>(draw * LANES)) * 0x9E3779B9u ^ token_key;
    bits = (bits ^ (bits >> 16)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15)) * 0x846CA68Bu;
    return bits ^ (bits >> 16);
}

// Calls visit(tile, keep) for the tiles [begin, end) of one token; `keep` is all ones where the element survives.
// `threshold` of 256 outcomes drop it.
template <class Visit>
CALQUE_INLINE void for_kept(std::uint32_t token_key, std::uint32_t threshold, std::size_t begin, std::size_t end,
                            const Visit& visit) {
    std::size_t tile = begin;
    while (tile < end) {
        const std::size_t draw = tile / TILES_A_DRAW;
        const Words bits = draw_bits(token_key, draw);
        for (; tile < end && tile / TILES_A_DRAW == draw; ++tile) {
            const int shift = static_cast<int>(8 * (tile % TILES_A_DRAW));
            const Words byte = (bits >> shift) & 255u;
            visit(tile, (Ints)((Ints)byte >= (std::int32_t)threshold));
        }
    }
}

}  // namespace calque::CALQUE_TARGET
