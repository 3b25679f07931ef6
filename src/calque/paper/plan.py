"""The experiments that tables will ask for, known beforehand, so that progress can say n of m and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from .workshop import Experiment, Measure, Score, Scores, Workshop

# Work in seconds of some machine. Only the shares count: the time left comes from how fast this machine has been.
_MEASURING = 2.0
_PIECES = 4e-4  # for each pair that SentencePiece learns a vocabulary from
_PAIR = 1.5e-4  # for each pair of an epoch at 300 dimensions
_TRIGRAMS = 2.0  # times as slow, being more than pieces
_RECURRENT = 100.0  # times as slow
_DIMENSION = 300


class _Anything(Scores):
    """Scores of any name, in place of those that are not measured yet."""

    def __missing__(self, name: str) -> Score:
        return Score(0.0)


@dataclass
class Rehearsal(Workshop):
    """A workshop that trains, measures and draws nothing, and notes what it was asked for."""

    asked: dict[str, float] = field(default_factory=dict)  # the work, by the name of the scores' file

    def scores(self, experiment: Experiment, measure: Measure, suite: str) -> Scores:
        self.asked[self.path_of(experiment, suite).name] = self._work(experiment)
        return _Anything()

    def draw(self, plot: object) -> tuple[str, ...]:
        return ()

    def _work(self, experiment: Experiment) -> float:
        options = experiment.options
        pairs = min(experiment.pairs, self.size(experiment.corpus))
        vocabulary = options.get("vocabulary", "sp")
        learnt = _PIECES * pairs if vocabulary == "sp" else 0.0
        wide = (
            1 + int(options.get("dimension", _DIMENSION)) / _DIMENSION
        ) / 2  # only half of the work is with dimensions
        slow = _RECURRENT if options.get("encoder") == "blstm" else _TRIGRAMS if vocabulary == "trigram" else 1.0
        return _MEASURING + learnt + _PAIR * pairs * int(options["epochs"]) * wide * slow


@dataclass
class Plan:
    """
    >>> plan = Plan({"a": 1.0, "b": 2.0, "c": 1.0}, finished={"a"}, now=iter([0.0, 0.0, 60.0]).__next__)
    >>> plan.begin("b")
    'training 2 of 3'
    >>> plan.end("b")
    >>> plan.begin("c")
    'training 3 of 3, 1 minute left'
    """

    work: Mapping[str, float]
    finished: set[str]
    now: Callable[[], float] = time.monotonic
    _begun: float = 0.0
    _done: float = 0.0  # of the work, since it was begun

    def __post_init__(self) -> None:
        self._begun = self.now()

    def begin(self, name: str) -> str:
        """The place of an experiment among all, and the time that it and those after it will take."""
        place = f"{len(self.finished) + 1} of {len(self.work)}"
        passed = self.now() - self._begun
        if not self._done:
            return f"training {place}"
        left = sum(work for each, work in self.work.items() if each not in self.finished)
        return f"training {place}, {_time_text(passed * left / self._done)} left"

    def end(self, name: str) -> None:
        self.finished.add(name)
        self._done += self.work.get(name, 0.0)


def plan_of(workshop: Workshop, tables: Iterable[Callable[[Workshop], object]]) -> Plan:
    """What the tables will have trained and measured; what is measured already is finished."""
    rehearsal = Rehearsal(workshop.library, workshop.scale, workshop.out, _sizes=workshop._sizes)
    for table in tables:
        table(rehearsal)
    finished = {name for name in rehearsal.asked if (workshop.out / "scores" / name).exists()}
    return Plan(rehearsal.asked, finished)


def _time_text(seconds: float) -> str:
    """
    >>> _time_text(20), _time_text(100), _time_text(5000), _time_text(200_000)
    ('less than a minute', '2 minutes', '1 hour 23 minutes', '2 days 7 hours')
    """
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    counts = {"day": days, "hour": hours, "minute": 0 if days else minutes}
    return " ".join(f"{count} {unit}{'s' if count > 1 else ''}" for unit, count in counts.items() if count)
