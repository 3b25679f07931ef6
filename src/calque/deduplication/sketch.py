"""Short vectors whose dot products are never below those of the long ones: most pairs can be ruled out by them.

Turned so that the first coordinates hold most of the length, a vector is cut after them, and the length of what was cut
off becomes one more coordinate. By Cauchy and Schwarz, the rests' dot product is at most the product of their lengths:

    a·b ≤ head(a)·head(b) + |rest(a)| |rest(b)|

so where the short vectors fall below a threshold, the long ones do too, and nothing is missed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

HEAD = 48  # coordinates kept


class Sketch:
    """Made to fit a sample; any vectors of that dimension may be sketched, it is just less sharp for others."""

    def __init__(self, sample: Vectors, head: int = HEAD) -> None:
        second_moments = (sample.T @ sample).astype(np.float64)
        turned = np.linalg.eigh(second_moments).eigenvectors[:, ::-1]  # the longest axis first
        self._turn = np.ascontiguousarray(turned, np.float32)
        self._head: int = min(head, sample.shape[1])

    @property
    def width(self) -> int:
        return self._head + 1

    def __call__(self, vectors: Vectors) -> Vectors:
        """(n, width)"""
        turned = vectors @ self._turn
        rest = np.linalg.norm(turned[:, self._head :], axis=1, keepdims=True)
        return np.concatenate([turned[:, : self._head], rest], axis=1, dtype=np.float32)
