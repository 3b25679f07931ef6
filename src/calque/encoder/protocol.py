"""What every encoder can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..vocabulary import Vocabulary

Vectors = npt.NDArray[np.float32]
Vector = np.ndarray[tuple[int], np.dtype[np.float32]]  # of one text, (dimension,)
Parameters = dict[str, npt.NDArray[np.float32]]  # all that is learnt, by name; `embeddings` is always there


class Encoded(NamedTuple):
    vectors: Vectors  # (texts, dimension)
    pieces: npt.NDArray[np.uint32]  # how many known ones each text has, (texts,)


class Encoder(Protocol):
    @property
    def name(self) -> str:
        """average or blstm."""

    @property
    def kind(self) -> str:
        """The encoder and what it reads, as signatures say it: sp for an average of pieces, blstm-sp for a BLSTM."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def embeddings(self) -> Vectors:
        """A row for each piece, (vocabulary.size, dimension)."""

    def rows_of(self, ids: Sequence[int]) -> Vectors:
        """Some of the embeddings, without the work that all of them may take."""

    @property
    def parameters(self) -> Parameters: ...

    @property
    def bits(self) -> int:
        """Of each number of the embeddings, as it is stored: 32, or 8, 4 or 3 where they are codes."""

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """All that is learnt, as the model file holds it: the parameters, unless embeddings are stored as codes."""

    @property
    def nbytes(self) -> int:
        """Of all that is learnt, as it is stored."""

    @property
    def dimension(self) -> int: ...

    @property
    def normalizes(self) -> bool:
        """Whether its vectors have length 1 even where nobody asks for it."""

    def encode(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vectors:
        """(len(texts), dimension) float32."""

    def encode_counting(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Encoded:
        """The same, with the number of pieces that it has cost."""
