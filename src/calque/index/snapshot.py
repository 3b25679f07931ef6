"""An index as it was at one moment: what a reader works with, whatever writers do meanwhile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from ..neighbours.product import Marks
from ..regular import read_bytes
from .manifest import Manifest, damaged
from .segment import Segment

_TIMES = 100  # that a writer may replace everything while we open it


class Snapshot:
    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self.segments = [Segment(folder, entry, manifest.dimension) for entry in manifest.segments]
        self.deleted_ids = _read_deleted(folder, manifest)  # sorted
        self.deleted: list[Marks | None] = [_marks(segment, self.deleted_ids) for segment in self.segments]

    @classmethod
    def open(cls, folder: Path) -> Snapshot:
        """
        Raises:
            ModelError: no index, or a damaged one.
        """
        manifest = Manifest.read(folder)
        for _ in range(_TIMES):
            try:
                opened = cls(folder, manifest)
                opened._check_deletions(folder)
                opened._check_ranges(folder)
                return opened
            except (FileNotFoundError, ModelError) as problem:
                before, manifest = manifest, Manifest.read(folder)
                if manifest == before:
                    if isinstance(problem, ModelError):
                        raise
                    raise damaged(Path(problem.filename), "it is not there") from problem
        raise ModelError(f"{folder} changes faster than it can be opened", hint="try again")

    def _check_deletions(self, folder: Path) -> None:
        """Writers, while they merge, have deletions of entries that are gone already; what they leave has none."""
        if not (self.deleted_ids[1:] > self.deleted_ids[:-1]).all():
            raise damaged(folder / str(self.manifest.deleted), "its ids do not ascend")
        there = sum(int(marks.sum()) for marks in self.deleted if marks is not None)
        if len(self.deleted_ids) != there:
            said = f"it has {len(self.deleted_ids)} ids, {there} of which belong to entries"
            raise damaged(folder / str(self.manifest.deleted), said)

    def _check_ranges(self, folder: Path) -> None:
        """Segments follow one another in the order of their ids, so no id is in two of them."""
        last = 0
        for segment in self.segments:
            if not last < segment.ids[0] <= segment.ids[-1] < self.manifest.next_id:
                raise damaged(
                    segment.folder,
                    f"its ids go from {segment.ids[0]} to {segment.ids[-1]}, "
                    f"expected some between {last + 1} and {self.manifest.next_id - 1}",
                )
            last = int(segment.ids[-1])

    @property
    def rows(self) -> int:
        return sum(map(len, self.segments))

    def are_there(self, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Whether there is an entry with each of the ids."""
        there = np.zeros(len(ids), bool)
        for segment in self.segments:
            segment.require_sound()
            at = np.minimum(np.searchsorted(segment.ids, ids), len(segment) - 1)
            there |= segment.ids[at] == ids
        return there & ~np.isin(ids, self.deleted_ids)

    def ids_with(self, text: str) -> list[int]:
        wanted = text.encode("utf-8", "replace")
        return [
            int(segment.ids[row])
            for segment, deleted in zip(self.segments, self.deleted, strict=True)
            for row in segment.rows_with(wanted)
            if deleted is None or not deleted[row]
        ]


def _read_deleted(folder: Path, manifest: Manifest) -> npt.NDArray[np.uint64]:
    if manifest.deleted is None:
        return np.zeros(0, np.uint64)
    path = folder / manifest.deleted
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise damaged(path, problem.strerror or str(problem)) from problem
    if len(content) % 8 or not content:
        raise damaged(path, f"{len(content)} bytes are no list of ids")
    return np.frombuffer(content, np.uint64)


def _marks(segment: Segment, deleted_ids: npt.NDArray[np.uint64]) -> Marks | None:
    marks = np.isin(segment.ids, deleted_ids) if len(deleted_ids) else np.zeros(0, bool)
    return marks.astype(np.uint8) if marks.any() else None
