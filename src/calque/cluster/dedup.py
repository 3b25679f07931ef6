"""A corpus in shards without what repeats something in any of them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..corpus import Languages
from ..deduplication.contrast import REASONS, Contrast
from ..deduplication.units import Indices
from ..errors import UsageError
from ..model import Model
from ..model.familiarity import COMPARING, sides_of_pairs, warn_of_languages
from ..model.readable import Readable
from ..tasks.dedup import Options
from ..tasks.dedup_files import write_rows
from ..tasks.dedup_intake import Source, is_bitext
from .apart import keep_apart
from .bitexts import CountShard, HowToRead, format_of_parts, languages_of, require_named
from .engine import Engine, Receipt, Task
from .job import Job, Watch
from .leaders import Meet, merged, read_earlier, read_leaders, read_reason, read_same, settle_all, write_settled
from .places import Place
from .repeats import Repeats
from .shards import Run, Shard, find_shards, runs, side_of, tasks_for
from .texts import is_empty
from .unit_shards import KeyLines, Rows, UnitShard, UnitShards

BLOCK = 1 << 18  # units of a run of shards: two of them meet in some minutes, in a gigabyte of memory

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WriteKept:
    """The lines of a shard that stay. What leads, and where the run's units begin among those settled, a task says."""

    rows: Rows
    units: UnitShards
    repeats: Repeats | None
    settled: Place
    languages: Languages | None
    out: Place
    ending: str

    def __call__(self, task: Task) -> Receipt:
        shard = int(task["name"])
        lines, first = self.units.lines(shard), int(self.units.begins[shard])
        part = slice(task["begin"], task["begin"] + len(lines))
        settled = self.settled / task["settled"]
        leaders, same = read_leaders(settled)[part], read_same(settled)[part]
        leading = leaders == np.arange(first, first + len(lines)) if self.repeats else leaders < 0
        kept = np.full(task["lines"], self.repeats is None)
        kept[lines] = leading
        kept[self.units.blank_lines(shard)] = True
        with self.rows.of(task) as rows, (self.out / f"part-{task['name']}.{self.ending}").placing() as path:
            chosen = (row for row, keep in zip(rows, kept.tolist(), strict=True) if keep)
            write_rows([str(path)], chosen, self.rows.sides, self.languages)
        dropped = len(kept) - int(kept.sum())
        return {
            "dropped": dropped,
            "same": int((same & ~leading).sum()) + self._copies(shard, lines, leading | same),
            "spared": np.bincount(read_reason(settled)[part][leading], minlength=len(REASONS) + 1)[1:].tolist(),
        }

    def _copies(self, shard: int, lines: Indices, same: Flags) -> int:
        """How many lines further on have the very text of a unit, and so its leader's letters."""
        if self.repeats is None:
            return 0
        copies = self.repeats.copies(shard)
        of_line = np.zeros(int(lines.max(initial=-1)) + 2, bool)
        of_line[lines] = same
        places = np.minimum(copies[:, 0], len(of_line) - 1)  # a blank line is no unit
        return int(copies[:, 1][of_line[places]].sum())


@dataclass(frozen=True)
class FindReferences:
    """For each unit of a run of shards, the reference it repeats, from all that it has met."""

    met: Place
    folder: Place

    def __call__(self, task: Task) -> Receipt:
        found = merged([read_earlier(self.met / name) for name in task["met"]], task["count"])
        leaders = np.where(found.same >= 0, found.same, found.near)
        reason = np.where(leaders < 0, found.spared.reason, 0).astype(np.int8)
        write_settled(self.folder / task["name"], leaders, found.same >= 0, reason)
        return {}


def dedup_shards(
    model: Model,
    paths: Sequence[str | Path],
    out: str | Path,
    engine: Engine,
    options: Options,
    *,
    against: Sequence[str | Path] = (),
    source: Source | None = None,
    to: str | None = None,
    block: int = BLOCK,
    threads: int = 1,
    watch: Watch = lambda stage, done, all: None,
) -> Receipt:
    """Writes `part-00000.txt` and so on into the folder `out`, one for each shard; joined, they are as one file's.

    Raises:
        UsageError: no shards, an option that is for one machine, or `out` holds something else.
    """
    source = source or Source()
    if options.keep != "first":
        raise UsageError(
            "--keep longest takes lines in the order of their lengths, which shards are not in",
            hint="leave out --keep, or --engine ray",
        )
    job = Job(Place.of(out), engine, watch)
    shards, references = find_shards(paths, [job.out]), find_shards(against, [job.out]) if against else []
    with contextlib.ExitStack() as stack:
        heads = [_first_of_something(each, stack) for each in (references, shards)]
        if references and heads[0] is None:
            raise _nothing_to_compare_with(references)
        bitext = is_bitext([head for head in heads if head], source)
    if to and not bitext:
        raise UsageError(f"lines cannot be written as {to}", hint="they are written as they are: leave out --to")
    ending = format_of_parts(out, to) if bitext else "txt"
    model.require_languages([*source.languages, *([source.language] if source.language else [])])
    keep_apart([job.out], [*against, *paths], [*references, *shards])
    described = {"work": "dedup", "model": model.checksum, "options": vars(options), "source": vars(source)}
    report = job.open(described | {"to": ending, "block": block, "references": len(references)}, [*references, *shards])
    if report is None:
        work = ShardedDedup(job, model, Rows(bitext, source), options, block, threads)
        report = work.run(shards, references, ending)
        job.finish(report)
    return report


