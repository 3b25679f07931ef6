// Mini-batches laid out for their steps: which rows each touches, and its tokens as indices among those.
#pragma once

#include <cstdint>
#include <vector>

#include "optimiser.hpp"

namespace calque {

// Sources stand in sentences[0 … n), targets in [n … 2n); negative_of names the negative of each, −1 for none.
struct Chosen {
    const std::vector<Sentence>& sentences;
    std::size_t id_bytes;
    const std::vector<std::int32_t>& negative_of;

    std::size_t pairs() const { return sentences.size() / 2; }
};

struct Laid {
    std::vector<std::uint32_t> touched, slots, begins;
    std::vector<std::uint32_t> next;  // the step at which a row is touched again in this mega-batch, 0 for none
    std::vector<float> drift;
    std::vector<std::uint8_t> has_negative;

    std::size_t pairs() const { return has_negative.size() / 2; }
};

class Layout {
  public:
    // The mini-batches of a mega-batch, whose steps have been announced to the optimiser. Brings their rows up to the step
    // before each is first touched; each step then brings its rows up to the next.
    const std::vector<Laid>& lay(const Chosen& chosen, std::size_t batch_size, Optimiser& optimiser, std::size_t threads);

  private:
    void find_next(std::uint32_t first_step, std::size_t rows);

    std::vector<Laid> laid_;
    std::vector<std::uint32_t> rows_;  // touched at all
    std::vector<std::uint32_t> next_;  // a row: zero between mega-batches
    std::vector<std::vector<std::uint32_t>> slot_of_;  // a thread: row → slot + 1, zero between mini-batches
};

}  // namespace calque
