"""Development sets: judged pairs or held-out translations choose the epoch to keep, and translations measure it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from ..corpus import Bitext, Languages, Pair, find_bitexts, read_lines, read_scored_pairs
from ..corpus.bitext import languages_in_name
from ..corpus.formats import format_of
from ..encoder.average import unit
from ..encoder.protocol import Vectors
from ..errors import CorpusError, UsageError
from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.sharing import SeparateVocabularies

MOST = 1000  # translations that are measured: figures are comparable only among about as many
_READ = 100_000  # pairs that these are spread over

Encode = Callable[[Tokens], Vectors]


@dataclass(frozen=True)
class DevelopmentSet:
    """Sentence pairs with a judgement of their similarity."""

    name: str
    gold: npt.NDArray[np.float64]
    first: Tokens
    second: Tokens

    @classmethod
    def read(cls, path: str | Path, vocabulary: Vocabulary) -> DevelopmentSet:
        """A TSV of score, sentence, sentence; a name like `sts.en-es.tsv` tells the sides' languages."""
        pairs = read_scored_pairs(path)
        first, second = languages_in_name(str(path)) or (None, None)
        _require_members(vocabulary, path, (first, second))
        return cls(
            Path(path).stem,
            np.array([pair.score for pair in pairs]),
            vocabulary.encode([pair.first for pair in pairs], first),
            vocabulary.encode([pair.second for pair in pairs], second),
        )

    @property
    def digest(self) -> str:
        """Changes when anything that it judges by does."""
        state = xxhash.xxh3_128(self.gold.tobytes())
        for tokens in (self.first, self.second):
            state.update(tokens.ids.tobytes())
            state.update(tokens.offsets.tobytes())
        return state.hexdigest()

    def score(self, vectors: Encode) -> float:
        return self.pearson(vectors)

    def pearson(self, vectors: Encode) -> float:
        """Pearson's r × 100 between cosines and judgements; 0 if all cosines are the same."""
        both = unit(vectors(Tokens.concatenate([self.first, self.second], 0)))
        first, second = both[: len(self.first)], both[len(self.first) :]
        cosines = np.einsum("ij,ij->i", first, second, dtype=np.float64)
        if np.ptp(cosines) == 0 or np.ptp(self.gold) == 0:
            return 0.0
        return float(100 * np.corrcoef(cosines, self.gold)[0, 1])


class Retrieval(NamedTuple):
    """Per cent of the sentences of either side that find their translation among all of the other's."""

    forward: float
    backward: float

    @property
    def mean(self) -> float:
        return (self.forward + self.backward) / 2


@dataclass(frozen=True)
class Translations:
    """Held-out translations: at most a thousand, spread over the file, with no sentence twice."""

    name: str
    languages: Languages
    pairs: list[Pair]
    first: Tokens
    second: Tokens

    @classmethod
    def read(cls, bitext: Bitext, vocabulary: Vocabulary, languages: Languages | None) -> Translations:
        """`languages` are those of the training, for a file that does not tell its own.

        Raises:
            UsageError: the languages are not known.
            CorpusError: fewer than two pairs.
        """
        path = bitext.paths[0]
        known = bitext.languages or languages
        if known is None:
            raise UsageError(
                f"{path}: the languages of this development set are not known", hint="name it like dev.en-es.tsv"
            )
        _require_members(vocabulary, path, known)
        pairs = _spread(_distinct(islice(bitext.pairs(), _READ)))
        if len(pairs) < 2:
            raise CorpusError(
                f"{path}: expected at least two pairs, each with sentences of its own, got {len(pairs)}",
                hint="200 or more tell how well the model knows a language",
            )
        first = vocabulary.encode([pair.source for pair in pairs], known[0])
        return cls(bitext.name, known, pairs, first, vocabulary.encode([pair.target for pair in pairs], known[1]))

    @property
    def digest(self) -> str:
        return xxhash.xxh3_128(repr((self.languages, [tuple(pair) for pair in self.pairs])).encode()).hexdigest()

    def score(self, vectors: Encode) -> float:
        return retrieval(vectors(self.first), vectors(self.second)).mean