class ShardedDedup:
    def __init__(self, job: Job, model: Model, rows: Rows, options: Options, block: int, threads: int) -> None:
        self.job, self.model, self.rows, self.options = job, model, rows, options
        self.block, self.threads = block, threads
        self.languages: Languages | None = None

    def run(self, shards: Sequence[Shard], references: Sequence[Shard], ending: str) -> Receipt:
        self.languages = self._languages([*references, *shards]) if self.rows.bitext else None
        require_named(ending, self.languages)
        sides = sides_of_pairs((), self.languages) if self.rows.bitext else [side_of(shards, self.rows.source.language)]
        warn_of_languages(self.model, *sides, expect=COMPARING)
        tasks = tasks_for(shards)
        repeats = None if references else self._repeats(shards)
        if repeats is not None:
            keyed = self.job.stage("keys", KeyLines(self.rows, repeats, self.threads), tasks)
            repeats.find(self.job, "repeats")
            tasks = [task | {"lines": each["lines"]} for task, each in zip(tasks, keyed, strict=True)]
        units, receipts = self._units("units", tasks, repeats)
        chunks = runs(units.units, self.block)
        if references:
            settled = self._against(units, chunks, references)
        else:
            settled = settle_all(self.job, units, chunks, self.options.threshold, self._contrast())
        work = WriteKept(self.rows, units, repeats, settled, self.languages, self.job.out, ending)
        written = self.job.stage("written", work, _writing(tasks, receipts, units, chunks))
        lines = sum(each["lines"] for each in receipts)
        dropped, same = (sum(each[name] for each in written) for name in ("dropped", "same"))
        spared = dict(zip(REASONS, np.sum([each["spared"] for each in written], axis=0).tolist(), strict=True))
        counts = {"lines": lines, "kept": lines - dropped, "dropped": dropped, "same": same}
        return counts | {"pairs": self.rows.bitext, "spared": spared}

    def _contrast(self) -> Contrast:
        return Contrast(self._sides(), Readable(self.model), words=self.options.opposites)

    def _sides(self) -> tuple[str | None, ...]:
        """The language of each side, as far as it is known."""
        return (self.languages or (None, None)) if self.rows.bitext else (self.rows.source.language,)

    def _languages(self, shards: Sequence[Shard]) -> Languages | None:
        source, tasks = self.rows.source, tasks_for(shards)
        reading = HowToRead(tuple(source.languages), source.columns, source.format)
        return languages_of(tasks, self.job.stage("counted", CountShard(reading), tasks))

    def _repeats(self, shards: Sequence[Shard]) -> Repeats:
        return Repeats.among(self.job.folder("repeats"), [shard.size for shard in shards])

    def _units(self, name: str, tasks: list[Task], repeats: Repeats | None) -> tuple[UnitShards, list[Receipt]]:
        folder = self.job.folder(name)
        work = UnitShard(self.rows, self.model, self._sides(), self.options.numbers, repeats, folder, self.threads)
        made = self.job.stage(f"{name}-encoded", work, tasks)
        return UnitShards(folder, tuple(each["units"] for each in made), self.model.dimension, self.rows.sides), made

    def _against(self, units: UnitShards, chunks: list[Run], references: Sequence[Shard]) -> Place:
        """Where the reference is that each unit repeats."""
        known, receipts = self._units("references", tasks_for(references), None)
        if not any(each["lines"] for each in receipts):
            raise _nothing_to_compare_with(references)
        leading = runs(known.units, self.block)
        met, settled = self.job.folder("met"), self.job.folder("settled")
        tasks = [
            {"name": f"{one:05d}-{two:05d}", "units": chunks[one], "leaders": leading[two]}
            for one in range(len(chunks))
            for two in range(len(leading))
        ]
        self.job.stage("met", Meet(known, units, None, met, self.options.threshold, self._contrast()), tasks)
        begins = units.begins
        finding = [
            {
                "name": f"{one:05d}",
                "met": [f"{one:05d}-{two:05d}" for two in range(len(leading))],
                "count": int(begins[chunks[one][1]] - begins[chunks[one][0]]),
            }
            for one in range(len(chunks))
        ]
        self.job.stage("settled", FindReferences(met, settled), finding)
        return settled


def _first_of_something(shards: Sequence[Shard], stack: contextlib.ExitStack) -> str | None:
    """The first shard that says what they are, at hand."""
    for shard in shards:
        if shard.size:
            path = stack.enter_context(shard.place.fetched())
            if not is_empty(path):
                return str(path)
    return None


def _nothing_to_compare_with(references: Sequence[Shard]) -> UsageError:
    return UsageError(f"{references[0].place}: nothing to compare with", hint="it is empty; leave out --against")


def _writing(tasks: list[Task], receipts: list[Receipt], units: UnitShards, chunks: list[Run]) -> list[Task]:
    """Which run of shards each is in, and where its units begin there."""
    begins, made = units.begins, []
    for number, (begin, end) in enumerate(chunks):
        for shard in range(begin, end):
            where = {"settled": f"{number:05d}", "begin": int(begins[shard] - begins[begin])}
            made.append(tasks[shard] | {"lines": receipts[shard]["lines"]} | where)
    return made
