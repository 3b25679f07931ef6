"""A development set chooses the epoch to keep, as the paper does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from ..corpus import read_scored_pairs
from ..corpus.bitext import languages_in_name
from ..encoder.average import unit
from ..encoder.protocol import Vectors
from ..errors import UsageError
from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.sharing import SeparateVocabularies


@dataclass(frozen=True)
class DevelopmentSet:
    name: str
    gold: npt.NDArray[np.float64]
    first: Tokens
    second: Tokens

    @classmethod
    def read(cls, path: str | Path, vocabulary: Vocabulary) -> DevelopmentSet:
        """A TSV of score, sentence, sentence; a name like `sts.en-es.tsv` tells the sides' languages."""
        pairs = read_scored_pairs(path)
        first, second = languages_in_name(str(path)) or (None, None)
        if isinstance(vocabulary, SeparateVocabularies) and not {first, second} <= vocabulary.members.keys():
            raise UsageError(
                f"{path}: languages have separate vocabularies here, and the name does not tell the sides' languages",
                hint=f"name it like sts.en-es.tsv, with two of {', '.join(vocabulary.members)}",
            )
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

    def pearson(self, vectors: Callable[[Tokens], Vectors]) -> float:
        """Pearson's r × 100 between cosines and judgements; 0 if all cosines are the same."""
        both = unit(vectors(Tokens.concatenate([self.first, self.second], 0)))
        first, second = both[: len(self.first)], both[len(self.first) :]
        cosines = np.einsum("ij,ij->i", first, second, dtype=np.float64)
        if np.ptp(cosines) == 0 or np.ptp(self.gold) == 0:
            return 0.0
        return float(100 * np.corrcoef(cosines, self.gold)[0, 1])
