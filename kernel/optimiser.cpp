#include "optimiser.hpp"

#include <algorithm>
#include <cmath>

#include "sentence.hpp"
#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t TERMS = 128;  // of the drift's sum; the next is 10⁻⁶ of the first
constexpr float TINY = 1e-30f;
constexpr std::size_t GRAIN = 256;  // rows a thread fetches at a time

double bias(float beta, std::size_t step) { return 1 - std::pow(static_cast<double>(beta), static_cast<double>(step)); }

}  // namespace

Optimiser::Optimiser(const State& state_, const AdamSettings& settings_) : state(state_), settings(settings_) {
    const double ratio = static_cast<double>(settings.beta_first) / std::sqrt(static_cast<double>(settings.beta_second));
    for (std::size_t j = 1; j <= TERMS; ++j) decay_powers_.push_back(static_cast<float>(std::pow(ratio, j)));
}

void Optimiser::announce(float learning_rate) {
    const std::size_t step = steps() + 1;
    const double first = bias(settings.beta_first, step), second = bias(settings.beta_second, step);
    step_weights.push_back(static_cast<float>(static_cast<double>(learning_rate) * std::sqrt(second) / first));
}

StepRates Optimiser::rates(std::size_t step, float learning_rate) const {
    return {static_cast<float>(static_cast<double>(learning_rate) / bias(settings.beta_first, step)),
            static_cast<float>(1 / bias(settings.beta_second, step))};
}

void Optimiser::drift_of(std::uint32_t from, std::uint32_t to, float* drift) const {
    if (from == 0 || from >= to) {  // never touched: no momentum to spend
        drift[0] = 0, drift[1] = 1, drift[2] = 1, drift[3] = TINY;
        return;
    }
    float sum = 0;
    const std::size_t terms = std::min<std::size_t>(to - from, TERMS);
    for (std::size_t j = 0; j < terms; ++j) sum += step_weights[from + j] * decay_powers_[j];
    drift[0] = sum;
    drift[1] = std::pow(settings.beta_first, static_cast<float>(to - from));
    drift[2] = std::pow(settings.beta_second, static_cast<float>(to - from));
    // ε² stands beside v/(1 − β₂ᵗ) in a step; here the correction is taken out of the root. Most drift is in the first step.
    const float damping = static_cast<float>(bias(settings.beta_second, from + 1));
    drift[3] = settings.epsilon * settings.epsilon * damping + TINY;
}

void Optimiser::catch_up(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads) {
    const auto now = static_cast<std::uint32_t>(steps());
    std::vector<std::uint32_t> rows, from;
    for (const Sentence& sentence : sentences)
        for (std::size_t k = 0; k < sentence.count; ++k) {
            const std::uint32_t row = id_at(sentence, id_bytes, k);
            if (state.current[row] == 0 || state.current[row] == now) continue;
            rows.push_back(row);
            from.push_back(state.current[row]);
            state.current[row] = now;
        }
    in_pieces(threads, rows.size(), GRAIN, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) {
            float drift[DRIFT];
            drift_of(from[u], now, drift);
            const std::size_t at = rows[u] * state.width;
            hot().drift(state.embeddings + at, state.first_moments + at, state.second_moments + at, state.width, drift);
        }
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
