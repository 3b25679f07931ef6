// Training on one mega-batch: encode its sentences, choose the hardest negatives once, then take a step for each
// mini-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "layout.hpp"
#include "negatives.hpp"
#include "optimiser.hpp"

namespace calque {

struct Settings {
    std::size_t batch_size;
    float margin;
    float dropout;
    bool monolingual;        // negatives from both sides
    bool exclude_same_text;  // a repeat of the true translation is not a negative
    std::uint64_t seed;
    const std::uint8_t* frozen;  // the caller's, a row: whether it does not learn; null: all do
};

struct Seconds {
    double encode = 0, negatives = 0, prepare = 0, steps = 0;
};

struct MegaBatchResult {
    double loss = 0;  // mean over pairs
    Seconds seconds;
};

class Trainer {
  public:
    Trainer(const State& state, const AdamSettings& adam, const Settings& settings);

    // pairs[k] names sentence pairs[k] of both sides; rates has one learning rate a mini-batch.
    MegaBatchResult train(const Tokens& source, const Tokens& target, const std::uint32_t* pairs, std::size_t count,
                          const float* rates, std::size_t threads);

    Optimiser optimiser;

  private:
    void encode(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads);
    void choose(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads);
    double step(const std::vector<Laid>& laid, const float* rates, std::size_t threads);

    const Settings settings_;
    QuantisedSide source_side_, target_side_;
    Negatives negatives_;
    std::vector<std::int32_t> negative_of_;  // a sentence: which other one, −1 for none
    Layout layout_;
    Buffer<float> means_, gradient_, partials_;
    Buffer<char> scratch_;
};

}  // namespace calque
