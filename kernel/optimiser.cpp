#include "optimiser.hpp"

#include <algorithm>
#include <cmath>

#include "sentence.hpp"
#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t TERMS = 128;  // of the drift's sum; the next is 10⁻⁶ of the first
constexpr std::size_t GRAIN = 256;  // rows a thread fetches at a time

double bias(float beta, std::size_t step) { return 1 - std::pow(static_cast<double>(beta), static_cast<double>(step)); }

float power(const std::vector<float>& powers, float base, std::size_t exponent) {
    return exponent <= TERMS ? powers[exponent - 1] : std::pow(base, static_cast<float>(exponent));
}

}  // namespace

Optimiser::Optimiser(const State& state_, const AdamSettings& settings_) : state(state_), settings(settings_) {
    const auto first = static_cast<double>(settings.beta_first), second = static_cast<double>(settings.beta_second);
    for (int j = 1; j <= static_cast<int>(TERMS); ++j) {
        decay_powers_.push_back(static_cast<float>(std::pow(first / std::sqrt(second), j)));
        first_powers_.push_back(static_cast<float>(std::pow(first, j)));
        second_powers_.push_back(static_cast<float>(std::pow(second, j)));
    }
    add_floor();
}

// In a step, ε² stands beside v/(1 − β₂ᵗ); in the drift that correction is taken out of the root. Most of the drift
// happens in its first step, so the correction of that one is used.
void Optimiser::add_floor() {
    constexpr float NEVER_ZERO = 1e-30f;
    const auto correction = static_cast<float>(bias(settings.beta_second, floors_.size() + 1));
    floors_.push_back(settings.epsilon * settings.epsilon * correction + NEVER_ZERO);
}

void Optimiser::resume(const float* weights, std::size_t steps) {
    step_weights.assign(weights, weights + steps);
    while (floors_.size() <= steps) add_floor();
}

void Optimiser::announce(float learning_rate) {
    const std::size_t step = steps() + 1;
    const double first = bias(settings.beta_first, step), second = bias(settings.beta_second, step);
    step_weights.push_back(static_cast<float>(static_cast<double>(learning_rate) * std::sqrt(second) / first));
    add_floor();
}

StepRates Optimiser::rates(std::size_t step, float learning_rate) const {
    return {static_cast<float>(static_cast<double>(learning_rate) / bias(settings.beta_first, step)),
            static_cast<float>(1 / bias(settings.beta_second, step))};
}

void Optimiser::drift_of(std::uint32_t from, std::uint32_t to, float* drift) const {
    drift[0] = 0, drift[1] = 1, drift[2] = 1, drift[3] = floors_[from];
    if (from == 0 || from >= to) return;  // never touched: no momentum to spend
    const std::size_t gap = to - from;
    for (std::size_t j = 0; j < std::min(gap, TERMS); ++j) drift[0] += step_weights[from + j] * decay_powers_[j];
    drift[1] = power(first_powers_, settings.beta_first, gap);
    drift[2] = power(second_powers_, settings.beta_second, gap);
}

void Optimiser::drift_row(std::uint32_t row, std::uint32_t to) {
    float drift[DRIFT];
    drift_of(state.current[row], to, drift);
    state.current[row] = std::max(state.current[row], state.current[row] ? to : 0);
    if (drift[1] == 1) return;
    const std::size_t at = row * state.width;
    hot().drift(state.embeddings + at, state.first_moments + at, state.second_moments + at, state.width, drift);
}

void Optimiser::catch_up(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads) {
    const auto now = static_cast<std::uint32_t>(steps());
    std::vector<std::uint32_t> rows;
    std::vector<bool> seen(state.rows);
    for (const Sentence& sentence : sentences)
        for (std::size_t k = 0; k < sentence.count; ++k) {
            const std::uint32_t row = id_at(sentence, id_bytes, k);
            if (seen[row]) continue;
            seen[row] = true;
            if (state.current[row] != 0 && state.current[row] != now) rows.push_back(row);
        }
    in_pieces(threads, rows.size(), GRAIN, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) drift_row(rows[u], now);
    });
}

void Optimiser::settle(float* embeddings, std::size_t threads) const {
    const auto now = static_cast<std::uint32_t>(steps());
    in_pieces(threads, state.rows, GRAIN, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<float> first(state.width), second(state.width);
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t at = row * state.width;
            std::copy_n(state.embeddings + at, state.width, embeddings + at);
            if (state.current[row] == 0 || state.current[row] == now) continue;
            std::copy_n(state.first_moments + at, state.width, first.data());
            std::copy_n(state.second_moments + at, state.width, second.data());
            float drift[DRIFT];
            drift_of(state.current[row], now, drift);
            hot().drift(embeddings + at, first.data(), second.data(), state.width, drift);
        }
    });
}

}  // namespace calque
