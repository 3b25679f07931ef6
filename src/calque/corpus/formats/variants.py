"""Which variants of a translation unit are the source and its translations."""

from __future__ import annotations

from heapq import nsmallest

from ...errors import CorpusError
from ..languages import base, fits, standard
from ..pair import Languages

_SHOWN = 12  # languages that a message lists
_REMEMBERED = 100


class Variants:
    """Chooses by the languages that the user wants; without them, a file may hold two and no more.

    `en` wants `en-US` and `en-GB` alike, but where nothing was said, they are different languages.
    """

    def __init__(self, languages: Languages | None) -> None:
        self.languages = languages
        self.source: str | None = None  # the language that the file calls its source
        self._told = languages is not None
        self._seen: dict[str, None] = {}
        self._found = False
        self._known: dict[tuple[str, ...], list[tuple[int, int]]] = {}

    def choose(self, tags: tuple[str, ...]) -> list[tuple[int, int]]:
        """Places of the source and of a target, for each pair that a unit of these languages holds.

        Raises:
            CorpusError: a third language, and the user wants none in particular.
        """
        chosen = self._known.get(tags)
        if chosen is None:
            self._see(tags)
            chosen = self._choose(tags)
            self._found = self._found or bool(chosen)
            if self.languages and len(self._known) < _REMEMBERED and len(tags) < _REMEMBERED:
                self._known[tags] = chosen
        return chosen

    def require_some(self, name: str) -> None:
        """Raises CorpusError if units were seen, but none in the languages wanted."""
        if self._seen and not self._found:
            expected = " and ".join(self.languages) if self.languages else "two languages"
            raise CorpusError(
                f"{name}: no unit in {expected}; it holds {self._listed()}",
                hint=f"name two of them: --languages {self._example()}",
            )

    def _see(self, tags: tuple[str, ...]) -> None:
        for tag in tags:
            usual = standard(tag) or tag
            if len(self._seen) <= _SHOWN:
                self._seen[usual] = None
        if self._told:
            return
        if len(self._seen) > 2:
            raise CorpusError(
                f"more than two languages: {self._listed()}", hint="say which two: --languages " + self._example()
            )
        if self.languages is None and len(self._seen) == 2:
            one, two = self._seen
            turned = self.source and fits(self.source, one) is None and fits(self.source, two) is not None
            self.languages = (two, one) if turned else (one, two)

    def _choose(self, tags: tuple[str, ...]) -> list[tuple[int, int]]:
        if self.languages is None:
            return []
        sources, targets = ([_rank(wanted, tag) for tag in tags] for wanted in self.languages)
        ranked = [
            (left + right, one, two)
            for left, one in _best_two(sources)
            for right, two in _best_two(targets)
            if one != two
        ]
        if not ranked:
            return []
        _, source, target = min(ranked)
        return [(source, two) for two, rank in enumerate(targets) if rank == targets[target] and two != source]

    def _listed(self) -> str:
        shown = [tag[:40] for tag in list(self._seen)[:_SHOWN]]
        return ", ".join(shown) + (" …" if len(self._seen) > _SHOWN else "")

    def _example(self) -> str:
        bases = list(dict.fromkeys(base(tag) for tag in self._seen))
        return " ".join(bases[:2] if len(bases) > 1 else (list(self._seen) * 2)[:2])


def _best_two(ranks: list[int | None]) -> list[tuple[int, int]]:
    """Two are enough, since only the other side can take one of them away."""
    return nsmallest(2, ((rank, at) for at, rank in enumerate(ranks) if rank is not None))


def _rank(wanted: str, found: str) -> int | None:
    return 0 if wanted == found else fits(wanted, found)
