"""When segments are joined and rewritten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.index.merging import first_to_join


@given(st.lists(st.integers(1, 50), min_size=1, max_size=200))
def test_segments_stay_few_and_rows_are_seldom_copied(additions: list[int]) -> None:
    """Each segment has at least twice the rows of the next ones together."""
    segments: list[int] = []
    copied = 0
    for rows in additions:
        segments.append(rows)
        first = first_to_join(segments)
        if first < len(segments) - 1:
            copied += sum(segments[first:])
        segments[first:] = [sum(segments[first:])]
        for at in range(len(segments) - 1):
            assert segments[at] >= 2 * segments[at + 1]
    total = sum(additions)
    assert sum(segments) == total
    assert len(segments) <= total.bit_length()
    assert copied <= 2 * total * total.bit_length()


def test_small_additions_are_joined_and_large_segments_left_alone(index: calque.Index) -> None:
    index.add(["dog"])
    assert index.describe()["segments"] == 2
    index.add(["cat"])
    assert index.describe()["segments"] == 1 + 1  # 6, then 1 and 1
    index.add(["dog"] * 10)
    assert index.describe()["segments"] == 1
    assert len(index) == 18


def test_deletions_are_marked_until_a_quarter_is_gone(index: calque.Index) -> None:
    index.delete([1])
    assert (index.describe()["deleted"], len(list(index.path.glob("deleted-*")))) == (1, 1)
    size = index.describe()["megabytes"]
    index.delete([2])
    assert (index.describe()["deleted"], len(list(index.path.glob("deleted-*")))) == (0, 0)
    assert index.describe()["megabytes"] <= size
    assert len(index) == 4


def test_joining_leaves_deleted_entries_behind(index: calque.Index) -> None:
    index.delete([1])
    index.add(["cat"] * 10)
    assert (index.describe()["deleted"], index.describe()["segments"], len(index)) == (0, 1, 15)
    assert 1 not in {hit.id for hit in index.search(["dog"], k=100)[0]}


def test_deletions_in_segments_that_are_left_alone_are_remembered(index: calque.Index) -> None:
    index.add(["cat"])
    index.delete([1, 8])
    assert (index.describe()["deleted"], index.describe()["segments"]) == (1, 1)
    assert {hit.id for hit in index.search(["dog"], k=100)[0]} == {2, 4, 5, 6, 7}
