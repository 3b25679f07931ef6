"""A bitext is gone through three times to be filtered: to take a sample, to judge, and to write."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from ..atomic import cannot_write_temporary
from ..batches import regrouped
from ..corpus import Bitext, Languages, Pair, find_bitexts
from ..corpus.cleaning.clean import BATCH, NO_OBJECTION
from ..corpus.formats.tsv import write_rows
from ..corpus.writing import open_outputs, output_format, output_paths, write_pairs
from ..errors import CalqueError, CorpusError, UsageError
from ..filtering import Decision, Scored
from ..filtering.calibration import FEWEST
from ..filtering.judge import Judge
from ..filtering.report import FilterReport
from ..filtering.sample import Sample
from ..filtering.spool import Spool, Verdicts
from ..temporary import temporary_folder
from .inputs import open_all
from .saved_input import is_read_once, saved_input

Flags = npt.NDArray[np.bool_]
Reject = Callable[[Iterator[tuple[str, ...]]], None]
Watch = Callable[[str, int], None]  # what is being done, and to how many pairs it has been

LOW = "low-score"  # why a pair was dropped, if not by a rule


class Outputs(NamedTuple):
    """Where the pairs go, and how."""

    kept: list[str]
    format: str | None
    languages: Languages | None
    rejected: str | Path | None


@contextlib.contextmanager
def on_disk(paths: list[str]) -> Iterator[list[str]]:
    """The paths with copies in place of standard input and pipes, which could be read only once; they go in the end."""
    if not any(map(is_read_once, paths)):
        yield paths
        return
    with temporary_folder("filter") as folder, contextlib.ExitStack() as copying:
        with _named_as_temporary():
            copied = copying.enter_context(saved_input(paths, folder))
        yield copied


@contextlib.contextmanager
def _named_as_temporary() -> Iterator[None]:
    """Nobody chose the place of a temporary file, so whoever cannot write one is told how to."""
    try:
        yield
    except (CorpusError, UsageError):
        raise  # of reading
    except CalqueError as problem:
        if isinstance(problem.__cause__, OSError):
            raise cannot_write_temporary(problem.__cause__) from problem
        raise


def right_pairs(path: str, languages: Languages | None) -> list[Pair]:
    """A sample of a bitext that is known to be good.

    Raises:
        CorpusError: it is too small.
    """
    sample = Sample()
    with open_all(find_bitexts([path], languages or ())) as reading:
        for batch in reading.batches:
            sample.add(batch)
    if sample.seen < FEWEST:
        raise CorpusError(
            f"{path}: expected at least {FEWEST} pairs to calibrate with, got {sample.seen}",
            hint="leave out --calibrate, or name a larger bitext",
        )
    return sample.pairs()


def sample_all(batches: Iterable[list[Pair]], watch: Watch) -> list[Pair]:
    """
    Raises:
        CorpusError: no pair has two sides.
    """
    sample, read = Sample(), 0
    for batch in batches:
        sample.add(batch)
        read += len(batch)
        watch("read", read)
    if not sample.seen:
        raise nothing_to_filter(read)
    return sample.pairs()


def nothing_to_filter(read: int) -> CorpusError:
    what = f"all {read:,} pairs have a blank side" if read else "there are no sentence pairs"
    return CorpusError(f"nothing to filter: {what}", hint="--columns says which columns hold source and target")


def judge_all(judge: Judge, bitexts: Sequence[Bitext], spool: Spool, watch: Watch) -> None:
    with open_all(bitexts) as reading:
        for pairs in regrouped(reading.batches, BATCH):
            spool.add(*judge.judge(pairs))
            watch("scored", spool.pairs)


def write_kept(
    judge: Judge,
    bitexts: Sequence[Bitext],
    spool: Spool,
    decision: Decision,
    report: FilterReport,
    outputs: Outputs,
    watch: Watch,
) -> None:
    """Reads the pairs again, in the batches that they were judged in, and parts them."""
    spool.rewind()

    def parted(batches: Iterable[list[Pair]], reject: Reject) -> Iterator[list[Scored]]:
        written = 0
        for read in regrouped(batches, BATCH):
            verdicts = _verdicts(spool, len(read), bitexts)
            scored = verdicts["objection"] == NO_OBJECTION
            accepted = scored.copy()
            accepted[scored] = decision.accept(verdicts["score"][scored])
            pairs = judge.again(read)
            kept = _scored(pairs, verdicts, accepted)
            report.kept += len(kept)
            report.note(kept, _scored(pairs, verdicts, scored & ~accepted))
            reject(_reasons(judge, pairs, verdicts, ~accepted))
            written += len(pairs)
            watch("written", written)
            yield kept

    with open_all(bitexts) as reading, _opened(outputs) as (kept, reject):
        _write_kept(parted(reading.batches, reject), kept, outputs)


@contextlib.contextmanager
def _opened(outputs: Outputs) -> Iterator[tuple[list[IO[bytes]], Reject]]:
    """The files for what is kept, and what is done with the rest."""
    kept = output_paths(outputs.kept, outputs.languages, outputs.format)
    if outputs.rejected is None:
        with open_outputs(kept) as files:
            yield files, lambda rows: None
        return
    with open_outputs([*kept, str(outputs.rejected)]) as (*files, rejected):
        yield files, lambda rows: write_rows(rejected, list(rows))


def _write_kept(batches: Iterable[list[Scored]], files: Sequence[IO[bytes]], outputs: Outputs) -> None:
    format = output_format(outputs.kept, outputs.format)
    if format != "tsv":
        pairs = ([Pair(pair.source, pair.target) for pair in batch] for batch in batches)
        write_pairs(files, pairs, outputs.languages, format)
        return
    for batch in batches:
        write_rows(files[0], [(source, target, f"{score:.4f}") for source, target, score in batch])


def _verdicts(spool: Spool, count: int, bitexts: Sequence[Bitext]) -> Verdicts:
    verdicts = spool.take(count)
    if len(verdicts) != count:
        names = ", ".join(path for bitext in bitexts for path in bitext.paths)
        raise CorpusError(f"{names}: changed while being read", hint="filter a copy that nobody writes to")
    return verdicts


def _scored(pairs: Sequence[Pair], verdicts: Verdicts, chosen: Flags) -> list[Scored]:
    places = np.flatnonzero(chosen)
    scores = verdicts["score"][places].tolist()
    return [Scored(*pairs[at], score) for at, score in zip(places.tolist(), scores, strict=True)]


def _reasons(judge: Judge, pairs: Sequence[Pair], verdicts: Verdicts, chosen: Flags) -> Iterator[tuple[str, ...]]:
    """Reason, score (none if a rule spoke first), source, target."""
    for at in np.flatnonzero(chosen).tolist():
        objection, score = verdicts[at].item()
        front = (LOW, f"{score:.4f}") if objection == NO_OBJECTION else (judge.reason(objection), "")
        yield (*front, *(" ".join(side.split()) for side in pairs[at]))
