"""Adam (Kingma and Ba, 2015), with ε under the root; on a table of which each step touches some rows.

A row without gradient still drifts under Adam: its moments decay and the rest of its momentum is spent. As in the
kernel (kernel/adam.hpp), that drift is made up when the row is next needed, so that a table of 200,000 rows costs no
more than the few thousand that a mini-batch holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BETA_FIRST, BETA_SECOND, EPSILON = 0.9, 0.999, 1e-8  # Adam's own defaults

_TERMS = 128  # of the drift's sum; the next is 10⁻⁶ of the first
_DECAY = (BETA_FIRST / BETA_SECOND**0.5) ** np.arange(1, _TERMS + 1)
_LARGEST = float(np.finfo(np.float32).max)  # PyTorch refuses a factor beyond
_NEVER_ZERO = 1e-30  # an element that never had a gradient has no moments, and must stay

Rows = npt.NDArray[np.int64]


def adam_step(values: Any, first: Any, second: Any, gradient: Any, rate: float, step: int) -> None:
    """One step, counted from 1, in place, on tensors of one shape."""
    first.lerp_(gradient, 1 - BETA_FIRST)
    second.mul_(BETA_SECOND).addcmul_(gradient, gradient, value=1 - BETA_SECOND)
    spread = (second / (1 - BETA_SECOND**step)).add_(EPSILON**2).sqrt_()
    values.addcdiv_(first, spread, value=-min(rate / (1 - BETA_FIRST**step), _LARGEST))


class RowAdam:
    """`current` is the step each row's drift has been applied to, 0 if it never had a gradient.

    `weights` are the steps' rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ).
    """

    def __init__(
        self,
        values: Any,
        first: Any,
        second: Any,
        current: npt.NDArray[np.uint32],
        weights: npt.NDArray[np.float32],
    ) -> None:
        self.values, self.first, self.second = values, first, second  # tensors
        self.current = current
        self.weights = weights

    def catch_up(self, rows: Rows) -> None:
        """Applies the drift of these rows up to the present."""
        due = rows[(self.current[rows] > 0) & (self.current[rows] < len(self.weights))]
        if len(due):
            index = _index(due)
            self._put(index, *self._drifted(due, *(each.index_select(0, index) for each in self._tensors)))
            self.current[due] = len(self.weights)

    def step(self, rows: Rows, gradient: Any, rate: float) -> None:
        """One step for these rows, which have caught up; all others begin to lag."""
        step, index = len(self.weights) + 1, _index(rows)
        values, first, second = (each.index_select(0, index) for each in self._tensors)
        adam_step(values, first, second, gradient, rate, step)
        self._put(index, values, first, second)
        weight = rate * (1 - BETA_SECOND**step) ** 0.5 / (1 - BETA_FIRST**step)
        self.weights = np.append(self.weights, np.float32(weight))
        self.current[rows] = step

    def settled(self) -> Any:
        """A copy with all drift applied: training must not depend on when somebody looked."""
        rows = np.flatnonzero((self.current > 0) & (self.current < len(self.weights)))
        values, index = self.values.clone(), _index(rows)
        values[index], *_ = self._drifted(rows, *(each.index_select(0, index) for each in self._tensors))
        return values

    @property
    def _tensors(self) -> tuple[Any, Any, Any]:
        return self.values, self.first, self.second

    def _put(self, index: Any, *parts: Any) -> None:
        for whole, part in zip(self._tensors, parts, strict=True):
            whole[index] = part

    def _drifted(self, rows: Rows, values: Any, first: Any, second: Any) -> tuple[Any, Any, Any]:
        begins, which = np.unique(self.current[rows].astype(np.int64), return_inverse=True)
        steps = begins[:, None] + np.arange(_TERMS)
        known = steps < len(self.weights)
        weights = np.where(known, self.weights[np.where(known, steps, 0)], 0)
        gaps = len(self.weights) - begins
        # In a step, ε² stands beside v / (1 − β₂ᵗ); here that correction is outside of the root, and the first step's.
        floors = EPSILON**2 * (1 - BETA_SECOND ** (begins + 1)) + _NEVER_ZERO

        def a_row(numbers: Any) -> Any:
            return values.new_tensor(numbers[which])[:, None]

        values.addcmul_(first * a_row(-(weights @ _DECAY)), (second + a_row(floors)).rsqrt_())
        return values, first.mul_(a_row(BETA_FIRST**gaps)), second.mul_(a_row(BETA_SECOND**gaps))


def _index(rows: Rows) -> Any:
    from ..encoder.pytorch import torch_module

    return torch_module().from_numpy(rows)
