"""Lines go in and come out as they were; what is the same is one unit."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.deduplication import Store, find_duplicates, leaders
from calque.deduplication import store as module
from calque.errors import CalqueError
from strategies import texts

DIMENSION = 256


def filled(rows: list[tuple[str, ...]], batch: int) -> Store:
    store = Store(len(rows[0]), 2)
    for begin in range(0, len(rows), batch):
        fresh = store.take(rows[begin : begin + batch])
        store.add_vectors([np.full((len(fresh), 2), begin, np.float32)] * store.sides)
    return store


@pytest.mark.parametrize("sides", [1, 2])
@given(data=st.data())
@settings(max_examples=50)
def test_lines_come_out_in_any_order_as_they_went_in(sides: int, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*[texts] * sides), min_size=1, max_size=30))
    with filled(rows, data.draw(st.integers(1, 10))) as store:
        wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=40))
        assert list(store.rows(np.array(wanted, np.int64))) == [rows[at] for at in wanted]
        assert list(store.rows(np.arange(len(rows)))) == rows


def test_the_same_text_is_one_unit_and_a_blank_line_none() -> None:
    rows = [("a",), ("",), ("b",), ("a",), ("A",), (" ",), ("b",)]
    for batch in (1, 3, 10):
        with filled(rows, batch) as store:
            assert store.unit_lines().tolist() == [0, 2, 4]
            assert store.unit_of().tolist() == [0, -1, 1, 0, 2, -1, 1]
            assert store.units().vectors.shape == (3, 2)
            assert (store.lines, store.count) == (7, 3)


def test_numbers_in_memory_do_not_grow_with_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("x" * 100_000 + str(number),) for number in range(20)]
    with filled(rows, 5) as store:
        held = sum(
            part.nbytes
            for column in vars(store).values()
            if isinstance(column, module._Column)
            for part in column._parts
        )
        assert held <= 20 * (16 + 32)


def test_temporary_files_have_no_name_and_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with filled([("a",), ("b",)], 1) as store:
        assert len(list(store.rows(np.arange(2)))) == 2
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_with_the_way_out() -> None:
    with Store(1, 2) as store:
        store._texts = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 (the store closes it)
        with pytest.raises(CalqueError, match="No space left") as raised:
            store.take([("a",)])
        assert "TMPDIR" in (raised.value.hint or "")


def peak_of_finding(lines: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Bytes of memory that finding duplicates takes at most; what is mapped from disk does not count."""
    monkeypatch.setattr(leaders, "_SAMPLE", 128)
    monkeypatch.setattr(leaders, "_ROWS", 256)
    monkeypatch.setattr(leaders, "_COLUMNS", 512)
    chance = np.random.default_rng(1)
    tracemalloc.start()
    with Store(1, DIMENSION) as store:
        for begin in range(0, lines, 100):
            fresh = store.take([(f"line {at}",) for at in range(begin, begin + 100)])
            vectors = chance.normal(size=(len(fresh), DIMENSION)).astype(np.float32)
            store.add_vectors([vectors / np.linalg.norm(vectors, axis=1, keepdims=True)])
        found = find_duplicates(store, 0.9)
        assert len(found.kept) == lines
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_by_some_numbers_a_line_and_not_by_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (peak_of_finding(lines, monkeypatch) for lines in (1000, 4000))
    assert (many - few) / 3000 < 200  # bytes; a vector has 1,024


def test_without_any_folder_for_temporary_files_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(**options: object) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    with pytest.raises(CalqueError, match="cannot write temporary files: No usable temporary directory") as raised:
        Store(1, 2)
    assert "TMPDIR" in (raised.value.hint or "")
