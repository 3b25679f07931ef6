"""TMX, versions 1.1 to 1.4b: translation memories as every translation tool exports them.

A unit that lacks one of the two languages is left out. If it has several variants of them, the first source goes with
every target: each is a translation that somebody approved. `<hi>` is text; bpt, ept, ph, it and ut are a format's own
codes and are dropped with all that is in them.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import IO
from xml.sax.saxutils import quoteattr  # nosec B406 # writes, and parses nothing

from ..._version import __version__
from ...errors import CorpusError, UsageError
from ..pair import Languages, Pair, Reading, Wanted
from .plain_unit import NOT_XML, PLAIN_UNIT, plain_text
from .variants import Variants
from .xml import DEEPEST, NATIVE, Events, tidy

_UNIT_END = "</tu>"
_LONGEST_CODE = 100  # characters of a language code


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    return _Memory(name, wanted.languages).reading(file)


class _Memory(Events):
    """Collects the variants of a unit, and turns them into pairs when it ends."""

    def __init__(self, name: str, languages: Languages | None) -> None:
        super().__init__(name)
        self.variants = Variants(languages)
        self._languages: list[str] = []
        self._texts: list[str] = []
        self._language = ""
        self._data: list[str] = []
        self._segment = 0  # depth of the open <seg>
        self._native = 0  # depth of the open inline element that holds codes
        self._between = False  # whether the parser stands right behind a unit
        self._unit_end = -1  # byte behind the last unit that it saw
        self._step = 0  # characters for the parser before a plain unit is tried again

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.too_deep()
        if self._segment:
            if name in NATIVE and not self._native:
                self._native = self.depth
                self.parser.CharacterDataHandler = None
        elif name == "seg" and self._language:
            self._segment = self.depth
            self._data = []
            self.parser.CharacterDataHandler = self._data.append
        elif name == "tuv" and self.inside:
            self._language = attributes.get("xml:lang") or attributes.get("lang") or ""
            if not self._language:
                raise self.problem("a <tuv> that does not say its language", hint='expected <tuv xml:lang="en">')
            if len(self._language) > _LONGEST_CODE:
                raise self.problem(f"a language code of {len(self._language)} characters")
        elif name == "tu":
            self.begin_unit()
            self._languages, self._texts, self._language = [], [], ""
        elif name == "header":
            self.variants.source = attributes.get("srclang")
        elif self.depth == 1 and name != "tmx":
            raise self.problem(
                f"the root element is <{name[:40]}>, not <tmx>", hint="a TMX file is <tmx> from end to end"
            )

    def end(self, name: str) -> None:
        if self._segment:
            if self.depth == self._segment:
                self._languages.append(self._language)
                self._texts.append(tidy("".join(self._data)))
                self._segment, self._language = 0, ""  # a variant has one segment
                self.parser.CharacterDataHandler = None
            elif self.depth == self._native:
                self._native = 0
                self.parser.CharacterDataHandler = self._data.append
        elif name == "tuv":
            self._language = ""
        elif name == "tu":
            self.inside = False
            self._finish()
        self.depth -= 1

    @property
    def languages(self) -> Languages | None:
        return self.variants.languages

    def require_some(self) -> None:
        self.variants.require_some(self.name)

    def _finish(self) -> None:
        if self.depth == 3:
            self._unit_end = self.parser.CurrentByteIndex + len(_UNIT_END)
        try:
            chosen = self.variants.choose(tuple(self._languages))
        except CorpusError as problem:
            raise self.problem(problem.message, problem.hint) from None
        self.pairs += [Pair(self._texts[one], self._texts[two]) for one, two in chosen]

    def feed(self, text: str) -> None:
        """Plain units, which most memories are made of, never see the parser: it gets blanks instead."""
        at = 0
        while at < len(text):
            if self._between:
                after = self._take_plain(text, at)
                super().feed(_blank(text, at, after))
                at, taken = after, after > at
            else:
                taken = False
            # Where no unit is plain, it is tried less and less often. What lies inside a comment must not be cut small
            # either: the parser goes back to the comment's start for every piece.
            self._step = 0 if taken else min(2 * self._step + 1000, len(text))
            end = text.find(_UNIT_END, at + self._step) + len(_UNIT_END)
            end = end if end >= len(_UNIT_END) else len(text)
            super().feed(text[at:end])
            self._between = self.fed == self._unit_end
            at = end

    def _take_plain(self, text: str, at: int) -> int:
        choose, pairs = self.variants.choose, self.pairs
        while unit := PLAIN_UNIT.match(text, at):
            one, left, two, right = unit.groups()
            texts = plain_text(left), plain_text(right)
            if texts[0] is None or texts[1] is None:
                break
            try:
                chosen = choose((one, two))
            except CorpusError:
                break  # the parser comes to the same end, and knows the line
            for source, target in chosen:
                pairs.append(Pair(texts[source], texts[target]))  # type: ignore[arg-type]
            at = unit.end()
        return at


def _blank(text: str, start: int, end: int) -> str:
    """White space after which the parser is at the same line and column as after a part of a text."""
    return "\n" * text.count("\n", start, end) + " " * (end - max(start, text.rfind("\n", start, end) + 1))


def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None) -> None:
    """TMX 1.4; what XML cannot hold, such as control characters, becomes U+FFFD, the sign for a character lost.

    Raises:
        UsageError: the languages are not known.
    """
    if languages is None:
        raise UsageError("a TMX file names its languages, and they are not known", hint="name them: --languages en es")
    source, target = map(quoteattr, languages)
    file.write(_HEAD.format(version=quoteattr(__version__), source=source).encode("utf-8"))
    left, middle = f"<tu><tuv xml:lang={source}><seg>", f"</seg></tuv><tuv xml:lang={target}><seg>"
    for batch in filter(None, batches):
        units = [f"{left}{_escaped(pair[0])}{middle}{_escaped(pair[1])}</seg></tuv></tu>\n" for pair in batch]
        file.write("".join(units).encode("utf-8"))
    file.write(b"</body>\n</tmx>\n")


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header creationtool="calque" creationtoolversion={version} segtype="sentence" o-tmf="calque" adminlang="en" \
srclang={source} datatype="plaintext"/>
<body>
"""


def _escaped(text: str) -> str:
    if not text.isprintable():  # most text is, and then holds nothing that XML cannot
        text = NOT_XML.sub("\ufffd", text)
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text or ">" in text:
        text = text.replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")  # a parser would make it a line feed
