"""The bitext as token ids, all of it in memory: 10 million pairs fit in a few GB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import xxhash

from ..batches import batches
from ..corpus import Bitext, Languages
from ..errors import CorpusError
from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.tokens import Ids

_BATCH = 50_000  # pairs turned to ids at a time


class Side(NamedTuple):
    """What a part has on one side, and how often an epoch sees it."""

    number: int  # 0: the source, 1: the target
    language: str | None
    ids: Ids
    weight: float


@dataclass(frozen=True)
class TrainingCorpus:
    """Pair i is source[i], target[i]; `parts` says which run of pairs comes from which language pair."""

    source: Tokens
    target: Tokens
    parts: tuple[tuple[Languages | None, int], ...]  # languages, number of pairs
    weights: tuple[float, ...] = ()  # how often a part's pairs are seen in an epoch; none: once each

    def __len__(self) -> int:
        return len(self.source)

    @property
    def part_weights(self) -> tuple[float, ...]:
        return self.weights or (1.0,) * len(self.parts)

    def sides(self) -> Iterator[Side]:
        """Part by part, each with its tokens in one row."""
        begin = 0
        for (languages, pairs), weight in zip(self.parts, self.part_weights, strict=True):
            for number, tokens in enumerate((self.source, self.target)):
                ids = tokens.ids[int(tokens.offsets[begin]) : int(tokens.offsets[begin + pairs])]
                yield Side(number, languages[number] if languages else None, ids, weight)
            begin += pairs

    @property
    def digest(self) -> str:
        """Changes when anything that training sees does."""
        state = xxhash.xxh3_128(repr((self.parts, *self.weights)).encode())
        arrays: tuple[Any, ...] = (self.source.ids, self.source.offsets, self.target.ids, self.target.offsets)
        for array in arrays:
            state.update(np.ascontiguousarray(array).view(np.uint8).data)
        return state.hexdigest()

    @property
    def monolingual(self) -> bool:
        return all(languages is not None and languages[0] == languages[1] for languages, _ in self.parts)


def tokenise(
    bitexts: Sequence[Bitext],
    vocabulary: Vocabulary,
    threads: int,
    report: Callable[[int], None] = lambda pairs: None,
    weights: tuple[float, ...] = (),
) -> TrainingCorpus:
    """Reads the bitexts; pairs with a side of nothing but unknown text are left out.

    Raises:
        CorpusError: nothing remains.
    """
    sources: list[Tokens] = []
    targets: list[Tokens] = []
    parts = []
    pairs = 0
    for bitext in bitexts:
        before = pairs
        source_language, target_language = bitext.languages or (None, None)
        for batch in batches(bitext.pairs(), _BATCH):
            source = vocabulary.encode([pair.source for pair in batch], source_language, threads)
            target = vocabulary.encode([pair.target for pair in batch], target_language, threads)
            source, target = _both_known(source, target)
            sources.append(source)
            targets.append(target)
            pairs += len(source)
            report(pairs)
        parts.append((bitext.languages, pairs - before))
    if pairs == 0:
        names = ", ".join(path for bitext in bitexts for path in bitext.paths)
        raise CorpusError(f"no sentence pairs in {names}", hint="a pair needs text on both sides")
    if weights and not any(seen(count, weight) for (_, count), weight in zip(parts, weights, strict=True)):
        raise CorpusError(
            "the weights of the bitexts are too small for an epoch to see a single pair",
            hint="give at least one of them a larger --weight",
        )
    size = vocabulary.size
    return TrainingCorpus(Tokens.concatenate(sources, size), Tokens.concatenate(targets, size), tuple(parts), weights)


def seen(pairs: int, weight: float) -> int:
    """How many pairs an epoch sees, repeats counted, of a bitext of so many."""
    return round(weight * pairs)


def _both_known(source: Tokens, target: Tokens) -> tuple[Tokens, Tokens]:
    kept = (np.diff(source.offsets) > 0) & (np.diff(target.offsets) > 0)
    return source.select(kept), target.select(kept)
