"""The bitext as token ids: all of it in memory, unless it is large (`large_corpus.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from ..batches import batches
from ..corpus import Bitext, Languages, PlainText
from ..errors import CorpusError
from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.pieces import begins_word, says_nothing
from ..vocabulary.tokens import Ids

_BATCH = 50_000  # pairs turned to ids at a time
_COUNTED = 1 << 22  # ids counted at a time: numpy takes eight bytes for each while it counts

Truths = npt.NDArray[np.bool_]
Source = Bitext | PlainText


class Part(NamedTuple):
    """The pairs of one bitext or one plain text."""

    languages: Languages | None
    pairs: int
    plain: bool = False  # text of one language, each sentence of which is paired with itself


Parts = tuple[Part, ...]


class Side(NamedTuple):
    """What a part has on one side, and how often an epoch sees it."""

    number: int  # 0: the source, 1: the target
    language: str | None
    counts: npt.NDArray[np.int64]  # how often each row's token occurs
    weight: float


class Sides(NamedTuple):
    """Pair i is source[i], target[i]."""

    source: Tokens
    target: Tokens

    def take(self, pairs: npt.NDArray[Any]) -> Sides:
        """The pairs of these numbers, in this order."""
        return Sides(self.source.take(pairs), self.target.take(pairs))


class Chunk(NamedTuple):
    """Some pairs of a part."""

    part: int
    sides: Sides


class Corpus(ABC):
    """What a run learns from; `parts` says which run of pairs comes from which language pair."""

    parts: Parts
    weights: tuple[float, ...]  # how often a part's pairs are seen in an epoch; none: once each
    begins_word: Truths | None  # one truth a row of the vocabulary, if some parts are plain text
    silent: tuple[int, ...]  # rows whose pieces say nothing

    @property
    @abstractmethod
    def windows(self) -> int:
        """How many shares an epoch sees it in, one after the other; only one is in memory."""

    @abstractmethod
    def window(self, number: int, epoch: int, seed: int) -> Sides:
        """One share: of each part `share(pairs, number, windows)`, part by part."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """Changes when anything that training sees does."""

    @abstractmethod
    def part(self, number: int) -> Iterable[Sides]:
        """All pairs of a part, as many at a time as suits."""

    @property
    def part_weights(self) -> tuple[float, ...]:
        return self.weights or (1.0,) * len(self.parts)

    @property
    def monolingual(self) -> bool:
        return all(part.languages is not None and part.languages[0] == part.languages[1] for part in self.parts)

    def sides(self, rows: int) -> Iterator[Side]:
        """Part by part, the source before the target."""
        for part, weight in zip(range(len(self.parts)), self.part_weights, strict=True):
            counts = np.zeros((2, rows), np.int64)
            for sides in self.part(part):
                for tokens, count in zip(sides, counts, strict=True):
                    _count(tokens.ids, count)
            languages = self.parts[part].languages
            for number in range(2):
                yield Side(number, languages[number] if languages else None, counts[number], weight)


@dataclass(frozen=True)
class TrainingCorpus(Corpus):
    """One that is in memory: pair i is source[i], target[i]."""

    source: Tokens
    target: Tokens
    parts: Parts
    weights: tuple[float, ...] = ()
    begins_word: Truths | None = None
    silent: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.source)

    @property
    def windows(self) -> int:
        return 1

    def window(self, number: int, epoch: int, seed: int) -> Sides:
        return Sides(self.source, self.target)

    def part(self, number: int) -> Iterator[Sides]:
        begin = sum(part.pairs for part in self.parts[:number])
        end = begin + self.parts[number].pairs
        yield Sides(self.source.run(begin, end), self.target.run(begin, end))

    @property
    def digest(self) -> str:
        state = xxhash.xxh3_128(repr((self.parts, *self.weights)).encode())
        arrays: tuple[Any, ...] = (self.source.ids, self.source.offsets, self.target.ids, self.target.offsets)
        for array in arrays:
            state.update(np.ascontiguousarray(array).view(np.uint8).data)
        return state.hexdigest()


def tokenise(
    bitexts: Sequence[Source],
    vocabulary: Vocabulary,
    threads: int,
    report: Callable[[int], None] = lambda pairs: None,
    weights: tuple[float, ...] = (),
) -> TrainingCorpus:
    """Reads the bitexts into memory; pairs with a side of nothing but unknown text are left out.

    Raises:
        CorpusError: nothing remains.
    """
    return in_memory(list(read_chunks(bitexts, vocabulary, threads, report)), bitexts, vocabulary, weights)


def read_chunks(
    bitexts: Sequence[Source], vocabulary: Vocabulary, threads: int, report: Callable[[int], None]
) -> Iterator[Chunk]:
    """The pairs as ids, some thousand at a time."""
    pairs = 0
    for part, bitext in enumerate(bitexts):
        source_language, target_language = bitext.languages or (None, None)
        for batch in batches(bitext.pairs(), _BATCH):
            source = vocabulary.encode([pair.source for pair in batch], source_language, threads)
            if isinstance(bitext, PlainText):
                target = source
            else:
                target = vocabulary.encode([pair.target for pair in batch], target_language, threads)
            sides = _both_known(source, target)
            pairs += len(sides.source)
            report(pairs)
            yield Chunk(part, sides)


def in_memory(
    chunks: Collection[Chunk], bitexts: Sequence[Source], vocabulary: Vocabulary, weights: tuple[float, ...]
) -> TrainingCorpus:
    pairs = [0] * len(bitexts)
    for part, sides in chunks:
        pairs[part] += len(sides.source)
    parts = checked_parts(bitexts, pairs, weights)
    source, target = (Tokens.concatenate((chunk.sides[side] for chunk in chunks), vocabulary.size) for side in range(2))
    return TrainingCorpus(source, target, parts, weights, words_begun(parts, vocabulary), silent_rows(vocabulary))


def words_begun(parts: Parts, vocabulary: Vocabulary) -> Truths | None:
    """Which rows begin a word, if that will be asked."""
    if not any(part.plain for part in parts):
        return None
    return np.array([begins_word(piece, vocabulary.kind) for piece in vocabulary.pieces], np.bool_)


def silent_rows(vocabulary: Vocabulary) -> tuple[int, ...]:
    """Rows that must be zero, or all texts in a script that the vocabulary lacks would be alike."""
    return tuple(row for row, piece in enumerate(vocabulary.pieces) if says_nothing(piece, vocabulary.kind))


def checked_parts(bitexts: Sequence[Source], pairs: Sequence[int], weights: tuple[float, ...]) -> Parts:
    """
    Raises:
        CorpusError: there is nothing to train on.
    """
    if sum(pairs) == 0:
        names = ", ".join(path for bitext in bitexts for path in bitext.paths)
        raise CorpusError(
            f"no sentence pairs in {names}", hint="a pair needs text on both sides, plain text lines that are not blank"
        )
    if weights and not any(map(seen, pairs, weights)):
        raise CorpusError(
            "the weights of the bitexts are too small for an epoch to see a single pair",
            hint="give at least one of them a larger --weight",
        )
    return tuple(
        Part(bitext.languages, count, isinstance(bitext, PlainText))
        for bitext, count in zip(bitexts, pairs, strict=True)
    )


def seen(pairs: int, weight: float) -> int:
    """How many pairs an epoch sees, repeats counted, of a bitext of so many."""
    return round(weight * pairs)


def share(pairs: int, number: int, windows: int) -> range:
    """Which of a part's pairs, in the order that an epoch deals them in, a window holds."""
    return range(pairs * number // windows, pairs * (number + 1) // windows)


def _both_known(source: Tokens, target: Tokens) -> Sides:
    kept = (np.diff(source.offsets) > 0) & (np.diff(target.offsets) > 0)
    return Sides(source.select(kept), target.select(kept))


def _count(ids: Ids, counts: npt.NDArray[np.int64]) -> None:
    for begin in range(0, len(ids), _COUNTED):
        counts += np.bincount(ids[begin : begin + _COUNTED], minlength=len(counts))
