"""Any text survives writing and reading, and any bytes give pairs or an error that says what is wrong.

CALQUE_FUZZ=60 looks for a minute at each format.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import django
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import pairs_of, written
from mutations import STRIKING, mutated, mutations
from test_po import WEBLATE
from test_tmx import OMEGAT, TRADOS
from test_xliff import MEMOQ, OKAPI
from test_xliff import TRADOS as SDLXLIFF
from translate.storage.pypo import pofile
from translate.storage.tmx import tmxfile

from calque.corpus.formats import detect
from calque.corpus.formats.plain_unit import PLAIN_UNIT, plain_text
from calque.corpus.pair import Pair
from calque.demo import sentences
from calque.errors import CalqueError
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


def catalogue(language: str) -> bytes:
    return (Path(django.__file__).parent / f"conf/locale/{language}/LC_MESSAGES/django.po").read_bytes()[:6000]


DEMO = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)][:30]
SAMPLES = {
    "tmx": [OMEGAT.encode(), TRADOS.encode(), TRADOS.encode("utf-16"), written("tmx", DEMO)],
    "xliff": [MEMOQ.encode(), OKAPI.encode(), SDLXLIFF.encode(), OKAPI.encode("utf-16")],
    "po": [
        WEBLATE.encode(),
        catalogue("ru"),
        catalogue("ja"),
        WEBLATE.replace("UTF-8", "EUC-JP").encode("euc_jp", "ignore"),
    ],
}
TOKENS = [
    *STRIKING, b"<ph>", b"charset=",
    b"<", b">", b"&", b"&x;", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [", b"<seg>", b"</tu>", b"<tu>",
    b"<mrk mtype='seg'>", b"<target>", b"</source>", b" translate='no'", b' xml:lang="de"', b"\0", b"\xff\xfe", b"\xe9",
    b"\n", b"\r", b'"', b"\\", b"\\x", b"\\400", b"msgid ", b'msgstr "', b"msgstr[1] ", b"#, fuzzy\n", b"#~ ",
    b"&#0;", b"&#xD800;", b"&#x110000;", b"\xef\xbb\xbf", b'encoding="utf-7"', b"srcLang='' ",
]  # fmt: skip


@pytest.mark.parametrize("format", SAMPLES)
def test_damaged_files_give_pairs_or_an_error(format: str) -> None:
    chance = random.Random(1)
    messages = []
    read = 0
    for data in mutations(SAMPLES[format], TOKENS):
        detect(data)
        try:
            pairs = pairs_of(format, data, chance.choice([None, ("en", "es"), ("en", "en"), ("ja", "en")]))
        except CalqueError as problem:
            messages.append(problem.message)
            continue
        assert all(isinstance(side, str) for pair in pairs for side in pair)
        read += 1
    assert [message for message in messages if not message.startswith("a.file")] == []
    assert read > len(messages) / 50  # some damage is harmless, or the test would try nothing but the first few bytes


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
    files = [mutated(memory, chance, TOKENS).replace(b"\r", b"") for _ in range(1500)]
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
