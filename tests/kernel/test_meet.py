"""The best of each row and column of a product, without the product: against one that is made and sorted."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _kernel

TIGHT = 2e-6  # what float32 may lose in a sum of some hundred products


def nothing(rows: int, columns: int, k: int) -> list[Any]:
    return [
        *(np.full((rows, k), -2, np.float32), np.full((rows, k), -1, np.int32)),
        *(np.full((columns, k), -2, np.float32), np.full((columns, k), -1, np.int32)),
    ]


def vectors(count: int, depth: int, seed: int) -> Any:
    drawn = np.random.default_rng(seed).standard_normal((count, depth)).astype(np.float32)
    return drawn / np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-9)


def assert_best(products: Any, cosine: Any, index: Any, k: int) -> None:
    """The k largest numbers of each row, in their order, and where they stand."""
    best = -np.sort(-products, axis=1)[:, :k]
    np.testing.assert_allclose(cosine[:, : best.shape[1]], best, atol=TIGHT)
    np.testing.assert_allclose(np.take_along_axis(products, index[:, : best.shape[1]], 1), best, atol=2 * TIGHT)
    assert (index[:, best.shape[1] :] == -1).all()
    for row in index[:, : best.shape[1]]:
        assert len(set(row.tolist())) == len(row)


@given(
    rows=st.integers(1, 120),
    columns=st.integers(1, 90),
    depth=st.integers(1, 70),
    k=st.integers(1, 9),
    threads=st.integers(1, 3),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=80)
def test_the_best_of_rows_and_columns(rows: int, columns: int, depth: int, k: int, threads: int, seed: int) -> None:
    source, target = vectors(rows, depth, seed), vectors(columns, depth, seed + 1)
    kept = nothing(rows, columns, k)
    _kernel.meet(source, target, 0, 0, *kept, threads)
    products = source.astype(np.float64) @ target.T.astype(np.float64)
    assert_best(products, kept[0], kept[1], k)
    assert_best(products.T, kept[2], kept[3], k)


def test_how_blocks_and_threads_are_cut_changes_nothing() -> None:
    source, target = vectors(700, 48, 1), vectors(500, 48, 2)
    whole = nothing(700, 500, 5)
    _kernel.meet(source, target, 0, 0, *whole, 1)
    for rows, columns, threads in ((100, 77, 2), (333, 500, 3), (700, 16, 1)):
        parts = nothing(700, 500, 5)
        for row in range(0, 700, rows):
            for column in range(0, 500, columns):
                block = source[row : row + rows], target[column : column + columns]
                _kernel.meet(*block, row, column, *parts, threads)
        for one, two in zip(parts, whole, strict=True):
            np.testing.assert_array_equal(one, two)


def test_of_equals_the_first_stays() -> None:
    same = np.repeat(vectors(1, 24, 3), 40, axis=0)
    kept = nothing(40, 40, 3)
    _kernel.meet(same, same, 0, 0, *kept, 2)
    assert (kept[1] == [0, 1, 2]).all()
    assert (kept[3] == [0, 1, 2]).all()


@pytest.mark.parametrize("odd", [0.0, 1e-38, np.nan, np.inf])
def test_vectors_of_no_length_or_no_numbers_do_no_harm_to_others(odd: float) -> None:
    source, target = vectors(30, 20, 4), vectors(25, 20, 5)
    source[7], target[9] = odd, odd
    kept = nothing(30, 25, 4)
    _kernel.meet(source, target, 0, 0, *kept, 1)
    clean = [at for at in range(30) if at != 7]
    others = [at for at in range(25) if at != 9]
    products = source[clean].astype(np.float64) @ target[others].T.astype(np.float64)
    for row, at in enumerate(clean):
        found = [int(each) for each in kept[1][at] if each not in (9, -1)][:3]
        assert found == [others[each] for each in np.argsort(-products[row])[: len(found)]]


def test_every_instruction_set_finds_the_same() -> None:
    code = (
        "import numpy as np; from calque import _kernel; d = np.random.default_rng(6);"
        "s, t = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in"
        " (d.standard_normal((300, 52)).astype('f'), d.standard_normal((200, 52)).astype('f')));"
        "k = [np.full((300, 4), -2, 'f'), np.full((300, 4), -1, 'i4'), np.full((200, 4), -2, 'f'),"
        " np.full((200, 4), -1, 'i4')]; _kernel.meet(s, t, 0, 0, *k, 2);"
        "print(_kernel.target(), k[1].tolist(), k[3].tolist())"
    )
    answers = {}
    for name in ("baseline", "avx2", "avx512"):
        environment = {**os.environ, "CALQUE_KERNEL": name}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        used, _, found = done.stdout.partition(" ")
        answers[used] = found
    assert len(set(answers.values())) == 1


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        _kernel.meet(vectors(3, 8, 1), vectors(3, 9, 1), 0, 0, *nothing(3, 3, 2), 1)
    with pytest.raises(ValueError, match="outside"):
        _kernel.meet(vectors(3, 8, 1), vectors(3, 8, 1), 1, 0, *nothing(3, 3, 2), 1)
