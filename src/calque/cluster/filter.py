"""Bitext in shards without the pairs that do not translate each other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Columns, Languages, Pair
from ..corpus.cleaning import Report
from ..corpus.languages import require_standard
from ..errors import UsageError
from ..filtering import Decision, Keep, Scored
from ..filtering.decision import Threshold
from ..filtering.judge import Judge
from ..filtering.pool import SIZE as POOL
from ..filtering.report import FilterReport
from ..filtering.sample import Places
from ..filtering.scores import Score, Scores, require_score, score_named
from ..filtering.spool import Spool
from ..model import Model
from ..model.familiarity import FILTERING, sides_of_pairs, warn_of_languages
from ..tasks.filter_decision import Settled, Wanted, one_way_to_decide, report_of, require_some_left, settle
from ..tasks.filter_passes import Outputs, judge_all, nothing_to_filter, right_pairs, write_kept
from ..tasks.filter_rules import PRESET, filter_evidence, languages_expected
from .apart import keep_apart
from .bitexts import CountShard, HowToRead, PickPairs, format_of_parts, languages_of, require_named
from .engine import Engine, Receipt, Task
from .job import Job, Watch
from .places import Place
from .repeated_pairs import Rules, find_repeated, foretold
from .repeats import Repeats
from .shards import Shard, find_shards, tasks_for

_DRAWN = 1 << 22  # numbers at a time
_NAMED = 4  # shards in a signature
_ANY = ("", "")  # languages, until they are known: a rule that needs them is not refused before


@dataclass(frozen=True)
class Scoring:
    """What a score depends on."""

    model: Model
    name: str
    sample: tuple[Pair, ...]
    languages: Languages | None
    threads: int

    def made(self) -> Score:
        return score_named(self.name, self.model, self.sample[:POOL], self.languages, self.threads)


@dataclass(frozen=True)
class JudgeShard:
    """A verdict on each pair of a shard, kept as one file's are while it is filtered."""

    reading: HowToRead
    rules: Rules
    repeats: tuple[Repeats, ...]
    scoring: Scoring
    verdicts: Place

    def __call__(self, task: Task) -> Receipt:
        scoring = self.scoring
        cleaning = self.rules.made(foretold(self.repeats, task))
        judge = Judge(cleaning, scoring.made(), scoring.languages, scoring.threads)
        with (
            self.reading.bitext(task) as bitext,
            (self.verdicts / task["name"]).placing() as path,
            open(path, "wb", buffering=0) as file,
        ):
            spool = Spool(file)
            judge_all(judge, [bitext], spool, lambda doing, pairs: None)
        return {"scored": spool.scored, "report": judge.report.as_dict()}


@dataclass(frozen=True)
class WriteShard:
    """The pairs of a shard that are kept; of those that score as the threshold, as many as the task says."""

    reading: HowToRead
    rules: Rules
    scoring: Scoring
    verdicts: Place
    threshold: float
    out: Place
    rejected: Place | None
    ending: str

    def __call__(self, task: Task) -> Receipt:
        scoring, report = self.scoring, FilterReport(self.scoring.name)
        judge = Judge(self.rules.all(), scoring.made(), scoring.languages, scoring.threads)
        places = [self.out / f"part-{task['name']}.{self.ending}"]
        places += [self.rejected / f"part-{task['name']}.tsv"] if self.rejected else []
        with contextlib.ExitStack() as stack:
            bitext = stack.enter_context(self.reading.bitext(task))
            verdicts = stack.enter_context((self.verdicts / task["name"]).fetched())
            file = stack.enter_context(open(verdicts, "rb", buffering=0))
            paths = [str(stack.enter_context(place.placing())) for place in places]
            outputs = Outputs(paths[:1], None, scoring.languages, paths[1] if self.rejected else None)
            decision = Decision(self.threshold, task["ties"])
            write_kept(judge, [bitext], Spool(file), decision, report, outputs, lambda doing, pairs: None)
        return {"kept": report.kept, "above": report.above, "below": report.below}


