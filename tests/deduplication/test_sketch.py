"""A sketch never underestimates, so nothing near is ruled out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.deduplication.sketch import Sketch


@given(st.integers(0, 1000), st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_dot_products_are_never_below_the_true_ones(seed: int, dimension: int, head: int, fitting: bool) -> None:
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(30, dimension)).astype(np.float32)
    vectors[0] = 0
    vectors[1:] /= np.linalg.norm(vectors[1:], axis=1, keepdims=True)
    sketch = Sketch(vectors if fitting else vectors[:1], head)
    short = sketch(vectors)
    assert short.shape == (30, sketch.width)
    assert (short @ short.T >= vectors @ vectors.T - 2e-6).all()


def test_nothing_is_lost_where_the_vectors_are_short_anyway() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, 8)).astype(np.float32)
    short = Sketch(vectors)(vectors)
    assert short @ short.T == pytest.approx(vectors @ vectors.T, abs=1e-4)
