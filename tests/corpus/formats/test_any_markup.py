"""Any text survives writing and reading; what is read by a shortcut is what the parser reads, also where damaged."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import pairs_of, written
from translate.storage.pypo import pofile
from translate.storage.tmx import tmxfile

from calque.corpus.formats.plain_unit import PLAIN_UNIT, plain_text
from calque.corpus.pair import Pair
from calque.demo import sentences
from calque.errors import CalqueError
from mutations import MARKUP, mutated
from strategies import texts


def as_read(text: str) -> str:
    """What the reader of TMX should make of a text that was written, said in another way."""
    kept = "".join("\ufffd" if is_not_xml(character) else character for character in text)
    lines = (line.strip(" \t") for line in re.split("[\r\n]", kept))
    return " ".join(filter(None, lines))


def is_not_xml(character: str) -> bool:
    point = ord(character)
    return (point < 32 and character not in "\t\n\r") or 0xD800 <= point < 0xE000 or point in (0xFFFE, 0xFFFF)


pair_lists = st.lists(st.builds(Pair, texts, texts), max_size=6)
signs = ["<", ">", "&", "]]>", "&amp;", "<tu>", "</tu>", "</seg>", "<!--", "\n", '"', "a", " "]
markup = st.lists(st.sampled_from(signs), max_size=8).map("".join)


@given(pair_lists, st.lists(st.builds(Pair, markup, markup), max_size=3))
def test_any_text_comes_back_from_tmx(pairs: list[Pair], more: list[Pair]) -> None:
    expected = [Pair(as_read(pair.source), as_read(pair.target)) for pair in pairs + more]
    assert pairs_of("tmx", written("tmx", pairs + more), ("en", "es")) == expected


@given(pair_lists)
def test_the_translate_toolkit_reads_what_calque_writes(pairs: list[Pair]) -> None:
    units = tmxfile.parsestring(written("tmx", pairs)).units
    found = [(as_read(unit.source or ""), as_read(unit.target or "")) for unit in units]
    assert found == [(as_read(pair.source), as_read(pair.target)) for pair in pairs]


def quoted(text: str) -> str:
    """As xgettext writes strings, with everything but ASCII letters as octal bytes half of the time."""
    escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    half = [
        "".join(f"\\{byte:03o}" for byte in character.encode()) if at % 2 else escapes.get(character, character)
        for at, character in enumerate(text)
    ]
    cut = len(half) // 2
    return f'"{"".join(half[:cut])}"\n"{"".join(half[cut:])}"'


clean = texts.map(lambda text: text.encode("utf-8", "ignore").decode())


@given(st.lists(st.tuples(clean.filter(bool), clean.filter(bool)), min_size=1, max_size=6))
def test_any_text_comes_back_from_po(pairs: list[tuple[str, str]]) -> None:
    entries = "\n".join(f"msgid {quoted(source)}\nmsgstr {quoted(target)}\n" for source, target in pairs)
    assert pairs_of("po", f'msgid ""\nmsgstr "Language: es\\n"\n\n{entries}') == pairs


@given(st.lists(st.tuples(clean.filter(bool), clean.filter(bool)), min_size=1, max_size=6))
def test_calque_reads_what_the_translate_toolkit_escapes(pairs: list[tuple[str, str]]) -> None:
    store = pofile()
    for source, target in pairs:
        store.addsourceunit(source).target = target
    expected = [(str(unit.source), str(unit.target)) for unit in store.units if unit.source]
    assert pairs_of("po", bytes(store)) == expected


DEMO = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)][:30]


def outcome(data: bytes) -> list[Pair] | str:
    try:
        return pairs_of("tmx", data)
    except CalqueError as problem:
        return problem.message


def test_plain_units_are_read_as_the_parser_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = written("tmx", DEMO).replace(b"<tuv", b"\n  <tuv creationid='me'")
    memory = memory.replace(b"<tu>", b"\n<tu tuid='1' changeid=\"a\">\n<prop type='x'>some</prop><note>seen</note>")
    memory = memory.replace(b" the ", b" <ph x='1'>{}</ph> ")
    memory = memory.replace(b" la ", b" <bpt/> ").replace(b" in ", b" <hi>in</hi> ")
    chance = random.Random(1)
    files = [mutated(memory, chance, MARKUP).replace(b"\r", b"") for _ in range(1500)]
    files = [data for data in files if b"\xff\xfe" not in data]
    fast = [outcome(data) for data in files]
    monkeypatch.setattr("calque.corpus.formats.tmx.PLAIN_UNIT", re.compile("(?!)"))
    for data, found in zip(files, fast, strict=True):
        expected = outcome(data)
        assert found == expected or "duplicate attribute" in expected, data
    assert len([found for found in fast if isinstance(found, list)]) > len(files) / 50


def test_most_units_of_a_memory_full_of_codes_and_notes_are_plain() -> None:
    unit = (
        "<tu tuid='1'>\n<prop type=\"client\">A</prop>\n<note>n</note>\n"
        "<tuv creationid='me' xml:lang=\"en\" changeid='you'>\n"
        "<seg>Press <bpt i='1'>{b}</bpt>Start<ept i='1'>{/b}</ept><ph/> &amp; wait.</seg>\n</tuv>"
        '<tuv xml:lang="es"><note>x</note><seg>Pulse</seg></tuv></tu>'
    )
    found = PLAIN_UNIT.match(unit)
    assert found is not None
    assert [plain_text(found[2]), plain_text(found[4])] == ["Press Start & wait.", "Pulse"]
