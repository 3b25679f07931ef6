"""Building, adding and deleting: new files first, then the manifest that names them, then old files go.

A process that is killed at any point leaves the old index or the new one. What it had been writing is not named by the
manifest, and goes when somebody writes next. One writer at a time holds a lock; readers need none. Where there are no
locks, no writer deletes anything or takes a name that is taken, and of two at once the later one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import CorpusError, UsageError
from ..model import Model
from ..neighbours import code
from ..surrogates import without_surrogates
from .entries import Batch, Intake, Texts
from .folder import next_number, require_free, writing_alone
from .identity import find_model, identity_of
from .manifest import Manifest, SegmentEntry, number_in
from .merging import DELETED_SHARE, copy_rows, first_to_join
from .snapshot import Snapshot
from .writer import Rows, add_approximate, new_deletions, new_segment

WORTH_CLUSTERS = 50_000  # rows of a segment made later; fewer are searched exactly in no time

Ids = npt.NDArray[np.uint64]
Report = Callable[[int], None]


class Work(NamedTuple):
    """What turning text into rows needs."""

    model: Model
    language: str | None
    threads: int
    report: Report


def build(folder: Path, texts: Texts, work: Work, *, approximate: bool, overwrite: bool) -> None:
    """
    Raises:
        UsageError: something else is there.
        CorpusError: there is no text.
    """
    identity = identity_of(work.model)
    require_free(folder, overwrite)
    with writing_alone(folder) as publish:
        require_free(folder, overwrite)
        intake = Intake(texts, 1)
        entry = _new_rows(folder, next_number(folder), intake, work)
        if approximate:
            entry = add_approximate(folder, entry, work.model.dimension, work.threads)
        manifest = Manifest(
            model=identity,
            dimension=work.model.dimension,
            language=work.language,
            approximate=approximate,
            next_id=intake.next_id,
            next_number=entry.number + 1,
            sources=tuple(intake.sources),
            segments=(entry,),
        )
        publish(manifest)


def add(folder: Path, texts: Texts, work: Work) -> int:
    """Returns how many entries were new."""
    with writing_alone(folder) as publish:
        before = Manifest.read(folder)
        find_model(folder, before.model, work.model)  # somebody may have replaced the index since it was opened
        intake = Intake(texts, before.next_id)
        entry = _new_rows(folder, before.next_number, intake, work)
        after = replace(
            before,
            next_id=intake.next_id,
            next_number=entry.number + 1,
            sources=(*before.sources, *intake.sources),
            segments=(*before.segments, entry),
        )
        publish(_joined(folder, after, work.threads))
    return entry.rows


def delete(folder: Path, ids: Sequence[int], threads: int) -> int:
    """All of them or, if one is not there, none; returns how many.

    Raises:
        UsageError: there is no such entry.
    """
    if not ids:
        return 0
    wanted: Ids = np.unique(np.array(_plausible(ids), np.uint64))
    with writing_alone(folder) as publish:
        snapshot = Snapshot.open(folder)
        missing = wanted[~snapshot.are_there(wanted)]
        if len(missing):
            raise _no_entry(int(missing[0]), len(missing), snapshot)
        manifest = _with_deleted(folder, snapshot.manifest, np.union1d(snapshot.deleted_ids, wanted))
        publish(_compacted(folder, manifest, threads))
    return len(wanted)


def _new_rows(folder: Path, number: int, intake: Intake, work: Work) -> SegmentEntry:
    with new_segment(folder, number) as writer:
        for batch in intake.batches():
            writer.append(_rows(batch, work))
            work.report(intake.next_id)
        if not writer.rows:
            raise CorpusError(
                "there is no text in what was given", hint="every line is blank; an index needs some text"
            )
        return writer.finish()


def _rows(batch: Batch, work: Work) -> Rows:
    vectors = work.model.encode(batch.texts, normalize=True, threads=work.threads, language=work.language)
    encoded = list(map(_as_bytes, batch.texts))
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return Rows(np.array(batch.ids, np.uint64), vectors, code(vectors, work.threads), lengths, b"".join(encoded))


def _as_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()


def _joined(folder: Path, manifest: Manifest, threads: int) -> Manifest:
    """With the last segments made into one, if they are small enough for that to pay."""
    first = first_to_join([segment.rows for segment in manifest.segments])
    if first == len(manifest.segments) - 1:
        return manifest
    snapshot = Snapshot(folder, manifest)
    made = _copied(folder, snapshot, range(first, len(manifest.segments)), threads)
    kept = manifest.segments[:first]
    return _forgetting(folder, _numbered_after(manifest, made), kept, made)


def _compacted(folder: Path, manifest: Manifest, threads: int) -> Manifest:
    """Without segments of which much is deleted."""
    at = 0
    while at < len(manifest.segments):
        snapshot = Snapshot(folder, manifest)
        gone = snapshot.deleted[at]
        if gone is None or gone.mean() < DELETED_SHARE:
            at += 1
            continue
        made = _copied(folder, snapshot, range(at, at + 1), threads)
        before, rest = manifest.segments[:at], manifest.segments[at + 1 :]
        manifest = _forgetting(folder, _numbered_after(manifest, made), before, (*made, *rest))
        at += len(made)
    return manifest


def _copied(folder: Path, snapshot: Snapshot, which: range, threads: int) -> tuple[SegmentEntry, ...]:
    """What is not deleted of some segments, as one; none if there is nothing left."""
    manifest = snapshot.manifest
    if all(gone is not None and gone.all() for gone in snapshot.deleted[which.start : which.stop]):
        return ()
    with new_segment(folder, manifest.next_number) as writer:
        for at in which:
            copy_rows(snapshot.segments[at], snapshot.deleted[at], writer)
        entry = writer.finish()
        had = any(snapshot.segments[at].has_approximate for at in which)
        if had or (manifest.approximate and entry.rows >= WORTH_CLUSTERS):
            entry = add_approximate(folder, entry, manifest.dimension, threads)
    return (entry,)


def _numbered_after(manifest: Manifest, made: tuple[SegmentEntry, ...]) -> Manifest:
    last = max([manifest.next_number, *(entry.number for entry in made)])
    return replace(manifest, next_number=last + 1)


def _forgetting(
    folder: Path, manifest: Manifest, before: tuple[SegmentEntry, ...], after: tuple[SegmentEntry, ...]
) -> Manifest:
    """With other segments, and without the deletions of entries that none of them holds any more."""
    changed = replace(manifest, segments=(*before, *after))
    snapshot = Snapshot(folder, changed)
    held = [
        segment.ids[marks != 0]
        for segment, marks in zip(snapshot.segments, snapshot.deleted, strict=True)
        if marks is not None
    ]
    still: Ids = np.concatenate(held) if held else np.zeros(0, np.uint64)
    return changed if len(still) == len(snapshot.deleted_ids) else _with_deleted(folder, changed, still)


def _with_deleted(folder: Path, manifest: Manifest, ids: Ids) -> Manifest:
    if not len(ids):
        return replace(manifest, deleted=None)
    name = new_deletions(folder, manifest.next_number, ids)
    return replace(manifest, deleted=name, next_number=number_in(name) + 1)


def _plausible(ids: Sequence[int]) -> list[int]:
    """
    Raises:
        UsageError: no entry can have such an id.
    """
    for id in ids:
        if not 1 <= id < 1 << 63:
            raise UsageError(f"no entry has the id {id}", hint="ids count lines from 1")
    return list(ids)


def _no_entry(id: int, count: int, snapshot: Snapshot) -> UsageError:
    others = f" (nor have {count - 1} more that were given)" if count > 1 else ""
    why = "it was deleted before" if id in snapshot.deleted_ids else f"ids go from 1 to {snapshot.manifest.next_id - 1}"
    return UsageError(f"no entry has the id {id}{others}", hint=f"{why}; nothing was deleted")
