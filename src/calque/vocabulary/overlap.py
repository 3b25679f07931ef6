"""How much of one text's pieces another text has, too: the paper's SP overlap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Piece = TypeVar("Piece", bound=Hashable)


@dataclass(frozen=True)
class PieceOverlap:
    """Shares of the first text; both 0 if it is empty."""

    types: float  # of its different pieces
    tokens: float  # of all its pieces, counted as often as they occur


def overlap_of_counts(source: Mapping[Piece, int], target: Mapping[Piece, int]) -> PieceOverlap:
    """From how often each piece occurs; only pieces that do are in there.

    >>> overlap_of_counts({"a": 3, "b": 1}, {"a": 1, "c": 9})
    PieceOverlap(types=0.5, tokens=0.75)
    """
    shared = source.keys() & target.keys()
    return PieceOverlap(
        types=len(shared) / max(len(source), 1),
        tokens=sum(source[piece] for piece in shared) / max(sum(source.values()), 1),
    )
