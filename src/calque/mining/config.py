"""What to mine by, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isnan
from typing import Literal

from ..corpus.languages import require_standard
from ..errors import UsageError
from ..neighbours import MARGINS, RETRIEVALS, Margin, Retrieval

Search = Literal["auto", "exact", "approximate"]
SEARCHES: tuple[Search, ...] = ("auto", "exact", "approximate")


@dataclass(frozen=True)
class MiningConfig:
    """What `calque.mine` mines by.

    Examples:
        >>> calque.MiningConfig(threshold="auto", k=8).margin
        'distance'

    Attributes:
        margin: How a cosine is judged by those that both sentences have with their k nearest: its `distance` from
            their mean, its `ratio` to it, or `absolute`, the cosine itself.
        retrieval: `max` takes pairs from the best on, each sentence once; `forward` each source's best target,
            `backward` each target's best source, `intersect` what is both.
        k: Neighbours that a margin looks at.
        threshold: The lowest score to keep; `auto` estimates it, None keeps all pairs.
        languages: Two codes: those that the texts are in, for the check that keep_other_languages turns off, and for
            models with a vocabulary for each language.
        keep_repeats: Take a sentence that stands in a text twice for two.
        keep_copies: Take a sentence that stands in both texts for its own translation.
        keep_other_languages: Mine lines that are surely in another language than their side, too; without the extra
            `language`, they are never left out. A side's language is the one in `languages`, or else the one that its
            file is named for, or that most of its lines are in.
        search: `exact`, or `approximate` for very large texts, which misses a few; `auto` decides by their sizes.
        recall: Approximate search looks as far as it takes to find this share of the nearest neighbours.
        memory: Bytes to use at the most, about.
        threads: As many as there are cores, unless given.
    """

    margin: Margin = "distance"
    retrieval: Retrieval = "max"
    k: int = 4
    threshold: float | Literal["auto"] | None = None
    languages: tuple[str, str] | None = None
    keep_repeats: bool = False
    keep_copies: bool = False
    keep_other_languages: bool = False
    search: Search = "auto"
    recall: float = 0.95
    memory: int = 2 << 30
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, value, known in (
            ("margin", self.margin, MARGINS),
            ("retrieval", self.retrieval, RETRIEVALS),
            ("search", self.search, SEARCHES),
        ):
            if value not in known:
                raise UsageError(f"no {name} {value!r}", hint=f"one of {', '.join(known)}")
        if self.languages is not None:
            object.__setattr__(self, "languages", require_standard(self.languages))
        if self.k < 1:
            raise UsageError(f"expected at least one neighbour, got k = {self.k}")
        if not 0 < self.recall <= 1:
            raise UsageError(f"expected a share of the neighbours above 0 and up to 1, got recall = {self.recall}")
        unusable = self.threshold != "auto" if isinstance(self.threshold, str) else isnan(self.threshold or 0)
        if unusable:
            raise UsageError(f"expected a number or auto as the threshold, got {self.threshold!r}")

    def changed(self, options: Mapping[str, object]) -> MiningConfig:
        """The same with some options changed.

        Raises:
            UsageError: there is no such option, or it cannot have that value.
        """
        known = {option.name for option in fields(self)}
        if unknown := sorted(set(options) - known):
            raise UsageError(f"no such mining option: {unknown[0]}", hint=f"there are: {', '.join(sorted(known))}")
        return replace(self, **options)  # type: ignore[arg-type]

    @property
    def neighbours(self) -> int:
        """How many to look for: the estimate looks at a sentence's lower candidates, too."""
        return max(self.k, 8)
