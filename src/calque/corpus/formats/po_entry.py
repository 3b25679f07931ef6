"""The entries of a PO file, line by line, as gettext's own reader understands them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_LARGEST = 1 << 26  # characters of an entry
_MOST_FORMS = 100  # of plurals; no language has more than six

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_LINE = re.compile(
    rf"(?:(msgid_plural|msgid|msgctxt|msgstr|domain)\s*(?:\[\s*(\d{{1,9}})\s*\])?\s*)?({_STRING}(?:\s*{_STRING})*)"
)
_JOINT = re.compile(rf"({_STRING})\s*")
_ESCAPE = re.compile(r"(?:\\(?:[0-7]{1,3}|x[0-9A-Fa-f]+))+|\\(.)", re.DOTALL)
_CODE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]+))")
_CHARACTER = dict(zip("ntrabfv\\\"'?", "\n\t\r\a\b\f\v\\\"'?", strict=True))


_ENTRY = 'an entry is msgid "…" and msgstr "…", or with plurals msgid "…", msgid_plural "…", msgstr[0] "…", …'


class Mistake(Exception):
    """Something that gettext would not accept either."""

    def __init__(self, line: int, what: str, hint: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.hint = hint


@dataclass
class Entry:
    message: str = ""
    plural: str | None = None
    translations: dict[int, str] = field(default_factory=dict)
    fuzzy: bool = False


def entries(lines: Iterable[str], codec: str) -> Iterator[Entry]:
    """What stands in a file, without obsolete entries; a translation that is missing at the end is a mistake.

    Raises:
        Mistake: with the line.
    """
    reader = _Reader(codec)
    for line in lines:
        reader.number += 1
        text = line.strip(" \t\r\f\v")
        if not text:
            continue
        if text[0] == "#":
            if reader.has_translation:
                yield reader.finish()
            reader.comment(text)
            continue
        found = _LINE.fullmatch(text)
        if not found:
            raise reader.mistake(_what_is_wrong(text), hint='expected a keyword and a text in quotes: msgid "…"')
        keyword, form, quoted = found.groups()
        if keyword and reader.has_translation and keyword != "msgstr":
            yield reader.finish()
        reader.take(keyword, form, quoted)
    if reader.begun:
        if not reader.has_translation:
            raise reader.mistake("the file ends before the last entry has its msgstr", hint="it may be cut short")
        yield reader.finish()


class _Reader:
    """The entry that is being read, its strings as they were written, bit by bit."""

    def __init__(self, codec: str) -> None:
        self.number = 0
        self._codec = codec
        self._fuzzy = False
        self._clear()

    def _clear(self) -> None:
        self.begun = False
        self.has_translation = False
        self._fields: dict[str | int, list[str]] = {}
        self._bits: list[str] | None = None
        self._size = 0

    def comment(self, text: str) -> None:
        if text.startswith("#~"):
            self._fuzzy = False  # what was said before it was said of the obsolete entry
        elif text.startswith("#,") and "fuzzy" in re.split(r"[\s,]+", text):
            self._fuzzy = True

    def take(self, keyword: str | None, form: str | None, quoted: str) -> None:
        if keyword:
            self._begin(keyword, form)
        if self._bits is None:
            raise self.mistake("a text that belongs to no keyword", hint='each entry begins with msgid "…"')
        self._size += len(quoted)
        if self._size > _LARGEST:
            raise self.mistake(f"an entry of more than {_LARGEST >> 20} MB")
        text = quoted[1:-1]
        if '"' in text:  # escaped, or several strings on a line
            text = "".join(string[1:-1] for string in _JOINT.findall(quoted))
        self._bits.append(self._unescaped(text) if "\\" in text else text)

    def _begin(self, keyword: str, form: str | None) -> None:
        if form is not None and keyword != "msgstr":
            raise self.mistake(f"{keyword} with a number", hint="only msgstr[0], msgstr[1], … have one")
        key: str | int = keyword
        if keyword == "msgstr":
            if "msgid" not in self._fields:
                raise self.mistake("msgstr without msgid")
            if (form is not None) != ("msgid_plural" in self._fields):
                expected = "msgstr[0], because of msgid_plural" if form is None else "msgid_plural before msgstr[…]"
                raise self.mistake(f"expected {expected}")
            key = int(form or 0)
            if key >= _MOST_FORMS:
                raise self.mistake(f"a plural form with the number {key}")
            self.has_translation = True
        elif keyword == "msgid_plural" and "msgid" not in self._fields:
            raise self.mistake("msgid_plural without msgid")
        if key in self._fields:
            raise self.mistake(f"a second {keyword} in one entry")
        self.begun = self.begun or keyword != "domain"
        self._bits = []
        if keyword != "domain":
            self._fields[key] = self._bits

    def finish(self) -> Entry:
        texts = {key: "".join(bits) for key, bits in self._fields.items()}
        translations = {key: text for key, text in texts.items() if isinstance(key, int)}
        entry = Entry(texts["msgid"], texts.get("msgid_plural"), translations, self._fuzzy)
        self._fuzzy = False
        self._clear()
        return entry

    def mistake(self, what: str, hint: str = _ENTRY) -> Mistake:
        return Mistake(self.number, what, hint)

    def _unescaped(self, text: str) -> str:
        return _ESCAPE.sub(self._character, text)

    def _character(self, found: re.Match[str]) -> str:
        if found[1] is not None:
            if found[1] not in _CHARACTER:
                raise self.mistake(f"no such escape: \\{found[1]}", hint="a backslash itself is written \\\\")
            return _CHARACTER[found[1]]
        codes = _CODE.findall(found[0])
        values = bytes((int(octal, 8) if octal else int(hexadecimal[-2:], 16)) & 0xFF for octal, hexadecimal in codes)
        try:
            return values.decode(self._codec)
        except UnicodeDecodeError:
            raise self.mistake(
                f"{found[0][:40]} is not {self._codec.upper()}", hint="the header's charset is that of escapes, too"
            ) from None


def _what_is_wrong(text: str) -> str:
    if text.count('"') == 1 or not text.endswith('"'):
        return f"a text without end: {text[:40]}" if '"' in text else f"neither a keyword nor a text: {text[:40]}"
    return f"not understood: {text[:40]}"
