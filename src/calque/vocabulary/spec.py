"""What is asked of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["sp", "word", "trigram"]
Sharing = Literal["joint", "merged", "separate", "separate-unshared"]


@dataclass(frozen=True)
class VocabularySpec:
    kind: Kind = "sp"
    size: int = 20_000
    sharing: Sharing = "joint"
    or_fewer: bool = False  # for a text that does not support so many pieces
