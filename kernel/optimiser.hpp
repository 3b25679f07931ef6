// What training changes, and how far each row of it has come. See adam.hpp for why rows may lag behind.
#pragma once

#include <cstdint>
#include <vector>

#include "hot.hpp"

namespace calque {

// The arrays belong to the caller, (rows, width) each, width a multiple of TILE.
struct State {
    float* embeddings;
    float* first_moments;
    float* second_moments;
    std::uint32_t* current;  // the step up to which a row's drift has been applied; 0: never touched
    std::size_t rows, width;
};

struct AdamSettings {
    float beta_first, beta_second, epsilon;
};

// The learning rate and the bias corrections of one step.
struct StepRates {
    float rate;            // learning rate / (1 − β₁ᵗ)
    float second_inverse;  // 1 / (1 − β₂ᵗ)
};

class Optimiser {
  public:
    Optimiser(const State& state, const AdamSettings& settings);

    std::size_t steps() const { return step_weights.size(); }
    void resume(const float* weights, std::size_t steps);  // goes on where another left off
    void announce(float learning_rate);                    // one more step, to be taken later
    StepRates rates(std::size_t step, float learning_rate) const;

    // The numbers by which a row drifts in the steps from + 1 … to, none of which had a gradient for it.
    void drift_of(std::uint32_t from, std::uint32_t to, float* drift) const;

    // Brings the rows of these sentences up to the present.
    void catch_up(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads);

    // Applies all drift that is due, to a copy: the state itself must not depend on when somebody looked.
    void settle(float* embeddings, std::size_t threads) const;

    // Applies to one row the drift of the steps up to `to`.
    void drift_row(std::uint32_t row, std::uint32_t to);

    const State state;
    const AdamSettings settings;
    std::vector<float> step_weights;  // learning rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ), a step

  private:
    void add_floor();

    std::vector<float> decay_powers_, first_powers_, second_powers_;  // of β₁ / √β₂, β₁, β₂
    std::vector<float> floors_;                                       // ε² as it counts in the drift after each step
};

}  // namespace calque
