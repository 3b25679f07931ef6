"""When segments are rewritten, and how.

Adding: a new segment is joined with those before it for as long as they have fewer than twice the rows joined so far.
So each has at least twice the rows of all that follow: there are few, and a row is copied a few times at most.

Deleting: a segment of which a quarter or more is deleted is rewritten without that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..neighbours import Codes
from ..neighbours.product import Marks
from .segment import Segment
from .writer import Rows, SegmentWriter

DELETED_SHARE = 0.25
_CHUNK = 1 << 14  # rows copied at once


def first_to_join(rows: Sequence[int]) -> int:
    """Where the segments to be joined with the last one begin.

    >>> first_to_join([1000, 100, 30, 20])
    2
    >>> first_to_join([1000, 100, 3])
    2
    """
    first, joined = len(rows) - 1, rows[-1]
    while first > 0 and rows[first - 1] < 2 * joined:
        first -= 1
        joined += rows[first]
    return first


def copy_rows(segment: Segment, deleted: Marks | None, writer: SegmentWriter) -> None:
    """Appends what is not deleted."""
    for begin in range(0, len(segment), _CHUNK):
        end = min(begin + _CHUNK, len(segment))
        kept = np.arange(begin, end) if deleted is None else begin + np.flatnonzero(deleted[begin:end] == 0)
        if len(kept) == end - begin:
            text = segment.bytes_of(begin, end)
        else:
            text = b"".join(segment.bytes_of(row, row + 1) for row in kept.tolist())
        lengths = np.diff(segment.offsets.astype(np.int64)[begin : end + 1])[kept - begin]
        codes = Codes(segment.codes.values[kept], segment.codes.about[kept])
        writer.append(Rows(segment.ids[kept], segment.vectors[kept], codes, lengths, text))
