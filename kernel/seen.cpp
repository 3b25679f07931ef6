#include "seen.hpp"

#include <algorithm>
#include <utility>

namespace calque {
namespace {

constexpr std::size_t FIRST_SLOTS = 1 << 16, AHEAD = 16;
constexpr std::size_t REACH = 16;  // slots that a hash may lie in once the table is full: two cache lines

std::size_t home(std::uint64_t hash, std::size_t slots) { return (hash * 0x9E3779B97F4A7C15u >> 20) & (slots - 1); }

}  // namespace

Seen::Seen(std::size_t most_slots) : slots_(std::min(FIRST_SLOTS, most_slots)), most_slots_(most_slots) {}

void Seen::add(const std::uint64_t* hashes, std::size_t count, bool* seen) {
    for (std::size_t at = 0; at < count; ++at) {
        if (at + AHEAD < count) __builtin_prefetch(&slots_[home(hashes[at + AHEAD], slots_.size())], 1);
        seen[at] = hashes[at] ? add_one(hashes[at]) : std::exchange(zero_, true);
    }
}

bool Seen::add_one(std::uint64_t hash) {
    if (slots_.size() < most_slots_) {
        if (used_ * 10 > slots_.size() * 6) grow();
    } else if (!full_ && used_ * 10 >= slots_.size() * 8) {
        fill_up();
    }
    const std::size_t mask = slots_.size() - 1, first = home(hash, slots_.size());
    const std::size_t reach = full_ ? REACH : slots_.size();
    for (std::size_t step = 0; step < reach; ++step) {
        std::uint64_t& slot = slots_[(first + step) & mask];
        if (slot == hash) return true;
        if (slot == 0) {
            slot = hash;
            ++used_;
            return false;
        }
    }
    slots_[(first + (hash >> 60)) & mask] = hash;  // chosen by the hash: the same input forgets the same
    ++forgotten_;
    return false;
}

void Seen::grow() {
    std::vector<std::uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    used_ = 0;
    const std::size_t mask = slots_.size() - 1;
    for (const std::uint64_t hash : old) {
        if (hash == 0) continue;
        std::size_t at = home(hash, slots_.size());
        while (slots_[at & mask] != 0) ++at;
        slots_[at & mask] = hash;
        ++used_;
    }
}

// From now on hashes are looked for nearby only; those that lie further away cannot be found again.
void Seen::fill_up() {
    full_ = true;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = 0; at < slots_.size(); ++at)
        forgotten_ += slots_[at] != 0 && ((at - home(slots_[at], slots_.size())) & mask) >= REACH;
}

}  // namespace calque
