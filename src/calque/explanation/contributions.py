"""A similarity, split exactly into what each piece of one text and each piece of the other add to it.

The dot product of two means is the mean of all products of a piece with a piece, so

    cos(A, B) = Σᵢⱼ aᵢ·bⱼ / (n m |mean a| |mean b|)

and the terms of that sum are all there is to say: nothing is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..model import Model
from ..vocabulary.pieces import Piece, spaced_words
from .words import BOUNDARY, Group, group_by_word, sums

Numbers = npt.NDArray[np.float64]

MOST_CELLS = 1 << 23  # 64 MB of contributions: two texts of 2,900 pieces


class Part(NamedTuple):
    """A piece of a text, or a word; word 1 is the second of the text."""

    text: str
    known: bool  # what is not known adds nothing
    word: int


class Pairing(NamedTuple):
    """What one part of the first text and one of the second add to the score."""

    first: int
    second: int
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """contributions[i, j] is what parts first[i] and second[j] add to the score; all of them make it up.

    Examples:
        >>> explained = calque.explain("A dog runs.", "Un perro corre.")
        >>> [part.text for part in explained.first]
        ['▁a', '▁dog', '▁runs', '.']
        >>> round(explained.score, 2), round(float(explained.contributions.sum()), 2)
        (0.94, 0.94)

    Parts are pieces of the vocabulary, or words after `by_word()`. The score is the cosine of the exact means;
    `Model.similarity` goes through remembered words in 16-bit numbers and may differ from it in the fifth decimal.
    """

    texts: tuple[str, str]
    first: tuple[Part, ...]
    second: tuple[Part, ...]
    contributions: Numbers  # (len(first), len(second))
    score: float
    unknown: tuple[str, ...] = ()  # what of both texts the vocabulary has no piece for, and so adds nothing

    @property
    def first_totals(self) -> Numbers:
        """What each part of the first text adds, (len(first),)."""
        return np.asarray(self.contributions.sum(axis=1))

    @property
    def second_totals(self) -> Numbers:
        """What each part of the second text adds, (len(second),)."""
        return np.asarray(self.contributions.sum(axis=0))

    @property
    def empty(self) -> bool:
        """Whether a text has no known piece, so that the score is 0 for want of anything to compare."""
        return not (any(part.known for part in self.first) and any(part.known for part in self.second))

    def strongest(self, most: int) -> list[Pairing]:
        """The pairs of parts that add or take away most, the largest amount first; those that do neither are left out.

        Of equals, the earlier.
        """
        flat = self.contributions.ravel()
        order = np.argsort(-np.abs(flat), kind="stable")[:most]
        columns = len(self.second)
        return [Pairing(int(at) // columns, int(at) % columns, float(flat[at])) for at in order if flat[at]]

    def by_word(self) -> Explanation:
        """The same with the pieces of each word added up.

        Scripts that put no spaces between words (Chinese, Japanese, Thai …) keep their pieces.
        """
        rows, columns = self._groups(0), self._groups(1)
        table = sums(sums(self.contributions, rows).T, columns).T
        parts = _parts(rows, self.first), _parts(columns, self.second)
        return replace(self, first=parts[0], second=parts[1], contributions=table)

    def _groups(self, side: int) -> list[Group]:
        parts = (self.first, self.second)[side]
        return group_by_word(
            spaced_words(self.texts[side]), [part.text for part in parts], [part.word for part in parts]
        )


def split_similarity(model: Model, first: str, second: str, languages: tuple[str, str] | None = None) -> Explanation:
    """
    Raises:
        UsageError: a model whose vectors are no averages; texts too long for a table of all their pieces.
    """
    if model.encoder.name != "average":
        raise UsageError(
            "only an average of pieces splits into their contributions; "
            f"this model is a {model.encoder.name.upper()}, whose pieces act on each other",
            hint="explain with a model that was trained with --encoder average, the default",
        )
    one, two = languages or (None, None)
    pieces = model.vocabulary.trace(first, one), model.vocabulary.trace(second, two)
    if len(pieces[0]) * len(pieces[1]) > MOST_CELLS:
        raise UsageError(
            f"texts of {len(pieces[0]):,} and {len(pieces[1]):,} pieces are too long to explain", hint="take sentences"
        )
    rows = [_shares(model, side) for side in pieces]
    table = rows[0] @ rows[1].T
    parts = [tuple(Part(piece.text, piece.row is not None, piece.word) for piece in side) for side in pieces]
    score = float(rows[0].sum(axis=0) @ rows[1].sum(axis=0))
    unknown = [part.text.replace(BOUNDARY, "") for part in (*parts[0], *parts[1]) if not part.known]
    return Explanation((first, second), parts[0], parts[1], table, score, tuple(dict.fromkeys(unknown)))


def _shares(model: Model, pieces: Sequence[Piece]) -> Numbers:
    """Each piece's part of the text's unit vector, (len(pieces), dimension): they add up to it."""
    shares = np.zeros((len(pieces), model.dimension))
    known = [at for at, piece in enumerate(pieces) if piece.row is not None]
    shares[known] = model.encoder.rows_of([piece.row for piece in pieces if piece.row is not None])
    length = float(np.linalg.norm(shares.sum(axis=0)))
    return shares / length if length else shares


def _parts(groups: Sequence[Group], pieces: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(
        Part(group.text, any(pieces[member].known for member in group.members), group.word) for group in groups
    )
