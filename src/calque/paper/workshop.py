"""Where experiments run: what has been trained and measured once is never made again.

OUT/corpora/    samples of bitext
OUT/models/     models that are being trained and measured
OUT/scores/     what was measured, one file an experiment
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from .._version import __version__
from ..atomic import cannot_write, write_text
from ..corpus import Bitext
from ..corpus.writing import write_bitext
from ..errors import CalqueError, UsageError
from ..evaluation.result import Result
from ..evaluation.sets.sts import find_sts17
from ..model import Model, load
from ..tasks.train import Watcher, resume, train
from ..vocabulary.sentencepiece import TooFewWords
from .library import Corpus, Library
from .scale import Scale

SEED = 1


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
    pairs: int | None  # at most
    options: Mapping[str, Any]
    select: bool = False  # keep the epoch that is best on STS 2017 en-en, as the paper does


@dataclass
class Workshop:
    library: Library
    scale: Scale
    out: Path
    say: Callable[[str], None] = lambda line: None
    watcher: Callable[[str], Watcher] = lambda name: Watcher()
    _sizes: dict[Corpus, int] = field(default_factory=dict)

    def open(self) -> None:
        """Makes the folder, and removes what a stop in the middle of a model's deletion left."""
        try:
            (self.out / "models").mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise cannot_write(self.out, problem) from problem
        for folder in (self.out / "models").iterdir():
            if not any((folder / name).exists() for name in ("config.json", "training.json")):
                shutil.rmtree(folder)

    def draw(self, plot: Callable[[], Sequence[Path]]) -> tuple[str, ...]:
        """The pictures' names; none where the library that draws is not installed."""
        try:
            return tuple(path.name for path in plot())
        except UsageError as problem:
            self.say(f"no picture: {problem.message} ({problem.hint})")
            return ()

    def scores(self, experiment: Experiment, measure: Measure, what: str) -> Scores:
        """What `measure` finds of the trained model, which is then deleted; `what` names it."""
        key = _key(experiment)
        path = self.out / "scores" / f"{key}.{what}.json"
        if (saved := _read(path)) is not None:
            return saved
        model = self.model(experiment)
        scores = measure(model)
        self._write(path, scores)
        shutil.rmtree(self.out / "models" / key)
        return scores

    def model(self, experiment: Experiment) -> Model:
        """Trained, gone on with, or opened."""
        folder = self.out / "models" / _key(experiment)
        watcher = self.watcher(experiment.name)
        if (folder / "config.json").exists():
            return load(folder)
        if (folder / "training.json").exists():
            self.say(f"{experiment.name}: going on")
            return resume(folder, watcher=watcher)
        self.say(f"{experiment.name}: training")
        options = dict(experiment.options)
        dev = self.development_set() if experiment.select else None
        paths = self.bitext(experiment.corpus, experiment.pairs)
        folder.parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                return train([str(path) for path in paths], folder, dev=dev, watcher=watcher, seed=SEED, **options)
            except TooFewWords as problem:
                # A sample need not support as many pieces as the whole; the signature says how many there are.
                options["vocabulary_size"] = problem.supported

    def bitext(self, corpus: Corpus, pairs: int | None) -> tuple[Path, ...]:
        """The corpus's own files, or a sample of so many pairs if they hold more."""
        if pairs is None:
            return corpus.paths
        folder = self.out / "corpora"
        sample = folder / f"{'+'.join(corpus.sources)}-{pairs}.{'-'.join(corpus.languages)}.tsv"
        if sample.exists():
            return (sample,)
        every = list(chain.from_iterable(Bitext((str(path),), corpus.languages).pairs() for path in corpus.paths))
        if len(every) <= pairs:
            return corpus.paths
        folder.mkdir(parents=True, exist_ok=True)
        write_bitext([str(sample)], [random.Random(SEED).sample(every, pairs)], corpus.languages)
        return (sample,)

    def size(self, corpus: Corpus) -> int:
        """How many pairs it holds."""
        if corpus not in self._sizes:
            bitexts = [Bitext((str(path),), corpus.languages) for path in corpus.paths]
            self._sizes[corpus] = sum(len(batch) for bitext in bitexts for batch in bitext.batches())
        return self._sizes[corpus]

    def development_set(self) -> Path:
        """STS 2017 en-en as a file that training can read, whatever layout it lies in."""
        path = self.out / "corpora" / "sts17.en-en.tsv"
        if not path.exists():
            (english,) = [each for each in find_sts17(self.library.evaluation) if each.name.startswith("track5")]
            rows = zip(english.gold, english.first, english.second, strict=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, "".join(f"{gold}\t{first}\t{second}\n" for gold, first, second in rows))
        return path

    def _write(self, path: Path, scores: Scores) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        described = {name: score.as_dict() for name, score in scores.items()}
        write_text(path, json.dumps(described, indent=2, ensure_ascii=False) + "\n")


def _key(experiment: Experiment) -> str:
    """Another corpus, option or version of Calque is another experiment."""
    files = [(path.name, path.stat().st_size) for path in experiment.corpus.paths]
    parts = [files, experiment.pairs, sorted(experiment.options.items()), experiment.select, __version__]
    digest = hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:10]
    readable = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in experiment.name)
    return f"{readable}-{digest}"


def _read(path: Path) -> Scores | None:
    if not path.exists():
        return None
    try:
        return {name: Score(**score) for name, score in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError) as problem:
        raise CalqueError(f"{path} cannot be read: {problem}", hint="delete it to measure again") from problem
