// Training on one mega-batch: encode its sentences, choose the hardest negatives once, then take a step for each
// mini-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "hot.hpp"
#include "negatives.hpp"

namespace calque {

struct Settings {
    std::size_t batch_size;
    float margin;
    float dropout;
    float beta_first, beta_second, epsilon;
    bool monolingual;         // negatives from both sides
    bool exclude_same_text;   // a repeat of the true translation is not a negative
    std::uint64_t seed;
};

// What training changes; the arrays belong to the caller, (rows, width) each, width a multiple of TILE.
struct State {
    float* embeddings;
    float* first_moments;
    float* second_moments;
    std::uint32_t* current;  // the step up to which a row's drift has been applied; 0: never touched
    std::size_t rows, width;
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
    Trainer(const State& state, const Settings& settings);

    // pairs[k] names sentence pairs[k] of both sides; rates has one learning rate a mini-batch.
    MegaBatchResult train(const Tokens& source, const Tokens& target, const std::uint32_t* pairs, std::size_t count,
                   const float* rates, std::size_t threads);

    // Applies all drift that is due, to a copy: the state itself must not depend on when somebody looked.
    void settle(float* embeddings, std::size_t threads) const;

    // lr · bias corrections, a step; its length is the number of steps taken.
    std::vector<float> step_weights;

  private:
    struct Prepared;

    void drift_of(std::uint32_t from, std::uint32_t to, float* drift) const;
    void catch_up(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads);
    void choose(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads, Seconds& seconds);
    void prepare(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t count, std::size_t threads);
    void fill_slots(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t begin, std::size_t end,
                    Prepared& prepared, std::vector<std::uint32_t>& slot_of) const;
    double step(std::size_t count, const float* rates, std::size_t threads);

    State state_;
    Settings settings_;
    std::vector<float> decay_powers_;  // (β₁ / √β₂)ʲ
    QuantisedSide source_side_, target_side_;
    Negatives negatives_;
    std::vector<std::int32_t> negative_of_;  // (2 · count): index into sentences, −1 for none
    std::vector<Prepared> prepared_;
    std::vector<std::vector<std::uint32_t>> slot_of_;  // a thread: row → slot + 1, zero outside fill_slots
    Buffer<float> means_, gradient_, partials_;
    Buffer<char> scratch_;

  public:
    ~Trainer();
};

}  // namespace calque
