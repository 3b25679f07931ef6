// Which hashes have been seen before, in bounded memory: when it is full, some are forgotten, and that is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calque {

class Seen {
  public:
    // Holds up to 0.8 · most_slots hashes for certain; most_slots is a power of two.
    explicit Seen(std::size_t most_slots);

    // seen[i] tells whether hashes[i] was added before, be it in this call.
    void add(const std::uint64_t* hashes, std::size_t count, bool* seen);

    std::uint64_t forgotten() const { return forgotten_; }

  private:
    bool add_one(std::uint64_t hash);
    void grow();
    void fill_up();

    std::vector<std::uint64_t> slots_;  // 0: empty
    std::size_t used_ = 0, most_slots_;
    std::uint64_t forgotten_ = 0;
    bool full_ = false, zero_ = false;  // zero_: the hash 0 was seen
};

}  // namespace calque
