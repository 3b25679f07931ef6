"""Which way round a file of one source and one target language is wanted, if at all."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import CorpusError
from ..languages import is_swapped, standard
from ..pair import Languages, Pair

_SHOWN = 12


class Sides:
    """Told of each language pair that a file announces; without wanted languages, all must be the same."""

    def __init__(self, languages: Languages | None) -> None:
        self.languages = languages
        self.source: str | None = None
        self._target: str | None = None
        self._told = languages is not None
        self._seen: dict[str, None] = {}
        self._found = False
        self._turn: bool | None = False  # None: not wanted

    @property
    def complete(self) -> bool:
        return self.source is not None and self._target is not None

    def see(self, source: str | None, target: str | None) -> None:
        """Raises nothing: a language pair matters only when something in it comes."""
        self.source = (standard(source) or source) if source else None
        self._target = (standard(target) or target) if target else None
        self._turn = is_swapped(self.languages, self.source, self._target) if self._told and self.languages else False

    def turned(self, pairs: Iterable[tuple[str, str]]) -> list[Pair]:
        """The pairs as source and target of the wanted languages, or none of them.

        Raises:
            CorpusError: another language pair than before, and the user wants none in particular.
        """
        found = [Pair(*pair) for pair in pairs]
        if not found:
            return []
        if len(self._seen) <= _SHOWN:
            self._seen[f"{self.source or 'unknown'}-{self._target or 'unknown'}"] = None
        if not self._told and self.source and self._target:
            here = self.source, self._target
            if self.languages not in (None, here):
                raise CorpusError(
                    f"more than one pair of languages: {', '.join(self._seen)}",
                    hint=f"say which: --languages {' '.join(self.languages or here)}",
                )
            self.languages = here
        if self._turn is None:
            return []
        self._found = True
        return [Pair(target, source) for source, target in found] if self._turn else found

    def require_some(self, name: str) -> None:
        """Raises CorpusError if there were no translations, or none in the languages wanted."""
        if not self._seen:
            raise CorpusError(f"{name}: nothing in it is translated", hint="name a file with finished translations")
        if self._seen and not self._found and self.languages:
            raise CorpusError(
                f"{name}: nothing in {' and '.join(self.languages)}; it holds {', '.join(self._seen)}",
                hint="name the languages that it holds: --languages en es",
            )
