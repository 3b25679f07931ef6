// Memory for results, used again once nobody holds the last one: the system would clear fresh pages first, which takes a
// third of the time of encoding. The last piece is kept, of 1 to 128 MB.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "buffer.hpp"

namespace calque {

class Spare {
  public:
    using Memory = std::unique_ptr<Buffer<float>>;

    static Memory take(std::size_t size) {
        {
            const std::lock_guard<std::mutex> lock(one().mutex_);
            Memory& kept = one().kept_;
            // Much more than is needed would be wasted for as long as the result lives.
            if (kept && kept->size() >= size && kept->size() <= 2 * size) return std::move(kept);
        }
        return std::make_unique<Buffer<float>>(size);
    }

    static void give_back(Memory memory) {
        constexpr std::size_t MEGABYTE = (std::size_t{1} << 20) / sizeof(float);
        if (memory->size() < MEGABYTE || memory->size() > 128 * MEGABYTE) return;
        const std::lock_guard<std::mutex> lock(one().mutex_);
        one().kept_.swap(memory);
    }

  private:
    static Spare& one() {
        static Spare* const forever = new Spare;  // results may outlive everything else
        return *forever;
    }

    std::mutex mutex_;
    Memory kept_;
};

}  // namespace calque
