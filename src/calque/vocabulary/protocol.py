"""What every vocabulary can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .pieces import Piece
from .tokens import Tokens


class Vocabulary(Protocol):
    @property
    def kind(self) -> str:
        """sp, word or trigram."""

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

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        """The ids of each text; what is unknown is left out."""

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        """The same ids for one text, each with what it stands for and the word it comes from; unknown pieces too."""
