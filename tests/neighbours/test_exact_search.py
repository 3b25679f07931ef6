"""Exact search from 8-bit codes and from blocks of the product, against sorting every product."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sorting import (
    KINDS,
    assert_same,
    crowded_vectors,
    equal_vectors,
    random_vectors,
    sorted_products,
)

from calque.neighbours import Neighbours
from calque.neighbours.codes import code
from calque.neighbours.product import search_by_product
from calque.neighbours.scan import search_exactly

# Around the 4 rows that are looked at together, the 256 of a piece and the 4,096 that a thread fetches.
COUNTS = st.one_of(st.integers(1, 40), st.sampled_from([255, 256, 257, 300]))
WIDTHS = st.sampled_from([1, 2, 7, 8, 15, 16, 17, 31, 33, 48, 300])


@given(
    kind=st.sampled_from(KINDS),
    count=COUNTS,
    asked=st.sampled_from([1, 2, 3, 16, 17, 65, 70]),
    width=WIDTHS,
    k=st.sampled_from([1, 2, 3, 10, 400]),
    share_deleted=st.sampled_from([None, 0.0, 0.5, 1.0]),
    threads=st.integers(1, 3),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=300)
def test_the_answer_is_that_of_sorting_every_product_with_ties_to_the_earlier(
    kind: Callable[[int, int, int], Any],
    count: int,
    asked: int,
    width: int,
    k: int,
    share_deleted: float | None,
    threads: int,
    seed: int,
) -> None:
    vectors = kind(count, width, seed)
    queries = np.concatenate([vectors[:asked], kind(asked, width, seed + 1)])[:asked]
    queries[asked // 2] = 0
    deleted = None
    if share_deleted is not None:
        deleted = (np.random.default_rng(seed).random(count) < share_deleted).astype(np.uint8)
    found = search_exactly(queries, vectors, code(vectors), k, deleted=deleted, threads=threads)
    assert_same(found, sorted_products(queries, vectors, k, deleted))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [1, 66])
def test_nothing_is_lost_where_blocks_and_pieces_meet(kind: Callable[[int, int, int], Any], asked: int) -> None:
    vectors = kind(4096 * 2 + 5, 20, 1)
    queries = np.concatenate([vectors[[0, 4095, 4096, 8191, 8192, -1]], kind(60, 20, 2)])[:asked]
    found = search_exactly(queries, vectors, code(vectors), 10, threads=2)
    assert_same(found, sorted_products(queries, vectors, 10))


def test_more_queries_than_a_block_holds_are_all_answered() -> None:
    vectors, queries = random_vectors(60, 24, 1), random_vectors(2050, 24, 2)
    assert_same(search_exactly(queries, vectors, code(vectors), 5), sorted_products(queries, vectors, 5))


def test_one_query_and_many_get_the_same_answers() -> None:
    vectors, queries = crowded_vectors(500, 100, 1), random_vectors(80, 100, 2)
    codes = code(vectors)
    together = search_exactly(queries, vectors, codes, 7)
    for at in range(len(queries)):
        alone = search_exactly(queries[at : at + 1], vectors, codes, 7)
        assert_same(alone, Neighbours(together.index[at : at + 1], together.cosine[at : at + 1]))


def test_the_product_says_when_it_cannot_be_sure() -> None:
    """With more equals than are kept beside the k best, which of them came first is not known from the product."""
    vectors = np.repeat(random_vectors(2, 30, 1), 50, axis=0)
    assert search_by_product(vectors[:1], vectors, 3).unsure.tolist() == [0]
    assert search_by_product(vectors[:1], vectors[45:55], 3).unsure.tolist() == []
    spread = random_vectors(300, 30, 2)
    assert search_by_product(spread[:20], spread, 3).unsure.tolist() == []


def test_queries_that_are_a_view_of_something_larger_are_read_rightly() -> None:
    vectors, wide = random_vectors(50, 16, 1), random_vectors(70, 32, 2)
    for asked in (3, 70):
        queries = wide[:asked, ::2]
        found = search_exactly(queries, vectors, code(vectors), 4)
        assert_same(found, sorted_products(np.ascontiguousarray(queries), vectors, 4))


def results() -> dict[str, Any]:
    found = {}
    for kind in KINDS:
        vectors = kind(700, 40, 3)
        for asked in (2, 70):
            answer = search_exactly(kind(asked, 40, 4), vectors, code(vectors), 9, threads=2)
            found[f"{kind.__name__}.{asked}"] = np.stack([answer.index, answer.cosine.view(np.int32)])
    return found


SCRIPT = """
import sys
sys.path[:0] = sys.argv[2:]
import numpy, test_exact_search
numpy.savez(sys.argv[1], **test_exact_search.results())
from calque import _kernel
print(_kernel.target())
"""


@pytest.mark.parametrize("target", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_bits(target: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "results.npz"), str(Path(__file__).parent)]
    done = subprocess.run(command, env=os.environ | {"CALQUE_KERNEL": target}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if done.stdout.strip() != target:
        pytest.skip(f"this machine has no {target}")
    expected = results()
    with np.load(tmp_path / "results.npz") as found:
        for name, answer in expected.items():
            np.testing.assert_array_equal(found[name], answer, err_msg=name)


def test_equal_vectors_of_every_kind_are_among_those_tested() -> None:
    """The ties that the tests above rely on are really there."""
    vectors = equal_vectors(40, 2, 1)
    assert len(np.unique(vectors, axis=0)) < 10
    assert (vectors == 0).all(axis=1).any()
