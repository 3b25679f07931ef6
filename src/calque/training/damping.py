"""Rows brought nearer to one length, once they are learnt.

A row grows with the number of steps that touch it, whatever its piece tells. After many steps, a few long rows outweigh
the others in an average.
"""

from __future__ import annotations

import numpy as np

from ..encoder.protocol import Vectors


def damped(rows: Vectors, power: float) -> Vectors:
    """Divide each row by a power of its length, in units of the mean length: by 1, all rows get the same length."""
    if power == 0:
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    live = lengths > 0
    relative = np.divide(lengths, lengths[live].mean() if live.any() else 1.0, where=live, out=np.ones_like(lengths))
    return np.asarray(rows * relative**-power, np.float32)
