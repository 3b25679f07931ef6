// Adam (Kingma and Ba, 2015) whose untouched rows cost nothing and yet end where dense Adam would put them.
//
// A row without gradient still drifts under dense Adam: its moments decay and the rest of its momentum is spent. That
// drift has a closed form up to one scalar a gap, so it is applied in one go when the row is next needed.
#pragma once

#include "vector.hpp"

namespace calque::CALQUE_TARGET {

struct Moments {
    float* first;
    float* second;
};

// `gap` steps without gradient: θ −= drift · m / √v, m ·= decay_first, v ·= decay_second.
struct Drift {
    float step;
    float decay_first;
    float decay_second;
};

CALQUE_INLINE Floats square_root(const Floats& value) {
    Floats root;
    for (std::size_t lane = 0; lane < LANES; ++lane) root[lane] = __builtin_sqrtf(value[lane]);
    return root;
}

CALQUE_INLINE void drift_row(float* row, Moments moments, std::size_t tiles, const Drift& drift) {
    constexpr float TINY = 1e-30f;  // an element that never had a gradient has m = v = 0 and must stay
    for (std::size_t at = 0; at < tiles * LANES; at += LANES) {
        const Floats first = load<Floats>(moments.first + at);
        const Floats second = load<Floats>(moments.second + at);
        store(row + at, load<Floats>(row + at) - drift.step * first / square_root(second + TINY));
        store(moments.first + at, first * drift.decay_first);
        store(moments.second + at, second * drift.decay_second);
    }
}

struct AdamStep {
    float rate;             // learning rate over the first moment's bias correction
    float second_inverse;   // 1 / (1 − β₂ᵗ)
    float beta_first;
    float beta_second;
    float epsilon;
};

CALQUE_INLINE void adam_row(float* row, Moments moments, const float* gradient, std::size_t tiles, const AdamStep& step) {
    for (std::size_t at = 0; at < tiles * LANES; at += LANES) {
        const Floats slope = load<Floats>(gradient + at);
        const Floats first = step.beta_first * load<Floats>(moments.first + at) + (1 - step.beta_first) * slope;
        const Floats second = step.beta_second * load<Floats>(moments.second + at) + (1 - step.beta_second) * slope * slope;
        store(moments.first + at, first);
        store(moments.second + at, second);
        const Floats spread = square_root(second * step.second_inverse) + step.epsilon;
        store(row + at, load<Floats>(row + at) - step.rate * first / spread);
    }
}

}  // namespace calque::CALQUE_TARGET
