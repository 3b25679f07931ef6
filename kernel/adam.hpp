// Adam (Kingma and Ba, 2015) whose untouched rows cost nothing and yet end where dense Adam would put them.
//
// A row without gradient still drifts under dense Adam: its moments decay and the rest of its momentum is spent. That
// drift has a closed form up to one scalar a gap, so it is applied in one go when the row is next needed.
#pragma once

#include "bag.hpp"
#include "hot.hpp"

namespace calque::CALQUE_TARGET {

// A row in some of its columns, with its moments.
struct Row {
    float* values;
    float* first;   // moment
    float* second;  // moment
    std::size_t width;
};

// Some steps without gradient: θ −= step · m / √(v + floor), m ·= decay_first, v ·= decay_second. The floor is ε², and
// never zero: an element that never had a gradient has m = v = 0 and must stay.
struct Drift {
    float step, decay_first, decay_second, floor;
    CALQUE_INLINE bool due() const { return decay_first != 1; }
};

static_assert(sizeof(Drift) == DRIFT * sizeof(float));

// Only the values: they are needed before a step, and the step itself decays the moments.
CALQUE_INLINE void drift_values(const Row& row, const Drift& drift) {
    for (std::size_t at = 0; at < row.width; at += LANES)
        store(row.values + at, load<Floats>(row.values + at) - drift.step * load<Floats>(row.first + at) *
                                                                   inverse_root(load<Floats>(row.second + at) + drift.floor));
}

CALQUE_INLINE void drift_row(const Row& row, const Drift& drift) {
    drift_values(row, drift);
    scale_in_place(row.first, row.width, drift.decay_first);
    scale_in_place(row.second, row.width, drift.decay_second);
}

struct AdamStep {
    float rate;            // learning rate over the first moment's bias correction
    float second_inverse;  // 1 / (1 − β₂ᵗ)
    float beta_first;
    float beta_second;
    float epsilon;  // stands under the root, as ε²: it only matters where a gradient is next to nothing
};

CALQUE_INLINE void adam_row(const Row& row, const float* gradient, const AdamStep& step, const Drift& drift) {
    const float keep_first = step.beta_first * drift.decay_first, keep_second = step.beta_second * drift.decay_second;
    for (std::size_t at = 0; at < row.width; at += LANES) {
        const Floats slope = load<Floats>(gradient + at);
        const Floats first = keep_first * load<Floats>(row.first + at) + (1 - step.beta_first) * slope;
        const Floats second = keep_second * load<Floats>(row.second + at) + (1 - step.beta_second) * slope * slope;
        store(row.first + at, first);
        store(row.second + at, second);
        const Floats spread = second * step.second_inverse + step.epsilon * step.epsilon;
        store(row.values + at, load<Floats>(row.values + at) - step.rate * first * inverse_root(spread));
    }
}

}  // namespace calque::CALQUE_TARGET