@dataclass(frozen=True)
class Development:
    """All development sets of a training; judged pairs choose the epoch if there are any, else translations do."""

    judged: DevelopmentSet | None
    translations: tuple[Translations, ...]

    @classmethod
    def read(
        cls, paths: Sequence[str | Path], vocabulary: Vocabulary, languages: Languages | None = None
    ) -> Development:
        """
        Raises:
            UsageError: several sets of judged pairs, or several of the same languages.
        """
        bitexts = [str(path) for path in paths if _is_bitext(path)]
        judged = [path for path in paths if str(path) not in bitexts]
        if len(judged) > 1:
            raise UsageError(
                f"{judged[0]} and {judged[1]} are two sets of judged pairs, and one chooses the epoch to keep",
                hint="leave one out, or join them",
            )
        found = find_bitexts(bitexts) if bitexts else []
        translations = tuple(Translations.read(bitext, vocabulary, languages) for bitext in found)
        pairs = [frozenset(each.languages) for each in translations]
        if len(set(pairs)) < len(pairs):
            raise UsageError("two development sets are of the same languages", hint="join them into one file")
        return cls(DevelopmentSet.read(judged[0], vocabulary) if judged else None, translations)

    @property
    def measure(self) -> str:
        """The name of the score that chooses an epoch."""
        return "pearson" if self.judged else "accuracy"

    @property
    def name(self) -> str:
        return self.judged.name if self.judged else "+".join(each.name for each in self.translations)

    @property
    def pairs(self) -> int:
        """Pairs behind the score."""
        return len(self.judged.gold) if self.judged else sum(len(each.pairs) for each in self.translations)

    @property
    def digest(self) -> str:
        """Changes when anything that it judges by does."""
        digests = [self.judged.digest] if self.judged else []
        digests += [each.digest for each in self.translations]
        return digests[0] if len(digests) == 1 else xxhash.xxh3_128("".join(digests).encode()).hexdigest()

    def score(self, vectors: Encode) -> float:
        if self.judged:
            return self.judged.score(vectors)
        return sum(each.score(vectors) for each in self.translations) / len(self.translations)


def retrieval(source: Vectors, target: Vectors) -> Retrieval:
    """Row i of either side belongs to row i of the other; of equally near ones, the first counts as found."""
    cosines = unit(source).astype(np.float64) @ unit(target).astype(np.float64).T
    own = np.arange(len(cosines))
    ways = (float(100 * np.mean(np.argmax(cosines, axis=axis) == own)) for axis in (1, 0))
    return Retrieval(*ways)


def _is_bitext(path: str | Path) -> bool:
    """False for a table of three columns, and for a pipe, which can be read only once: judged pairs."""
    if not os.path.isfile(path):
        return False
    if format_of(path) != "tsv":
        return True
    return next(iter(read_lines(path)), "").count("\t") == 1


def _distinct(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs neither of whose sentences occurred before: either translation would be right, and one counted as wrong."""
    seen: tuple[set[str], set[str]] = set(), set()
    kept = []
    for pair in pairs:
        if pair.source not in seen[0] and pair.target not in seen[1]:
            kept.append(pair)
        seen[0].add(pair.source)
        seen[1].add(pair.target)
    return kept


def _spread(pairs: list[Pair]) -> list[Pair]:
    if len(pairs) <= MOST:
        return pairs
    return [pairs[at * len(pairs) // MOST] for at in range(MOST)]


def _require_members(vocabulary: Vocabulary, path: str | Path, languages: tuple[str | None, str | None]) -> None:
    if isinstance(vocabulary, SeparateVocabularies) and not set(languages) <= vocabulary.members.keys():
        raise UsageError(
            f"{path}: languages have separate vocabularies here, and the name does not tell the sides' languages",
            hint=f"name it like sts.en-es.tsv, with two of {', '.join(vocabulary.members)}",
        )
