"""XML that was made to do harm: nothing is expanded, fetched or kept without bound."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from markup import pairs_of

from calque.corpus.formats import format_named
from calque.corpus.pair import Pair, Wanted
from calque.errors import CorpusError

UNIT = '<tu><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="es"><seg>B</seg></tuv></tu>'


def memory(text: str, before: str = "", attribute: str = "") -> str:
    return f'{before}<tmx version="1.4"><header srclang="en"{attribute}/><body>\n{UNIT.format(text)}\n</body></tmx>'


LAUGHS = (
    """<?xml version="1.0"?>
<!DOCTYPE tmx [
 <!ENTITY a "ha ha ha ha ha ha ha ha ha ha">
"""
    + "".join(f' <!ENTITY {two} "{f"&{one};" * 10}">\n' for one, two in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>\n"
)


@pytest.mark.parametrize(
    "before",
    [
        '<!DOCTYPE tmx SYSTEM "tmx14.dtd">',
        '<?xml version="1.0"?>\n<!-- <!DOCTYPE x> -->\n<!DOCTYPE tmx PUBLIC "-//LISA//DTD" \'tmx14.dtd\' >\n',
        '<!DOCTYPE tmx [\n<!ELEMENT tmx (header, body)> <!-- ] > " -->\n<!ENTITY unused "]>"> <?x ]>?> %x; ]\n >',
        LAUGHS,
    ],
)
def test_a_document_type_is_accepted_and_ignored(before: str) -> None:
    assert pairs_of("tmx", memory("A", before)) == [Pair("A", "B")]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("&j;", LAUGHS),
        ("&a;", LAUGHS),
        ("&x;", '<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        ("&x;", "<!DOCTYPE tmx [<!ENTITY % p \"<!ENTITY x 'y'>\"> %p;]>"),
        ("&nbsp;", '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'),
        ("&nbsp;", ""),
    ],
)
def test_an_entity_of_the_documents_own_is_an_error_in_text_and_in_attributes(text: str, before: str) -> None:
    line = before.count("\n") + 1
    with pytest.raises(
        CorpusError, match=rf"a\.file, line {line + 1}: an entity that is not one of XML's own"
    ) as problem:
        pairs_of("tmx", memory(text, before))
    assert "&#160;" in str(problem.value.hint)
    with pytest.raises(CorpusError, match=rf"a\.file, line {line}: an entity"):
        pairs_of("tmx", memory("A", before, attribute=f' o-tmf="{text}"'))


def test_a_dtd_beside_the_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.dtd").write_text('<!ENTITY x "expanded">')
    monkeypatch.chdir(tmp_path)
    for declared in ('SYSTEM "own.dtd"', f'SYSTEM "{(tmp_path / "own.dtd").as_uri()}"'):
        with pytest.raises(CorpusError, match="an entity that is not one of XML's own"):
            pairs_of("tmx", memory("&x;", f"<!DOCTYPE tmx {declared}>"))


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("<!DOCTYPE tmx><!DOCTYPE tmx [<!ENTITY x 'y'>]>", "line 1: a document type declaration that is out of place"),
        ("<!DOCTYPE tmx [<!ENTITY x 'y>]>", "line 1: a document type declaration without end"),
        ("\n<!DOCTYPE tmx [ <!-- ]>", "line 2: a document type declaration without end"),
        ("<!ENTITY x 'y'>", "line 1: not well-formed"),
    ],
)
def test_a_broken_document_type_is_an_error(before: str, message: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.file, {message}"):
        pairs_of("tmx", memory("&x;", before))


@pytest.mark.parametrize("levels", [1_001, 100_000])
def test_deep_nesting_is_an_error(levels: int) -> None:
    for format, text in (("tmx", memory("<hi>" * levels)), ("xliff", "<xliff version='1.2'>" + "<group>" * levels)):
        with pytest.raises(CorpusError, match="more than 1000 elements inside each other"):
            pairs_of(format, text)


@pytest.mark.parametrize("format", ["tmx", "xliff"])
def test_only_a_unit_is_bounded_not_a_file(monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    monkeypatch.setattr("calque.corpus.formats.xml._LARGEST_UNIT", 300_000)
    units = {"tmx": UNIT.format("A<!-- -->"), "xliff": "<trans-unit><source>A</source><target>B</target></trans-unit>"}
    start, end = {"tmx": (TMX, "</body></tmx>"), "xliff": (XLIFF, "</body></file></xliff>")}[format]
    assert pairs_of(format, start + units[format] * 30_000 + end) == [Pair("A", "B")] * 30_000


class Endless(io.RawIOBase):
    """A file that begins in some way and then repeats itself for ever; `{}` counts."""

    def __init__(self, start: str, again: str) -> None:
        self._rest = start.encode()
        self._again = again
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        while len(self._rest) < len(buffer):
            self._rest += "".join(self._again.replace("{}", str(self._count + more)) for more in range(5000)).encode()
            self._count += 5000
        buffer[:], self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        return len(buffer)


TMX = '<tmx version="1.4"><header srclang="en"/><body>'
XLIFF = '<xliff version="1.2"><file source-language="en" target-language="es"><body>'


@pytest.mark.parametrize(
    ("format", "start", "again", "message"),
    [
        ("tmx", TMX + '<tu><tuv xml:lang="en"><seg>', "text " * 9, "a translation unit of more than 1 MB"),
        ("tmx", TMX + '<tu><tuv xml:lang="en"><seg><![CDATA[', "text " * 9, "a translation unit of more than 1 MB"),
        ("tmx", TMX + "<tu>", '<tuv xml:lang="en"><seg>a</seg></tuv>', "a translation unit of more than 1 MB"),
        ("tmx", TMX + "<tu>", '<tuv xml:lang="x{}"><seg>a</seg></tuv>', "a translation unit of more than 1 MB"),
        ("tmx", TMX + '<tu a="', "text " * 9, "a tag or comment of more than 1 MB"),
        ("tmx", TMX + "<tu", ' a{}="b"', "a tag or comment of more than 1 MB"),
        ("tmx", TMX + "<t", "text", "a tag or comment of more than 1 MB"),
        ("tmx", TMX + "<!-- ", "text </tu>" * 9, "a tag or comment of more than 1 MB"),
        ("tmx", TMX + "<?x ", "text " * 9, "a tag or comment of more than 1 MB"),
        ("tmx", TMX, "<a{} b{}='c'/>", "more than 5000 names"),
        ("tmx", TMX, "<prop>", "more than 1000 elements inside each other"),
        ("tmx", "<!DOCTYPE tmx [", "<!ENTITY a{} 'b'>", "a document type declaration without end"),
        ("xliff", XLIFF + "<trans-unit><source>", "<g>text</g> ", "a translation unit of more than 1 MB"),
        (
            "xliff",
            XLIFF + "<trans-unit><target>",
            "<mrk mtype='seg' mid='{}'>a</mrk>",
            "a translation unit of more than 1 MB",
        ),
        ("xliff", XLIFF + "<trans-unit>", "<source>a</source>", "a translation unit of more than 1 MB"),
        ("xliff", XLIFF, "<a:b{} xmlns:a='u{}'/>", "more than 5000 names"),
    ],
)
def test_what_never_ends_is_an_error_in_bounded_memory(
    monkeypatch: pytest.MonkeyPatch, format: str, start: str, again: str, message: str
) -> None:
    for limit, smaller in (("_LARGEST_UNIT", 1 << 20), ("_LONGEST_TAG", 1 << 20), ("_MOST_NAMES", 5000)):
        monkeypatch.setattr(f"calque.corpus.formats.xml.{limit}", smaller)
    file = io.BufferedReader(Endless(start, again), 1 << 16)
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match=rf"a\.file, line 1: {message}"):
            for _ in format_named(format).read(file, "a.file", Wanted(("en", "es"))).batches:
                pass
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()
