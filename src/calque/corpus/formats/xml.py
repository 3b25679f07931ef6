"""XML as a stream, from files that nobody vouches for.

The document type declaration is cut out before the parser sees anything, so no entity can be declared, nothing is ever
fetched, and an entity other than XML's own five is an error wherever it stands. What is kept at a time is bounded.
"""

from __future__ import annotations

import codecs
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import chain
from xml.parsers import expat

from ...errors import CorpusError
from ..pair import Languages, Pair, Reading
from .charset import codec_named

_BATCH = 1024  # pairs given at a time, or a few more
_CHUNK = 1 << 18  # bytes parsed at a time
_LONGEST_TAG = 1 << 22  # characters of one tag, comment or instruction
_LARGEST_UNIT = 1 << 24  # characters of one translation unit
DEEPEST = 1000  # elements inside each other
_MOST_NAMES = 1 << 16  # of elements and attributes: the parser remembers each

NATIVE = frozenset({"bpt", "ept", "ph", "it", "ut"})  # inline elements that hold a format's own codes, not text

_DECLARED = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"']{1,40})[\"']")
_BEFORE_DOCTYPE = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_IN_DOCTYPE = re.compile(r"\"[^\"]*\"|'[^']*'|<!--.*?-->|<\?.*?\?>|[\[\]>]|<(?!!--|\?)|[^\[\]<>\"']+", re.DOTALL)
_BREAK = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")
BLANK = " \t\r\n"
_MEND = "export the file again, or mend that place"


class Events(ABC):
    """A parser whose children say what to do with elements and text, and put what they find into `pairs`.

    A child's `start` and `end` count `depth`, up to DEEPEST, and call `begin_unit`, after which `inside`
    is true until they say otherwise.
    """

    def __init__(self, name: str, namespaces: bool = False) -> None:
        self.name = name
        self.pairs: list[Pair] = []
        self.depth = 0
        self.inside = False
        self._kept = 0  # characters since a unit began, or a few more
        self.fed = 0  # bytes
        self.parser = expat.ParserCreate("utf-8", " " if namespaces else None)
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 16
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self._second_doctype

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    @abstractmethod
    def end(self, name: str) -> None: ...

    @property
    @abstractmethod
    def languages(self) -> Languages | None:
        """Those wanted, or those found so far."""

    @abstractmethod
    def require_some(self) -> None:
        """Raises CorpusError if there was nothing in the languages wanted."""

    def reading(self, file: io.BufferedReader) -> Reading:
        """What a reader gives; it reads ahead up to the first pairs if it takes them to know the languages."""
        batches = self._batches(file)
        first = [] if self.languages else next(batches, [])
        return Reading(self.languages, chain([first] if first else [], batches))

    def _batches(self, file: io.BufferedReader) -> Iterator[list[Pair]]:
        for text in chunks(file, self.name):
            self.feed(text)
            if len(self.pairs) >= _BATCH:
                yield self.pairs
                self.pairs = []
        self.close()
        if self.pairs:
            yield self.pairs
        self.require_some()

    def feed(self, text: str) -> None:
        """Parses some more.

        Raises:
            CorpusError: not well-formed, or too much of something.
        """
        data = text.encode("utf-8")
        self.fed += len(data)
        self._parse(data, False)
        self._kept += len(text)
        if self.inside and self._kept > _LARGEST_UNIT:
            raise self.problem(f"a translation unit of more than {_LARGEST_UNIT >> 20} MB")
        if self.fed - self.parser.CurrentByteIndex > _LONGEST_TAG:
            raise self.problem(f"a tag or comment of more than {_LONGEST_TAG >> 20} MB")
        if len(self.parser.intern) > _MOST_NAMES:
            raise self.problem(f"more than {_MOST_NAMES} names of elements and attributes")

    def begin_unit(self) -> None:
        self.inside = True
        self._kept = 0

    def close(self) -> None:
        self._parse(b"", True)

    def problem(self, what: str, hint: str | None = _MEND) -> CorpusError:
        """An error at the place that is being parsed."""
        return CorpusError(f"{self.name}, line {self.parser.CurrentLineNumber}: {what}", hint=hint)

    def too_deep(self) -> CorpusError:
        return self.problem(f"more than {DEEPEST} elements inside each other")

    def _parse(self, data: bytes, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as problem:
            place = f"{self.name}, line {problem.lineno}"
            message = expat.ErrorString(problem.code)
            if message == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
                raise CorpusError(
                    f"{place}: an entity that is not one of XML's own (&amp; &lt; &gt; &quot; &apos;)",
                    hint="none is looked up, for safety: replace it by its text, or by a number such as &#160;",
                ) from problem
            if last:
                raise CorpusError(
                    f"{place}: the file ends before its elements do ({message})",
                    hint="it was cut short: fetch or export it again",
                ) from problem
            raise CorpusError(
                f"{place}: not well-formed XML ({message}, at column {problem.offset + 1})",
                hint=_MEND,
            ) from problem

    def _second_doctype(self, *_: object) -> None:
        raise self.problem("a document type declaration that is out of place")


def chunks(file: io.BufferedReader, name: str) -> Iterator[str]:
    """A file's text without the document type declaration, whose line feeds stay so that lines count right.

    Raises:
        CorpusError: bytes that the file's encoding does not have, or an encoding that is not known.
    """
    encoding = _encoding(file.peek(4096)[:4096], name)
    decoder = codecs.getincrementaldecoder(encoding)()
    line, at_start = 1, True
    while True:
        data = file.read(_CHUNK)
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as problem:
            before = problem.object[: problem.start].decode(encoding, "ignore")
            raise CorpusError(
                f"{name}, line {line + before.count(chr(10))}: not {encoding.upper()} "
                f"(byte 0x{problem.object[problem.start]:02x})",
                hint="the first line of an XML file names its encoding, if it is not UTF-8",
            ) from problem
        line += text.count("\n")
        if at_start:
            text, at_start = _without_doctype(text, name), False
        if text:
            yield text
        if not data:
            return


def _encoding(head: bytes, name: str) -> str:
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for start, encoding in ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be")):
        if head.startswith(start):
            return encoding
    declared = _DECLARED.match(head)
    if not declared:
        return "utf-8"
    codec = codec_named(declared[1].decode("latin-1"))
    if codec is None:
        raise CorpusError(
            f"{name}, line 1: no encoding {declared[1].decode('latin-1')!r} is known",
            hint="convert the file to UTF-8, and let its first line say so",
        )
    # A declaration that can be read a byte at a time is not in UTF-16, whatever it says; some exporters do that.
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec


def _without_doctype(text: str, name: str) -> str:
    start = 0
    while before := _BEFORE_DOCTYPE.match(text, start):
        start = before.end()
    if not text.startswith("<!DOCTYPE", start):
        return text
    end, inside = start + 1, False  # inside: the brackets that hold declarations
    while token := _IN_DOCTYPE.match(text, end):
        end = token.end()
        if token[0] == "[":
            inside = True
        elif token[0] == "]":
            inside = False
        elif token[0] == ">" and not inside:
            return text[:start] + "\n" * text.count("\n", start, end) + text[end:]
    line = text.count("\n", 0, start) + 1
    raise CorpusError(f"{name}, line {line}: a document type declaration without end", hint=_MEND)


def tidy(text: str) -> str:
    """A line break with the blanks around it, which is how tools indent, becomes one space; none stay at the ends."""
    if "\n" in text or "\r" in text:
        text = _BREAK.sub(" ", text)
    return text.strip(BLANK)
