"""What a bitext is like, in one pass: sizes, lengths, pieces in common, repeats and likely noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batches import batches, regrouped
from ..corpus import Columns, Languages, Pair, find_bitexts
from ..corpus.cleaning import Counted, choose_rules
from ..corpus.cleaning.measures import Batch, Measures
from ..errors import CorpusError, UsageError
from ..threads import resolve_threads
from ..vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from ..vocabulary.overlap import overlap_of_counts
from .inputs import Paths, as_paths, open_all

EDGES = (0, 10, 20, 40, 60, 80, 100, 150, 200, 300, 400, 600, 1000)  # characters; the last bin has no end
PIECES = 20_000  # the paper's
FEWEST_PIECES = 16
SAMPLE = 100_000  # pairs that pieces are learnt from
_BATCH = 8192
_TOO_SLOW = "wrong-language"  # seconds for every ten thousand pairs


@dataclass(frozen=True)
class SideStats:
    language: str | None
    words: int  # runs between white space
    characters: int
    mean_words: float
    mean_characters: float
    longest: int  # characters
    lengths: tuple[int, ...]  # texts in each bin of EDGES


@dataclass(frozen=True)
class Overlap:
    """The paper's SP overlap: which share of the source's pieces are also pieces of the target's text.

    Each side is segmented by a vocabulary of its own, of `size` pieces: fewer than asked for if the text is short.
    """

    share: float
    token_share: float  # of all pieces of the source's text, counted as often as they occur
    size: int
    pairs: int
    tokens: tuple[int, int]  # pieces of all those texts


@dataclass(frozen=True)
class Stats:
    pairs: int
    source: SideStats
    target: SideStats
    pieces: int  # asked for; 0: the overlap was left out
    overlap: Overlap | None  # None, too, if there is too little text to learn pieces from
    noise: dict[str, Counted]  # by rule: pairs that it would drop, each rule by itself
    skipped: dict[str, str]  # rule, and why it could not work

    def as_dict(self) -> dict[str, Any]:
        return {"edges": list(EDGES)} | asdict(self)


def stats(
    bitext: Paths,
    *,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    pieces: int = PIECES,
    threads: int | None = None,
    report: Callable[[int], None] = lambda pairs: None,
) -> Stats:
    """Counts what there is to know of a bitext; `pieces=0` leaves out the overlap, which takes longest."""
    if pieces and pieces < FEWEST_PIECES:
        raise UsageError(f"pieces: expected 0, or {FEWEST_PIECES} or more, got {pieces}")
    count = resolve_threads(threads)
    sample: list[Pair] = []
    with open_all(find_bitexts(as_paths(bitext), languages, columns, format)) as reading:
        counting = _Counting(reading.languages, count)
        for batch in regrouped(reading.batches, _BATCH):
            counting.add(batch)
            if pieces:
                sample += batch[: SAMPLE - len(sample)]
            report(counting.pairs)
    if not counting.pairs:
        raise CorpusError(
            f"no sentence pairs in {', '.join(as_paths(bitext))}",
            hint="--columns says which columns hold source and target",
        )
    overlap = piece_overlap(sample, pieces, count) if pieces else None
    source, target = counting.sides()
    return Stats(counting.pairs, source, target, pieces, overlap, counting.noise, counting.skipped)


class _Counting:
    def __init__(self, languages: Languages | None, threads: int) -> None:
        self._languages, self._threads = languages, threads
        cleaning = choose_rules("strict", without=[_TOO_SLOW], languages_known=languages is not None)
        self._rules, self.skipped = cleaning.rules, cleaning.skipped
        self.noise = {rule.name: Counted() for rule in self._rules}
        self.pairs = 0
        self._totals = [np.zeros(2, np.int64), np.zeros(2, np.int64)]  # words, characters
        self._longest = [0, 0]
        self._lengths = [np.zeros(len(EDGES), np.int64), np.zeros(len(EDGES), np.int64)]

    def add(self, pairs: list[Pair]) -> None:
        batch = Batch(pairs, self._languages, self._threads)
        self.pairs += len(batch)
        for side, measures in enumerate((batch.source, batch.target)):
            self._add_side(side, measures)
        for rule in self._rules:
            bad = np.flatnonzero(~rule.accept(rule.score(batch)))
            self.noise[rule.name].add([batch.pairs[at] for at in bad])

    def _add_side(self, side: int, measures: Measures) -> None:
        characters = measures["characters"].astype(np.int64)
        self._totals[side] += [measures["words"].sum(dtype=np.int64), characters.sum()]
        self._longest[side] = max(self._longest[side], int(characters.max()))
        self._lengths[side] += _histogram(characters)

    def sides(self) -> tuple[SideStats, SideStats]:
        made = []
        for side in (0, 1):
            words, characters = map(int, self._totals[side])
            made.append(
                SideStats(
                    language=self._languages[side] if self._languages else None,
                    words=words,
                    characters=characters,
                    mean_words=words / self.pairs,
                    mean_characters=characters / self.pairs,
                    longest=self._longest[side],
                    lengths=tuple(map(int, self._lengths[side])),
                )
            )
        return made[0], made[1]


def piece_overlap(pairs: Sequence[Pair], size: int, threads: int) -> Overlap | None:
    """None if there is too little text to learn any pieces from."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    vocabularies = _learn(sides, size)
    if vocabularies is None:
        return None
    source, target = (_segment(*each, threads) for each in zip(sides, vocabularies, strict=True))
    shared = overlap_of_counts(source, target)
    return Overlap(
        share=shared.types,
        token_share=shared.tokens,
        size=vocabularies[0].size,
        pairs=len(pairs),
        tokens=(source.total(), target.total()),
    )


def _segment(texts: Sequence[str], vocabulary: Vocabulary, threads: int) -> Counter[str]:
    """How often each piece occurs."""
    ids = np.concatenate([vocabulary.encode(batch, threads=threads).ids for batch in batches(texts, _BATCH)])
    counts = np.bincount(ids, minlength=vocabulary.size).tolist()
    return Counter({piece: count for piece, count in zip(vocabulary.pieces, counts, strict=True) if count})


def _learn(sides: Sequence[Sequence[str]], size: int) -> list[Vocabulary] | None:
    """One vocabulary a side, of the same size; with fewer pieces, if a side's text does not support so many."""
    while size >= FEWEST_PIECES:
        try:
            return [_vocabulary_of(texts, size) for texts in sides]
        except CorpusError:
            size //= 2
    return None


def _vocabulary_of(texts: Sequence[str], size: int) -> Vocabulary:
    return build_vocabulary(VocabularySpec("sp", size), lambda: ((None, text) for text in texts))


def _histogram(characters: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.bincount(np.searchsorted(EDGES, characters, side="right") - 1, minlength=len(EDGES))
