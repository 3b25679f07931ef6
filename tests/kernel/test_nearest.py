"""The k best of each row and each column, kept while blocks of cosines come in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _kernel


class Kept(NamedTuple):
    row_cosine: npt.NDArray[np.float32]
    row_index: npt.NDArray[np.int32]
    column_cosine: npt.NDArray[np.float32]
    column_index: npt.NDArray[np.int32]


def nothing(rows: int, columns: int, k: int) -> Kept:
    return Kept(
        np.full((rows, k), -2, np.float32),
        np.full((rows, k), -1, np.int32),
        np.full((columns, k), -2, np.float32),
        np.full((columns, k), -1, np.int32),
    )


def offered(cosines: Any, k: int, block: tuple[int, int], threads: int = 1) -> Kept:
    kept = nothing(*cosines.shape, k)
    for row in range(0, cosines.shape[0], block[0]):
        for column in range(0, cosines.shape[1], block[1]):
            rows, columns = slice(row, row + block[0]), slice(column, column + block[1])
            part = np.ascontiguousarray(cosines[rows, columns])
            _kernel.offer_one_way(part, column, kept.row_cosine[rows], kept.row_index[rows], threads)
            turned = np.ascontiguousarray(part.T)
            _kernel.offer_one_way(turned, row, kept.column_cosine[columns], kept.column_index[columns], threads)
    return kept


def best_of_rows(cosines: Any, k: int) -> tuple[Any, Any]:
    """The slow twin: sort everything, the earlier of equals first."""
    index = np.full((len(cosines), k), -1, np.int32)
    cosine = np.full((len(cosines), k), -2, np.float32)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    index[:, : order.shape[1]] = order
    cosine[:, : order.shape[1]] = np.take_along_axis(cosines, order, axis=1)
    return cosine, index


def expected(cosines: Any, k: int) -> Kept:
    return Kept(*best_of_rows(cosines, k), *best_of_rows(cosines.T, k))


def assert_same(found: Kept, wanted: Kept) -> None:
    for name in Kept._fields:
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)


def few_values(rows: int, columns: int, seed: int) -> Any:
    """Cosines with many equals among them."""
    return np.random.default_rng(seed).integers(-6, 7, (rows, columns)).astype(np.float32) / 8


# Around the 16 columns that are looked at together, the 256 that a thread takes, and the 16 rows.
SIZES = st.one_of(st.integers(1, 40), st.sampled_from([15, 16, 17, 255, 256, 257, 272]))


@given(
    rows=SIZES,
    columns=SIZES,
    k=st.sampled_from([1, 2, 4, 5, 16, 50]),
    block=st.tuples(st.sampled_from([1, 7, 16, 300]), st.sampled_from([1, 15, 16, 17, 300])),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=150)
def test_the_answer_is_that_of_sorting_everything_with_ties_to_the_earlier(
    rows: int, columns: int, k: int, block: tuple[int, int], seed: int
) -> None:
    rows, columns = (rows, columns) if block[0] > 1 or block[1] > 1 else (min(rows, 30), min(columns, 30))
    cosines = few_values(rows, columns, seed)
    for threads in (1, 2, 3):
        assert_same(offered(cosines, k, block, threads), expected(cosines, k))


def test_a_cosine_that_is_not_a_number_is_never_kept() -> None:
    cosines = few_values(20, 37, seed=1)
    cosines[3], cosines[:, 18] = np.nan, np.nan
    known = np.where(np.isnan(cosines), np.float32(-2), cosines)
    found, wanted = offered(cosines, 4, (20, 37)), expected(known, 4)
    np.testing.assert_array_equal(found.row_cosine, wanted.row_cosine)
    np.testing.assert_array_equal(found.column_cosine, wanted.column_cosine)
    assert (found.row_index[3] == -1).all()
    assert (found.column_index[18] == -1).all()


def test_the_lowest_cosine_is_kept_where_there_is_no_other() -> None:
    found = offered(np.full((1, 1), -1, np.float32), 2, (1, 1))
    assert found.row_index.tolist() == [[0, -1]]
    assert found.column_cosine.tolist() == [[-1, -2]]


def test_rising_cosines_each_push_the_others_down() -> None:
    cosines = np.linspace(-1, 1, 100, dtype=np.float32).reshape(1, 100)
    assert offered(cosines, 3, (1, 16)).row_index.tolist() == [[99, 98, 97]]


TWO_AND_THREE = (np.zeros((2, 8), np.float32), np.zeros((3, 8), np.float32))


@pytest.mark.parametrize(
    ("first_row", "first_column", "kept"),
    [
        (1, 0, nothing(2, 3, 4)),
        (0, 1, nothing(2, 3, 4)),
        (0, 0, nothing(1, 3, 4)),
        (0, 0, nothing(2, 2, 4)),
        (0, 0, nothing(2, 3, 0)),
        (0, 0, nothing(2, 3, 4)._replace(row_index=np.zeros((2, 3), np.int32))),
        (0, 0, nothing(2, 3, 4)._replace(column_index=np.zeros((2, 4), np.int32))),
    ],
    ids=["row", "column", "few rows", "few columns", "no k", "k differs", "columns differ"],
)
def test_a_block_that_does_not_fit_is_refused(first_row: int, first_column: int, kept: Kept) -> None:
    with pytest.raises(ValueError, match=r"outside|a place for each"):
        _kernel.meet(*TWO_AND_THREE, first_row, first_column, *kept, 1)


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="thread"):
        _kernel.meet(*TWO_AND_THREE, 0, 0, *nothing(2, 3, 4), 0)


def test_arrays_that_would_have_to_be_copied_are_refused() -> None:
    """What is kept must be changed in place."""
    kept = nothing(2, 3, 4)
    with pytest.raises(TypeError):
        _kernel.meet(*TWO_AND_THREE, 0, 0, kept.row_cosine.astype(np.float64), *kept[1:], 1)


def results() -> dict[str, Any]:
    return offered(few_values(90, 275, seed=2), 4, (40, 100), threads=2)._asdict()


SCRIPT = """
import sys
sys.path[:0] = sys.argv[2:]
import numpy, test_nearest
numpy.savez(sys.argv[1], **test_nearest.results())
print(test_nearest._kernel.target())
"""


@pytest.mark.parametrize("target", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_answer(target: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "results.npz"), str(Path(__file__).parent)]
    done = subprocess.run(command, env=os.environ | {"CALQUE_KERNEL": target}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if done.stdout.strip() != target:
        pytest.skip(f"this machine has no {target}")
    with np.load(tmp_path / "results.npz") as found:
        assert_same(Kept(**found), expected(few_values(90, 275, seed=2), 4))
