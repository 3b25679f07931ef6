"""One vocabulary a language, in one table of rows.

The paper's language study needs to know how much comes from parameters that two languages share: pieces that coincide
share their row (separate), or no two languages share anything (separate-unshared).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .pieces import Piece
from .protocol import Vocabulary
from .tokens import Tokens


class SeparateVocabularies:
    """Languages come in a fixed order; the first keeps its pieces' names, the others' are marked unless shared."""

    unknown = None
    steady_words = None

    def __init__(self, members: Mapping[str, Vocabulary], shared: bool) -> None:
        self.members = dict(members)
        self.shared = shared
        self.splits_at_spaces = all(member.splits_at_spaces for member in self.members.values())
        self.folds_case = all(member.folds_case for member in self.members.values())

    @cached_property
    def _rows(self) -> dict[str, int]:
        rows: dict[str, int] = {}
        for language, member in self.members.items():
            for piece in member.pieces:
                rows.setdefault(self._name(language, piece), len(rows))
        return rows

    def _name(self, language: str, piece: str) -> str:
        first = next(iter(self.members))
        return piece if self.shared or language == first else f"{language}:{piece}"

    @cached_property
    def _row_of(self) -> dict[str, npt.NDArray[np.uint32]]:
        return {
            language: np.array([self._rows[self._name(language, piece)] for piece in member.pieces], np.uint32)
            for language, member in self.members.items()
        }

    @cached_property
    def unknown_rows(self) -> set[int]:
        """Those of the members' unknown pieces: no text ever has them."""
        return {
            int(self._row_of[language][member.unknown])
            for language, member in self.members.items()
            if member.unknown is not None
        }

    @property
    def kind(self) -> str:
        return next(iter(self.members.values())).kind

    @property
    def size(self) -> int:
        return len(self._rows)

    @property
    def pieces(self) -> list[str]:
        return list(self._rows)

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        name = self.member_for(language)
        return self.members[name].encode(texts, threads=threads).renamed(self._row_of[name], self.size)

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        name = self.member_for(language)
        rows = self._row_of[name]
        return [
            piece if piece.row is None else piece._replace(row=int(rows[piece.row]))
            for piece in self.members[name].trace(text)
        ]

    def member_for(self, language: str | None) -> str:
        """The member's own code for a language, which has many spellings.

        Raises:
            UsageError: none, or one that has no vocabulary here.
        """
        from ..corpus.languages import best_fit  # with it come the readers of bitext, which few models need

        at = best_fit(language, self.members) if language else None
        if at is None:
            known = ", ".join(self.members)
            raise UsageError(
                f"each of {known} has a vocabulary of its own here, so a text's language is needed, got {language}",
                hint=f"pass language= or languages= in Python, --language or --languages on the command line: {known}",
            )
        return list(self.members)[at]
