// Adam (Kingma and Ba, 2015) whose untouched rows cost nothing and yet end where dense Adam would put them.
//
// A row without gradient still drifts under dense Adam: its moments decay and the rest of its momentum is spent. That
// drift has a closed form up to one scalar a gap, so all of it is applied in one go.
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

// By value here and below: what is behind a reference would be read again after every store.
CALQUE_INLINE void drift_row(const Row row, const Drift drift) {
    for (std::size_t at = 0; at < row.width; at += WIDTH) {
        const Numbers first = load<Numbers>(row.first + at), second = load<Numbers>(row.second + at);
        store(row.values + at, load<Numbers>(row.values + at) - drift.step * first * inverse_root(second + drift.floor));
        store(row.first + at, first * drift.decay_first);
        store(row.second + at, second * drift.decay_second);
    }
}

struct AdamStep {
    float rate;            // learning rate over the first moment's bias correction
    float second_inverse;  // 1 / (1 − β₂ᵗ)
    float beta_first;
    float beta_second;
    float epsilon;  // stands under the root, as ε²: it only matters where a gradient is next to nothing
};

// The step, and with it the drift until the row is touched again, while all of it is at hand. Leaves the gradient at zero.
CALQUE_INLINE void adam_row(const Row row, float* gradient, const AdamStep step, const Drift drift) {
    for (std::size_t at = 0; at < row.width; at += WIDTH) {
        const Numbers slope = load<Numbers>(gradient + at);
        store(gradient + at, Numbers{});
        const Numbers first = step.beta_first * load<Numbers>(row.first + at) + (1 - step.beta_first) * slope;
        const Numbers second = step.beta_second * load<Numbers>(row.second + at) + (1 - step.beta_second) * slope * slope;
        const Numbers spread = second * step.second_inverse + step.epsilon * step.epsilon;
        Numbers values = load<Numbers>(row.values + at) - step.rate * first * inverse_root(spread);
        if (drift.due()) values -= drift.step * first * inverse_root(second + drift.floor);
        store(row.values + at, values);
        store(row.first + at, first * drift.decay_first);
        store(row.second + at, second * drift.decay_second);
    }
}

}  // namespace calque::CALQUE_TARGET
