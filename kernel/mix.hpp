// 64 bits mixed so that every bit depends on every other (splitmix64's finaliser).
#pragma once

#include <cstdint>

namespace calque {

inline __attribute__((always_inline)) std::uint64_t mix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

}  // namespace calque