class Verdicts:
    """The verdicts on all shards, as one file's would be."""

    def __init__(self, folder: Place, judged: Sequence[Receipt]) -> None:
        self._folder = folder
        self._judged = judged
        self.scored = sum(each["scored"] for each in judged)

    def scores(self) -> Iterator[Scores]:
        for each in self._judged:
            yield from self.of_shard(each["name"])

    def of_shard(self, name: str) -> Iterator[Scores]:
        with (self._folder / name).fetched() as path, open(path, "rb", buffering=0) as file:
            yield from Spool(file).scores()

    def ties(self, decision: Decision) -> list[int | None]:
        """How many of the pairs that score as the threshold each shard may keep."""
        left = decision.ties
        if left is None:
            return [None] * len(self._judged)
        shares: list[int | None] = []
        for each in self._judged:
            tied = sum(int(np.count_nonzero(some == decision.threshold)) for some in self.of_shard(each["name"]))
            shares.append(min(left, tied))
            left -= min(left, tied)
        return shares


def filter_shards(
    model: Model,
    paths: Sequence[str | Path],
    out: str | Path,
    engine: Engine,
    *,
    score: str = "margin",
    threshold: Threshold | None = None,
    keep: Keep | str | int | None = None,
    calibrate: str | Path | None = None,
    preset: str = PRESET,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    to: str | None = None,
    rejected: str | Path | None = None,
    threads: int = 1,
    watch: Watch = lambda stage, done, all: None,
) -> Receipt:
    """Writes `part-00000.tsv` and so on into the folder `out`, one for each shard; joined, they are as one file's.

    Each shard is a bitext in one file. `rejected` names a folder for what is dropped.

    Raises:
        UsageError: both `keep` and `threshold`; `out` holds something else.
        CorpusError: nothing to filter, or too little to estimate a threshold from.
    """
    best = one_way_to_decide(keep, threshold)
    to = format_of_parts(out, to)
    model.require_vocabularies(require_standard(languages) if languages else ())
    require_score(score)
    told = Rules(preset, tuple(rules), tuple(without), _ANY)
    told.all()
    job = Job(Place.of(out), engine, watch)
    dropped = [] if rejected is None else [Place.of(rejected)]
    shards = find_shards(paths, [job.out, *dropped])
    known = None if calibrate is None else _only(find_shards([calibrate]))
    keep_apart([job.out, *dropped], paths, [*shards, *([known] if known else [])])
    reading = HowToRead(tuple(languages), columns, format)
    if known:
        _right_pairs(known, reading.languages_of(tasks_for(shards)))
    described: dict[str, Any] = {
        "work": "filter",
        "model": model.checksum,
        "score": score,
        "threshold": threshold,
        "keep": best,
    }
    described |= {"calibrate": known is not None, "preset": preset, "rules": list(rules), "without": list(without)}
    described |= {"reading": vars(reading), "to": to, "rejected": [str(place) for place in dropped]}
    report = job.open(described, [*([known] if known else []), *shards], *dropped)
    if report is None:
        filtering = ShardedFilter(job, shards, reading, model, threads)
        outputs = to, dropped[0] if dropped else None
        report = filtering.run(told, Wanted(score, threshold, best), known, outputs).as_dict()
        job.finish(report, *dropped)
    return report


