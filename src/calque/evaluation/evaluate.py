"""One suite, one or several models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..model import Model
from .bootstrap import RESAMPLES, Difference, difference
from .result import Result
from .standing import known_first, standing_of, warn_of_sets
from .subject import open_subject
from .suites import SUITES, Suite

Which = str | Path | Model | None
Report = Callable[[str, int, int], None]  # what is being measured, and how many sets of how many are done


@dataclass(frozen=True)
class Evaluation:
    """What a model reached on a suite."""

    model: str
    suite: str
    results: tuple[Result, ...]
    means: tuple[Result, ...]  # of a year's sets, of all sets

    @property
    def rows(self) -> tuple[Result, ...]:
        return (*self.results, *self.means)

    def __getitem__(self, name: str) -> Result:
        """By its full name, `sts17:track5.en-en`, or without the suite's."""
        for row in self.rows:
            if name in (row.name, row.name.partition(":")[2]):
                return row
        raise KeyError(name)

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "suite": self.suite,
            "results": [row.as_dict() for row in self.results],
            **({"means": [row.as_dict() for row in self.means]} if self.means else {}),
        }


def evaluate(
    model: Which,
    suite: str,
    data: str | Path,
    *,
    only: Sequence[str] = (),
    resamples: int = RESAMPLES,
    report: Report = lambda name, done, total: None,
) -> Evaluation:
    """Measures a model on a suite whose files lie in the folder `data`.

    `calque.evaluate("my-model/", "sts17", "sts17/")["track5.en-en"].values["pearson"]` is one score; `rows` of what
    comes back are all of them, each with its signature and its 95 % interval.

    Args:
        model: A model, or its folder; None is the one that `calque.load()` opens. Also a baseline (`random-sp`,
            `random-word`, `random-trigram`) or another library's model (`sentence-transformers:NAME`,
            `model2vec:NAME`).
        suite: One of sts, sts17, stsb, bucc, tatoeba, retrieval, alignment and speed.
        data: What `calque corpus download` has fetched, or a folder above it.
        only: Parts of sets' names, such as `"en-en"` or `"track4*"`; other sets are left out.
        resamples: For the intervals; 0 leaves them out.
        report: Told the name of each set before it is measured.

    Raises:
        CalqueError: no such suite, model or files, or a file that cannot be read, with the place.
    """
    return evaluate_all([model], suite, data, only=only, resamples=resamples, report=report)[0]


def evaluate_all(
    models: Sequence[Which],
    suite: str,
    data: str | Path,
    *,
    only: Sequence[str] = (),
    resamples: int = RESAMPLES,
    report: Report = lambda name, done, total: None,
) -> list[Evaluation]:
    """Several models on the same data; every model is opened before the first is measured."""
    chosen = _suite(suite)
    sets = _only(chosen, suite, chosen.find(data), only)
    subjects = [open_subject(model, lambda: (text for each in sets for text in chosen.texts(each))) for model in models]
    for subject in subjects:
        warn_of_sets(subject, sets)
    standing = standing_of(subjects, sets)
    sets = known_first(sets, standing)
    evaluations: list[Evaluation] = []
    for subject in subjects:
        label = f"{subject.label}: " if len(subjects) > 1 else ""
        before, places = len(sets) * len(evaluations), count()

        def said(name: str, label: str = label, before: int = before, places: Iterator[int] = places) -> None:
            report(label + name, before + next(places), len(sets) * len(subjects))

        measured = chosen.measure(suite, subject, sets, resamples, said, standing)
        evaluations.append(Evaluation(subject.label, suite, tuple(measured.results), tuple(measured.means)))
    return evaluations


def differences(first: Evaluation, second: Evaluation) -> dict[str, Difference]:
    """By row's name, how much better the second is, by the suite's first measure; a paired bootstrap test.

    Left out are rows whose resamples are not the same ones, or that have none: speed, and a threshold that cannot be
    told.
    """
    measure = SUITES[first.suite].measures[0]
    found = {}
    for one in first.rows:
        two = next((row for row in second.rows if row.name == one.name), None)
        if two is None or any(measure not in row.replicates for row in (one, two)):
            continue
        apart = difference(one.replicates[measure], two.replicates[measure], two.values[measure] - one.values[measure])
        if apart is not None:
            found[one.name] = apart
    return found


def _suite(name: str) -> Suite:
    if name not in SUITES:
        raise UsageError(f"no suite called {name}", hint=f"there are {', '.join(SUITES)}")
    return SUITES[name]


def _only(chosen: Suite, suite: str, sets: Sequence[Any], only: Sequence[str]) -> Sequence[Any]:
    if not only:
        return sets
    if suite == "speed":
        raise UsageError("speed is measured on one text: there is nothing to choose from", hint="leave out --only")
    kept = [each for each in sets if any(_holds(each.name, wanted) for wanted in only)]
    if not kept:
        raise UsageError(f"no set's name holds {' or '.join(only)}", hint=f"there are {_names(sets)}")
    return kept


def _holds(name: str, wanted: str) -> bool:
    """A language pair may be named either way round.

    >>> _holds("de-dev", "de"), _holds("en-dev", "de"), _holds("track4a.es-en", "track4*"), _holds("es-en", "en-es")
    (True, False, True, True)
    """
    pair = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", wanted)
    ways = [wanted, f"{pair[2]}-{pair[1]}"] if pair else [wanted]
    pattern = "|".join(re.escape(way).replace(r"\*", ".*").replace(r"\?", ".") for way in ways)
    return re.search(rf"(^|[^0-9A-Za-z])({pattern})($|[^0-9A-Za-z])", name) is not None


def _names(sets: Sequence[Any]) -> str:
    names = [each.name for each in sets]
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
