"""Two texts in, pairs out, best first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..corpus import Pair
from ..corpus.expectation import Named, is_mixture, most_of
from ..corpus.identification import available
from ..errors import CorpusError, Stopped, UsageError
from ..model import Model
from ..model.familiarity import doubt_about
from ..neighbours.matching import Matches
from ..neighbours.nearest import BothWays
from ..threads import resolve_threads
from ..thresholds import Calibration
from .approximate import find_most_neighbours, is_worth_it
from .choosing import MiningReport, choose, report_of
from .config import MiningConfig
from .job import Job, open_job
from .known_pairs import Known, encode_known, enough_known, score_known
from .pile import Pile, PileSummary, fingerprint, make_pile, nothing_seen, open_pile
from .search import Conditions, Progress, find_neighbours


@dataclass(frozen=True)
class Mined:
    """A pair that was found; as a tuple it is score, source and target. Lines are counted from 1."""

    score: float
    source: str
    target: str
    source_line: int
    target_line: int

    def __iter__(self) -> Iterator[Any]:
        return iter((self.score, self.source, self.target))


# Makes a block within which the function that it gives says whether somebody wants it to end.
Stopping = Callable[[], contextlib.AbstractContextManager[Callable[[], bool]]]


def never_stopping() -> contextlib.AbstractContextManager[Callable[[], bool]]:
    return contextlib.nullcontext(bool)


class Text(NamedTuple):
    """What to mine: lines, which may have to be read more than once, and what to call them in messages."""

    name: str
    lines: Callable[[], Iterable[str]]
    language: str | None = None  # that the name of its file tells


class MiningWatch:
    """Hears how far it has come; this one keeps it to itself."""

    def read(self, name: str, lines: int) -> None: ...

    def searched(self, progress: Progress) -> None: ...


class Mining:
    """Mines in a folder: what it has come to is kept there, and the same texts, model and options go on from it."""

    def __init__(self, model: Model, config: MiningConfig, folder: Path, watch: MiningWatch | None = None) -> None:
        self.model = model
        self.config = config
        self.folder = folder
        self.watch = watch or MiningWatch()
        self.threads = resolve_threads(config.threads)
        self.calibration: Calibration | None = None
        self.progress: Progress | None = None
        self.recall: float | None = None  # of the neighbours, where search is approximate
        self.scores = np.empty(0, np.float32)  # of all candidates, best first

    def run(
        self, source: Text, target: Text, known: Iterable[Pair] | None = None, stopping: Stopping = never_stopping
    ) -> tuple[MiningReport, Iterator[Mined]]:
        """`known` are translations that the threshold is calibrated on; only the search is within `stopping`.

        A pile is saved as a whole, so that to end its reading at once loses no more than to end it later.

        Raises:
            Stopped: somebody wanted the search to end; its state is in the folder.
            CorpusError: a text without a sentence.
            UsageError: the folder holds the work on other texts, or by other options.
        """
        self.model.require_vocabularies(self.config.languages or ())
        pairs = enough_known(list(known)) if known is not None else None
        config = self.config
        named = named_languages(config, (source.language, target.language))
        open_job(self.folder, Job(self.model.checksum, config.neighbours, config.keep_repeats, config.languages, named))
        one, two = (
            self._pile(name, text, side, named[side] if named else None)
            for side, (name, text) in enumerate((("source", source), ("target", target)))
        )
        with stopping() as stop_asked:
            found = self._neighbours(one, two, stop_asked)
        scores = self._score_known(pairs, (one, two), found) if pairs is not None else None
        doubt = doubt_of(self.model, config, (source.language, target.language), (one.summary, two.summary))
        chosen = choose(found, (one.identities, two.identities), config, scores, doubt)
        self.calibration, self.scores = chosen.calibration, chosen.matches.score
        report = report_of(chosen, one.summary, two.summary, self.recall)
        return report, _mined(chosen.matches, chosen.kept, one, two)

    def _pile(self, name: str, text: Text, side: int, expected: Named | None) -> Pile:
        pile = open_pile(self.folder, name)
        if pile is not None and pile.summary.fingerprint != fingerprint(text.lines()):
            raise UsageError(
                f"{text.name} has changed since the work in {self.folder} was begun",
                hint=f"delete it to begin anew: rm -r {self.folder}",
            )
        if pile is None:
            pile = make_pile(
                self.folder,
                name,
                text.lines(),
                self.model,
                language=self._language(side),
                seen=nothing_seen(self.config.keep_repeats),
                threads=self.threads,
                expected=expected,
                watch=lambda lines: self.watch.read(text.name, lines),
            )
        require_sentences(pile.summary, text.name)
        return pile

    def _neighbours(self, source: Pile, target: Pile, stop_asked: Callable[[], bool]) -> BothWays:
        search, recall, k = self.config.search, self.config.recall, self.config.neighbours
        most = search == "approximate" or (search == "auto" and is_worth_it(source, target))
        folder = self.folder / (f"approximate-{recall}" if most else "exact")
        work = Conditions(folder, self.config.memory, self.threads, self._heard, stop_asked)
        found = (
            find_most_neighbours(source, target, k, recall, work) if most else find_neighbours(source, target, k, work)
        )
        if found is None:
            share = self.progress.done / self.progress.total if self.progress else 0
            raise Stopped(f"stopped at {share:.1%}; everything so far is saved", hint="the same command goes on")
        if isinstance(found, BothWays):
            return found
        self.recall = min(found.forward.share, found.backward.share)
        return found.neighbours

    def _heard(self, progress: Progress) -> None:
        self.progress = progress
        self.watch.searched(progress)

    def _score_known(self, known: list[Pair], piles: tuple[Pile, Pile], found: BothWays) -> Known:
        vectors = encode_known(self.model, known, self.config.languages, self.threads)
        text = (piles[0].vectors, piles[1].vectors)
        return score_known(vectors, text, found, self.config.margin, self.config.k, self.threads)

    def _language(self, side: int) -> str | None:
        return self.config.languages[side] if self.config.languages else None


def named_languages(config: MiningConfig, by_name: tuple[str | None, str | None]) -> tuple[Named, Named] | None:
    """The languages of both sides as far as they are told; None if lines are not checked for them."""
    if config.keep_other_languages or not available():
        return None
    told = config.languages or (None, None)
    return Named(told[0], by_name[0]), Named(told[1], by_name[1])


def doubt_of(
    model: Model,
    config: MiningConfig,
    by_name: tuple[str | None, str | None],
    piles: tuple[PileSummary, PileSummary],
) -> str:
    """Return the reason why the text alone is not believed: a side's language, told or found.

    A name that nothing has checked is taken at its word; one that the text belies gives way to what most lines are in.
    """
    for name, pile in zip(("source", "target"), piles, strict=True):
        if is_mixture(pile.mixed):
            return f"the {name} is in several languages"
    found = [
        pile.expected or (most_of(pile.mixed) if pile.mixed else name)
        for pile, name in zip(piles, by_name, strict=True)
    ]
    return doubt_about(model, *(config.languages or found))


class NothingToMine(CorpusError):
    """A side without a sentence, or without one in its language."""


def require_sentences(pile: PileSummary, name: str) -> None:
    """
    Raises:
        NothingToMine: there are none.
    """
    if pile.sentences:
        return
    if pile.others:
        found = ", ".join(pile.others)
        raise NothingToMine(
            f"{name} holds no sentence in {pile.expected}: its lines are in {found}",
            hint="correct --languages, or keep them all with --keep-other-languages",
        )
    raise NothingToMine(f"{name} holds no sentence", hint="mining takes two texts, a sentence a line")


def _mined(matches: Matches, kept: int, source: Pile, target: Pile) -> Iterator[Mined]:
    for at in range(kept):
        one, two = int(matches.source[at]), int(matches.target[at])
        yield Mined(float(matches.score[at]), source.text(one), target.text(two), source.line(one), target.line(two))