class ShardedFilter:
    """The passes of a filter, each over all shards: count, sample, find what repeats, judge, decide, write."""

    def __init__(self, job: Job, shards: Sequence[Shard], reading: HowToRead, model: Model, threads: int) -> None:
        self.job, self.shards, self.reading = job, shards, reading
        self.model, self.threads = model, threads
        self.tasks = tasks_for(shards)

    def run(
        self, rules: Rules, wanted: Wanted, calibrate: Shard | None, outputs: tuple[str, Place | None]
    ) -> FilterReport:
        counted = self.job.stage("counted", CountShard(self.reading), self.tasks)
        languages = languages_of(self.tasks, counted)
        require_named(outputs[0], languages)
        rules = replace(rules, languages=languages)
        rules.all()  # one may need the languages
        right = None if calibrate is None else _right_pairs(calibrate, languages)
        scoring = Scoring(self.model, wanted.score, self._sample(counted), languages, self.threads)
        warn_of_languages(self.model, *sides_of_pairs(scoring.sample, languages), expect=FILTERING)
        expected = languages_expected(scoring.sample, self.reading.languages, languages)
        rules = replace(rules, expected=expected)
        sizes = [shard.size for shard in self.shards]
        tasks, repeats = find_repeated(
            self.job, self.job.folder("repeats"), self.reading, rules, self.tasks, sizes, self.threads
        )
        place = self.job.folder("verdicts")
        judged = self.job.stage("judged", JudgeShard(self.reading, rules, repeats, scoring, place), tasks)
        verdicts = Verdicts(place, judged)
        cleaning = Report()
        for each in judged:
            cleaning.join(Report.of_dict(each["report"]))
        require_some_left(cleaning, wanted)
        evidence = filter_evidence(scoring.sample, rules.all(), expected, languages, self.threads)
        settled = settle(wanted, scoring.made(), verdicts, evidence, right)
        report = report_of(settled, wanted, cleaning, self.model, languages, _named(counted))
        self._write(rules, scoring, verdicts, settled, place, outputs, report)
        return report

    def _sample(self, counted: Sequence[Receipt]) -> tuple[Pair, ...]:
        """The pairs that one file's sample would hold, from wherever they stand."""
        places = Places()
        owner: dict[int, tuple[int, int]] = {}
        for shard, each in enumerate(counted):
            for begin in range(0, each["filled"], _DRAWN):
                taking, taken = places.take(min(_DRAWN, each["filled"] - begin))
                owner.update(zip(taken.tolist(), ((shard, begin + at) for at in taking.tolist()), strict=True))
        if not places.seen:
            raise nothing_to_filter(sum(each["pairs"] for each in counted))
        wanted = sorted(owner.values())
        picked: dict[tuple[int, int], Pair] = {}
        tasks = [
            task | {"picked": [at for shard, at in wanted if shard == number]} for number, task in enumerate(self.tasks)
        ]
        sampled = self.job.stage("sampled", PickPairs(self.reading), tasks)
        for shard, (task, each) in enumerate(zip(tasks, sampled, strict=True)):
            picked |= {(shard, at): Pair(*pair) for at, pair in zip(task["picked"], each["pairs"], strict=True)}
        return tuple(picked[owner[place]] for place in places.order().tolist())

    def _write(
        self,
        rules: Rules,
        scoring: Scoring,
        verdicts: Verdicts,
        settled: Settled,
        place: Place,
        outputs: tuple[str, Place | None],
        report: FilterReport,
    ) -> None:
        ending, rejected = outputs
        if rejected is not None:
            rejected.make()
        scoring = replace(scoring, name="cosine", sample=())  # nothing is scored again
        work = WriteShard(
            self.reading, rules, scoring, place, settled.decision.threshold, self.job.out, rejected, ending
        )
        ties = verdicts.ties(settled.decision)
        tasks = [task | {"ties": share} for task, share in zip(self.tasks, ties, strict=True)]
        for each in self.job.stage("written", work, tasks):
            report.kept += each["kept"]
            report.note([Scored(*pair) for pair in each["above"]], [Scored(*pair) for pair in each["below"]])


def _only(shards: Sequence[Shard]) -> Shard:
    if len(shards) != 1:
        raise UsageError(f"expected one bitext to calibrate with, got {len(shards)}", hint="--calibrate takes one file")
    return shards[0]


def _right_pairs(known: Shard, languages: Languages | None) -> list[Pair]:
    with known.place.fetched() as path:
        return right_pairs(str(path), languages)


def _named(counted: Sequence[Receipt]) -> list[str]:
    """What a signature calls them: all of a few, or the first of many."""
    names = [each["bitext"] for each in counted]
    return names if len(names) <= _NAMED else [names[0], f"{len(names) - 1}-more"]
