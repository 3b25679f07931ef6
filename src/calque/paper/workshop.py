"""Where experiments run: what has been trained and measured once is never made again.

OUT/corpora/    samples of bitext, the development set
OUT/models/     models that are being trained and measured
OUT/scores/     what was measured, one file an experiment
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..atomic import cannot_write, remove_unfinished, write_text
from ..corpus import Bitext, Pair
from ..corpus.writing import write_bitext
from ..errors import CalqueError, UsageError
from ..evaluation.result import Result
from ..evaluation.sets.sts import find_sts17
from ..model import Model
from ..tasks.train import Watcher, train
from ..tasks.trained import trained
from ..vocabulary.sentencepiece import TooFewWords
from .library import Corpus, Library
from .scale import Scale

if TYPE_CHECKING:
    from .plan import Plan
    from .table import Row

SEED = 1
SPEED = "speed"
DEVELOPMENT = "track5.en-en"  # of STS 2017


@dataclass(frozen=True)
class Score:
    """A figure of ours."""

    value: float
    low: float | None = None
    high: float | None = None
    signature: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result, measure: str) -> Score:
        low, high = result.interval(measure) or (None, None)
        return cls(
            result.values[measure],
            low,
            high,
            f"{measure}={result.values[measure]:.1f} | {result.signature}",
            dict(result.notes),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "signature": self.signature,
            "notes": dict(self.notes),
        }


Scores = dict[str, Score]
Measure = Callable[[Model], Scores]


@dataclass(frozen=True)
class Experiment:
    """A training; `options` are those of TrainingConfig."""

    name: str  # table2 sp-20k-ep-300
    corpus: Corpus
    pairs: int  # at most
    options: Mapping[str, Any]
    select: bool = False  # keep the epoch that is best on STS 2017 en-en, as the paper does


@dataclass
class Workshop:
    library: Library
    scale: Scale
    out: Path
    say: Callable[[str], None] = lambda line: None
    watcher: Callable[[str], Watcher] = lambda name: Watcher()
    show: Callable[[str], None] = lambda line: None  # each row as it is done
    plan: Plan | None = None
    _measured: bool = False  # something, since a row was last shown
    _sizes: dict[Corpus, int] = field(default_factory=dict)

    def open(self) -> None:
        """Makes the folders, and removes files that were being written when a run was killed."""
        for folder in (self.out / name for name in ("corpora", "models", "scores")):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                raise cannot_write(folder, problem) from problem
        for folder in (self.out / "scores", *(self.out / "corpora").iterdir()):
            remove_unfinished(folder)

    def draw(self, plot: Callable[[], Sequence[Path]]) -> tuple[str, ...]:
        """The pictures' names; none where the library that draws is not installed, which is said."""
        try:
            return tuple(path.name for path in plot())
        except UsageError as problem:
            self.say(f"no picture: {problem.message} ({problem.hint})")
            return ()

    def scores(self, experiment: Experiment, measure: Measure, suite: str) -> Scores:
        """What `measure` finds of the trained model on a suite; the model is then deleted.

        Another content of the suite's sets is another score; of speed, none are.
        """
        path = self.path_of(experiment, suite)
        scores = _read(path)
        if scores is None:
            place = self.plan.begin(path.name) if self.plan else "training"
            scores = measure(self.model(experiment, place))
            _write(path, scores)
            self._measured = True
            if self.plan:
                self.plan.end(path.name)
        # Here even if an earlier run died doing so.
        shutil.rmtree(self.out / "models" / self._key(experiment), ignore_errors=True)
        return scores

    def path_of(self, experiment: Experiment, suite: str) -> Path:
        """The file for an experiment's scores on a suite."""
        sets = f"-{self.library.sets(suite).digest}" if suite != SPEED else ""
        return self.out / "scores" / f"{self._key(experiment)}.{suite}{sets}.json"

    def rows_done(self, rows: Iterable[Row], digits: int = 1) -> None:
        """Shows rows of a table, unless nothing was measured for them: an earlier run has shown them then."""
        if self._measured:
            for row in rows:
                self.show(row.as_line(digits))
        self._measured = False

    def model(self, experiment: Experiment, place: str = "training") -> Model:
        """Trained, gone on with, or opened. `place` says how far all the work is."""
        folder = self.out / "models" / self._key(experiment)
        watcher = self.watcher(experiment.name)
        return trained(
            folder,
            lambda: self._train(experiment, folder, watcher, place),
            watcher=watcher,
            going_on=lambda: self.say(f"{experiment.name}: going on, {place}"),
        )

    def _train(self, experiment: Experiment, folder: Path, watcher: Watcher, place: str) -> Model:
        shutil.rmtree(folder, ignore_errors=True)  # a run that was killed before it could be gone on with
        self.say(f"{experiment.name}: {place}")
        options = dict(experiment.options)
        dev = self.development_set() if experiment.select else None
        paths = self.bitext(experiment.corpus, experiment.pairs)
        while True:
            try:
                return train([str(path) for path in paths], folder, dev=dev, watcher=watcher, seed=SEED, **options)
            except TooFewWords as problem:
                # A sample need not support as many pieces as the whole; the signature says how many there are.
                options["vocabulary_size"] = problem.supported

    def bitext(self, corpus: Corpus, pairs: int) -> tuple[Path, ...]:
        """The corpus's own files, or a sample of so many pairs if they hold more."""
        # Signatures quote the file's name, so what tells samples apart stands in the folder's.
        sample = self.out / "corpora" / f"{_digest(_files(corpus))}-{pairs}" / f"{corpus.name}.tsv"
        if sample.exists():
            return (sample,)
        if self.size(corpus) <= pairs:
            return corpus.paths
        chosen = random.Random(SEED).sample(list(pairs_of(corpus.paths, corpus.languages)), pairs)
        sample.parent.mkdir(exist_ok=True)
        write_bitext([str(sample)], [chosen], corpus.languages)
        return (sample,)

    def size(self, corpus: Corpus) -> int:
        """How many pairs it holds."""
        if corpus not in self._sizes:
            self._sizes[corpus] = sum(1 for _ in pairs_of(corpus.paths, corpus.languages))
        return self._sizes[corpus]

    def development_set(self) -> Path:
        """STS 2017 en-en as a file that training can read, whatever layout it lies in."""
        path = self.out / "corpora" / self.library.sets("sts17").digest / "sts17.en-en.tsv"
        if not path.exists():
            (english,) = [each for each in find_sts17(self.library.evaluation) if each.name == DEVELOPMENT]
            rows = zip(english.gold, english.first, english.second, strict=True)
            path.parent.mkdir(exist_ok=True)
            write_text(path, "".join(f"{gold}\t{first}\t{second}\n" for gold, first, second in rows))
        return path

    def require_sets(self, *suites: str, select: bool = False) -> None:
        """
        Raises:
            CalqueError: there is nothing to measure on, or to select by.
        """
        for suite in suites:
            self.library.sets(suite)
        if select and DEVELOPMENT not in self.library.sets("sts17").names:
            raise UsageError(
                f"{self.library.evaluation}: no {DEVELOPMENT} of STS 2017, by which the epoch to keep is chosen",
                hint="calque corpus download sts17 fetches it",
            )

    def _key(self, experiment: Experiment) -> str:
        """Another corpus, option, development set or version of Calque is another experiment."""
        chosen_by = self.library.sets("sts17").digest if experiment.select else None
        options = sorted(experiment.options.items())
        digest = _digest([_files(experiment.corpus), experiment.pairs, options, chosen_by, __version__])
        readable = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in experiment.name)
        return f"{readable}-{digest}"


def _files(corpus: Corpus) -> list[tuple[str, int]]:
    return [(path.name, path.stat().st_size) for path in corpus.paths]


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:10]


def pairs_of(paths: Iterable[Path], languages: tuple[str, str]) -> Iterator[Pair]:
    return chain.from_iterable(Bitext((str(path),), languages).pairs() for path in paths)


def _write(path: Path, scores: Scores) -> None:
    described = {name: score.as_dict() for name, score in scores.items()}
    write_text(path, json.dumps(described, indent=2, ensure_ascii=False) + "\n")


def _read(path: Path) -> Scores | None:
    if not path.exists():
        return None
    try:
        scores = {name: Score(**score) for name, score in json.loads(path.read_text(encoding="utf-8")).items()}
        if not scores or not all(isinstance(score.value, float) for score in scores.values()):
            raise ValueError("expected scores")
        return scores
    except (OSError, ValueError, TypeError, AttributeError) as problem:
        raise CalqueError(
            f"{path} does not hold scores: {problem}", hint="delete it, and the same command measures them again"
        ) from problem
