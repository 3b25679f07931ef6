"""What every vocabulary can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .pieces import Piece
from .tokens import Tokens

# Words, their tokens, threads in; one truth a word out.
SteadyWords = Callable[[Sequence[str], Tokens, int], npt.NDArray[np.bool_]]


class Vocabulary(Protocol):
    @property
    def kind(self) -> str:
        """sp, word, trigram or tokenizer."""

    @property
    def size(self) -> int:
        """The number of rows it needs."""

    @property
    def pieces(self) -> list[str]:
        """What each row stands for, for eyes."""

    @property
    def unknown(self) -> int | None:
        """A row that stands for no piece at all and stays zero."""

    @property
    def splits_at_spaces(self) -> bool:
        """Whether a text's tokens are those of its words, one after another, as U+0020 separates them."""

    @property
    def folds_case(self) -> bool:
        """Whether A and a are the same to it."""

    @property
    def steady_words(self) -> SteadyWords | None:
        """Which words have the same tokens beside any others, and in capitals if it folds case. None: all of them."""

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        """The ids of each text; what is unknown is left out, unless the vocabulary has a token for it that counts."""

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        """The same ids for one text, each with what it stands for and the word it comes from; unknown pieces too."""
