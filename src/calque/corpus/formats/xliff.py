"""XLIFF 1.0 to 1.2 and 2.0 to 2.1, and their dialects such as sdlxliff and mqxliff.

A pair is a segment where both sides are cut into segments, else a unit. Left out is what is not a finished translation:
translate="no", no or an empty target, and the states new, initial, needs-translation, needs-adaptation, needs-l10n and
needs-review-translation (what converters write for a fuzzy match). Other states that ask for review stay: their text
is done. approved="no" says nothing. Suggestions (alt-trans, matches) are no translations.
"""

from __future__ import annotations

import io
import re
from typing import NamedTuple

from ...errors import CorpusError
from ..pair import Languages, Reading, Wanted
from .sides import Sides
from .xml import DEEPEST, NATIVE, Events, tidy

_UNFINISHED = frozenset(
    {"new", "initial", "needs-translation", "needs-adaptation", "needs-l10n", "needs-review-translation"}
)
_SKIPPED = frozenset({"alt-trans", "bin-unit", "header", "ignorable", "matches", "match", "note", "notes"})
_INHERITING = frozenset({"file", "group", "unit", "trans-unit"})  # elements that pass translate="no" on
_LANGUAGE = "http://www.w3.org/XML/1998/namespace lang"


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    return _Document(name, wanted.languages).reading(file)


class _Side:
    """A source or a target: its whole text, and its segments by their mark."""

    def __init__(self) -> None:
        self.data: list[str] = []
        self.segments: dict[str, str] = {}

    def text(self) -> str:
        return tidy("".join(self.data))


class _Mark(NamedTuple):
    """The beginning of a segment whose end has not come yet."""

    depth: int
    identifier: str
    start: int  # in the side's data


class _Document(Events):
    def __init__(self, name: str, languages: Languages | None) -> None:
        super().__init__(name, namespaces=True)
        self.sides = Sides(languages)
        self._core = ""  # what the names of XLIFF's own elements begin with
        self._in_root = False  # whether languages are those of the whole document, as from version 2 on
        self._skipped = 0  # depth of the open element that is passed over
        self._translate = [True]
        self._open = 0  # depth of the open source or target
        self._mark: _Mark | None = None
        self._side = _Side()
        self._clear()

    @property
    def languages(self) -> Languages | None:
        return self.sides.languages

    def require_some(self) -> None:
        self.sides.require_some(self.name)

    def _clear(self) -> None:
        self._source: _Side | None = None
        self._segmented: _Side | None = None
        self._target: _Side | None = None
        self._finished = True

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.too_deep()
        if self._skipped:
            return
        if self.depth == 1:
            self._root(name, attributes)
        local = name[len(self._core) :]
        if not name.startswith(self._core) or " " in local or local in _SKIPPED or (self._open and local in NATIVE):
            self._skipped = self.depth
            self.parser.CharacterDataHandler = None
        elif self._open:
            self._inline(local, attributes)
        elif local in _INHERITING:
            self._translate.append(_yes(attributes.get("translate"), self._translate[-1]))
            if local == "file" and not self._in_root:
                self._see(attributes.get("source-language"), attributes.get("target-language"))
            elif local in ("unit", "trans-unit"):
                self.begin_unit()
                self._clear()
        elif self.inside:
            self._part(local, attributes)

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if local != "xliff":
            raise self.problem(
                f"the root element is <{local[:40]}>, not <xliff>", hint="an XLIFF file is <xliff> from end to end"
            )
        self._core = f"{namespace} " if namespace else ""
        self._in_root = attributes.get("version", "").startswith("2")
        if self._in_root:
            self._see(attributes.get("srcLang"), attributes.get("trgLang"))

    def _part(self, local: str, attributes: dict[str, str]) -> None:
        if local == "segment":
            self._clear()
            self._finished = attributes.get("state") not in _UNFINISHED
            return
        if local not in ("source", "seg-source", "target"):
            return
        self._open, self._mark, self._side = self.depth, None, _Side()
        self.parser.CharacterDataHandler = self._side.data.append
        if local == "source":
            self._source = self._side
        elif local == "seg-source":
            self._segmented = self._side
        else:
            self._target = self._side
            self._finished = self._finished and _finished(attributes)
            if _LANGUAGE in attributes and not self.sides.complete:
                self._see(self.sides.source, attributes[_LANGUAGE])

    def _inline(self, local: str, attributes: dict[str, str]) -> None:
        if local == "mrk" and attributes.get("mtype") == "seg" and not self._mark:
            identifier = attributes.get("mid") or f"number {len(self._side.segments) + 1}"
            self._mark = _Mark(self.depth, identifier, len(self._side.data))
        elif local == "cp" and re.fullmatch(r"[0-9A-Fa-f]{1,6}", attributes.get("hex", "")):
            point = int(attributes["hex"], 16)
            if point < 0x110000 and not 0xD800 <= point < 0xE000:
                self._side.data.append(chr(point))

    def end(self, name: str) -> None:
        if self._skipped:
            if self.depth == self._skipped:
                self._skipped = 0
                self.parser.CharacterDataHandler = self._side.data.append if self._open else None
        elif self._open:
            self._end_inline()
        else:
            local = name[len(self._core) :]
            if local in ("trans-unit", "segment") and self.inside:
                self._finish()
            if local in _INHERITING:
                self._translate.pop()
                self.inside = self.inside and local not in ("unit", "trans-unit")
        self.depth -= 1

    def _end_inline(self) -> None:
        if self._mark and self._mark.depth == self.depth:
            text = tidy("".join(self._side.data[self._mark.start :]))
            self._side.segments.setdefault(self._mark.identifier, text)
            self._mark = None
        elif self._open == self.depth:
            self._open = 0
            self.parser.CharacterDataHandler = None

    def _finish(self) -> None:
        source, target = self._source, self._target
        if source and target and self._finished and self._translate[-1]:
            cut = (self._segmented or source).segments
            found = [(cut[mark], target.segments[mark]) for mark in cut if mark in target.segments]
            pairs = [pair for pair in found or [(source.text(), target.text())] if pair[1]]
            try:
                self.pairs += self.sides.turned(pairs)
            except CorpusError as problem:
                raise self.problem(problem.message, problem.hint) from None
        self._clear()

    def _see(self, source: str | None, target: str | None) -> None:
        for tag in (source, target):
            if tag and len(tag) > 100:
                raise self.problem(f"a language code of {len(tag)} characters")
        self.sides.see(source, target)


def _yes(said: str | None, otherwise: bool) -> bool:
    return said == "yes" if said in ("yes", "no") else otherwise


def _finished(target: dict[str, str]) -> bool:
    state = target.get("state")
    if state is None:
        return target.get("state-qualifier") != "fuzzy-match"
    return state not in _UNFINISHED
