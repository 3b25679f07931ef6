"""PO, the catalogues of gettext: messages of programs and their translations.

Left out are fuzzy, obsolete and untranslated entries, and the header, which tells the encoding and the language. A
message with plural forms gives its singular with the first form, and its plural with each other form that differs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import chain

from ...errors import CorpusError
from ..files import HEAD
from ..lines import blocks
from ..pair import Pair, Reading, Wanted
from .charset import codec_named
from .po_entry import Entry, Mistake, entries
from .sides import Sides

_BATCH = 1024
_BLOCK = 1 << 18
_SOURCE = "en"  # of messages, where a catalogue does not say


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    head = _header(file.peek(HEAD))
    codec = _codec(head, name)
    sides = Sides(wanted.languages)
    sides.see(_source(head, wanted), head.get("language") or None)
    batches = _batches(file, name, codec, _plural_forms(head), sides)
    if wanted.languages:
        return Reading(wanted.languages, batches)
    first = next(batches, [])
    return Reading(sides.languages, chain([first] if first else [], batches))


def _batches(file: io.BufferedReader, name: str, codec: str, forms: int | None, sides: Sides) -> Iterator[list[Pair]]:
    batch: list[Pair] = []
    empty = True
    try:
        for entry in entries(_lines(file, name, codec), codec):
            if entry.fuzzy or not entry.message:
                continue
            pairs = sides.turned(_pairs(entry, forms))
            batch += pairs
            empty = empty and not any(entry.translations.values())
            if len(batch) >= _BATCH:
                yield batch
                batch = []
    except Mistake as mistake:
        raise CorpusError(f"{name}, line {mistake.line}: {mistake.what}", hint=mistake.hint) from None
    if batch:
        yield batch
    if empty:
        raise CorpusError(f"{name}: no translated entries; a template?", hint="name a catalogue with translations")
    sides.require_some(name)


def _pairs(entry: Entry, forms: int | None) -> list[tuple[str, str]]:
    given = entry.translations
    if entry.plural is None:
        return [(entry.message, given[0])] if given.get(0) else []
    if (forms or len(given)) == 1:  # languages that do not tell one from many
        return [(entry.plural, given[0])] if given.get(0) else []
    others = dict.fromkeys(text for form, text in sorted(given.items()) if form and text)
    singular = [(entry.message, given[0])] if given.get(0) else []
    return singular + [(entry.plural, text) for text in others]


def _lines(file: io.BufferedReader, name: str, codec: str) -> Iterator[str]:
    number = 0
    for block in blocks(file, name, _BLOCK):
        data = bytes(memoryview(block.buffer)[: block.end])
        try:
            lines = data.decode(codec).split("\n")
        except UnicodeDecodeError as problem:
            line = number + data.count(b"\n", 0, problem.start) + 1
            raise CorpusError(
                f"{name}, line {line}: not {codec.upper()} (byte 0x{data[problem.start]:02x})",
                hint="the header of a catalogue names its encoding: Content-Type: text/plain; charset=…",
            ) from problem
        if not lines[-1]:
            lines.pop()  # a block ends with a line feed, and so does its last line
        number += len(lines)
        yield from lines


def _header(start: bytes) -> dict[str, str]:
    """The fields of the first entry if its message is empty; what is wrong with it is said later, with its line."""
    try:
        first = next(entries(iter(start.decode("latin-1").removeprefix("ï»¿").split("\n")), "latin-1"), None)
    except Mistake:
        first = None
    if first is None or first.message:
        return {}
    fields = (line.partition(":") for line in first.translations.get(0, "").split("\n"))
    return {key.strip().lower(): value.strip() for key, _, value in fields}


def _codec(head: dict[str, str], name: str) -> str:
    named = re.search(r"charset\s*=\s*([^\s;]+)", head.get("content-type", ""), re.IGNORECASE)
    if not named or named[1] == "CHARSET":  # as a template has it
        return "utf-8"
    codec = codec_named(named[1])
    if codec is None or codec.startswith(("utf-16", "utf-32")):
        raise CorpusError(
            f"{name}: the header's charset {named[1][:40]!r} is not known",
            hint="convert the catalogue: msgconv --to-code=UTF-8",
        )
    return codec


def _source(head: dict[str, str], wanted: Wanted) -> str | None:
    """What the user says about messages goes before what is only usual."""
    said = head.get("x-source-language")
    return said or (None if wanted.languages else _SOURCE)


def _plural_forms(head: dict[str, str]) -> int | None:
    said = re.search(r"nplurals\s*=\s*(\d{1,2})", head.get("plural-forms", ""))
    return int(said[1]) if said else None
