"""Entries with exactly the text of an earlier one. A search finds each of them, so one text fills several places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import xxhash

from .. import _kernel
from .segment import Segment
from .snapshot import Snapshot

_ROWS, _BYTES = 1 << 15, 1 << 23  # looked at together
_SLOTS = 1 << 25  # of 8 bytes: certain for 26 million entries, and for more the count may be too low

_Rows = npt.NDArray[np.int64]


def count_repeats(snapshot: Snapshot, since: int) -> int:
    """The entries with an id of `since` or more whose text an earlier entry has; deleted ones do not count.

    Of entries before `since`, only those as long as a later one are read.
    """
    later = [_lengths(segment)[_from(segment, since) :] for segment in snapshot.segments]
    lengths = np.unique(np.concatenate(later)) if later else np.zeros(0, np.int64)
    seen, repeats = _kernel.Seen(_SLOTS), 0
    for segment, deleted in zip(snapshot.segments, snapshot.deleted, strict=True):
        there = np.ones(len(segment), bool) if deleted is None else deleted == 0
        begin = _from(segment, since)
        there[:begin] &= np.isin(_lengths(segment)[:begin], lengths)
        for one, end in _windows(segment):
            rows = one + np.flatnonzero(there[one:end])
            repeats += int((seen.add(_hashes(segment, rows)) & (rows >= begin)).sum())
    return repeats


def _from(segment: Segment, since: int) -> int:
    """The first row with this id or a later one."""
    return int(np.searchsorted(segment.ids, since))


def _lengths(segment: Segment) -> _Rows:
    offsets = segment.offsets.astype(np.int64)
    return offsets[1:] - offsets[:-1]


def _windows(segment: Segment) -> Iterator[tuple[int, int]]:
    """Rows that follow one another, not too many and with not too much text."""
    begin = 0
    while begin < len(segment):
        within = int(np.searchsorted(segment.offsets, segment.offsets[begin] + np.uint64(_BYTES)))
        end = min(max(within, begin + 1), begin + _ROWS, len(segment))
        yield begin, end
        begin = end


def _hashes(segment: Segment, rows: _Rows) -> npt.NDArray[np.uint64]:
    if not len(rows):
        return np.zeros(0, np.uint64)
    base = int(segment.offsets[rows[0]])
    text = segment.bytes_of(int(rows[0]), int(rows[-1]) + 1)
    begins, ends = (segment.offsets[rows + more].astype(np.int64) - base for more in (0, 1))
    texts = [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return np.fromiter(map(xxhash.xxh3_64_intdigest, texts), np.uint64, len(texts))
