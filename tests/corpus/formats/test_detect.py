"""A format is known by how a file begins; its name matters for CSV only."""

from __future__ import annotations

import codecs
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import error_of, read

from calque.corpus.formats import READABLE, detect
from calque.corpus.formats.detect import TEXT
from calque.errors import UsageError


def empty_zip() -> bytes:
    file = BytesIO()
    zipfile.ZipFile(file, "w").close()
    return file.getvalue()


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (b"A dog runs.\tUn perro corre.\n", "tsv"),
        (b"A dog runs.\tUn perro", "tsv"),
        (b"A dog runs.\n", TEXT),
        (b"A dog runs.\nLater\ta tab\n", TEXT),
        (b"A dog, a cat,\n", TEXT),
        (b"", TEXT),
        (b"PAR1\x15\x04", "parquet"),
        (b"ARROW1\x00\x00", "arrow"),
        (b"\xff\xff\xff\xff\x10\x00\x00\x00", "arrow"),
        (b"PK\x03\x04\x14\x00", "zip"),
        (empty_zip(), "zip"),
        (b'<?xml version="1.0"?>\n<tmx version="1.4">', "tmx"),
        (b"<tmx>", "tmx"),
        (b'<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<!-- by hand -->\n<tmx version="1.4">', "tmx"),
        (b'<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a "b">]><tmx>', "tmx"),
        (codecs.BOM_UTF8 + b"<tmx>", "tmx"),
        ("<?xml version='1.0'?><tmx>".encode("utf-16"), "tmx"),
        (b'<xliff version="1.2">', "xliff"),
        (b'<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0">', "xliff"),
        (b"<html><tmx>", TEXT),
        (b"<tmxfile>", TEXT),
        (b'msgid ""\nmsgstr ""\n', "po"),
        (b'# A comment\n#, fuzzy\n\nmsgctxt "menu"\nmsgid "File"\n', "po"),
        (b'\r\n#: main.c:3\r\nmsgid "File"\r\n', "po"),
        (b"msgid is a keyword of gettext\n", TEXT),
        (b"# A heading\nand text\n", TEXT),
        (b'{"en": "a", "es": "b"}\n', "jsonl"),
        (b'\n\n  {"en": "a", "es": "b"}\n', "jsonl"),
        (b'{"en": "a\tb"', "tsv"),
        (b'{"en":\t"a",\t"es":\t"b"}\n', "jsonl"),
        (b'["a", "b"]\n', "jsonl"),
        (b'["a", "' + b"b" * 70_000, "jsonl"),
        (b'{"en": "' + b"b" * 70_000, "jsonl"),
        (b'[{"en": "a"},\n', "jsonl"),
        (b'[\n  {\n    "en": "a"\n', "jsonl"),
        (b'["a" he said]\n', TEXT),
        (b"[applause]\n", TEXT),
        (b"{curly} words\n", TEXT),
        (b'{"a": 1}\tthe object\n', "tsv"),
        (b"\xff\xfeA\x00\t\x00B\x00", "tsv"),
    ],
)
def test_the_first_bytes_tell_the_format(head: bytes, format: str) -> None:
    assert detect(head) == format


@pytest.mark.parametrize("name", ["a.csv", "a.CSV", "a.csv.gz", "data/a.en-es.csv.xz"])
def test_csv_is_known_by_its_name(name: str) -> None:
    assert detect(b"a,b\n", name) == "csv"
    assert detect(b"a\tb,c\n", name) == "csv"


@pytest.mark.parametrize("name", ["a.txt", "csv", "a.csv.txt", "acsv", "a.parquet", "a.zip", "a.jsonl"])
def test_no_other_name_changes_anything(name: str) -> None:
    assert detect(b"a,b\n", name) == TEXT
    assert detect(b"a\tb\n", name) == "tsv"


def test_content_goes_before_the_name_of_a_csv() -> None:
    assert detect(b'{"en": "a", "es": "b"}\n', "a.csv") == "jsonl"


@given(st.binary(max_size=200), st.sampled_from(["", "a.csv"]))
def test_anything_is_something(head: bytes, name: str) -> None:
    assert detect(head, name) in (*READABLE, TEXT)


@given(
    st.lists(
        st.sampled_from(
            ["<", "<?", "?>", "<!--", "-->", "<!DOCTYPE", "[", "]", "{", '"', ":", "#", "\n", " ", "msgid", "tmx"]
        )
    )
)
def test_beginnings_of_formats_mixed_up_are_something(parts: list[str]) -> None:
    assert detect("".join(parts).encode()) in (*READABLE, TEXT)


@pytest.mark.parametrize(
    ("unit", "format"),
    [
        ("<?", TEXT),
        ("<!--", TEXT),
        ("<!DOCTYPE [", TEXT),
        ("#\n", TEXT),
        (" \n", TEXT),
        ("[", TEXT),
        ('{"', TEXT),
        ("\t", "tsv"),
        ("<", TEXT),
    ],
)
def test_a_head_of_beginnings_without_end_is_told_with_one_look_at_each(unit: str, format: str) -> None:
    with processor_seconds(20):  # one look at each takes a hundredth of a second, each beginning at all others minutes
        for _ in range(20):
            assert detect((unit * 65536)[:65536].encode()) == format


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """Fail after so much work of this process, however long a busy machine takes for it."""

    def fail(*_: object) -> None:
        pytest.fail(f"more than {most} seconds of work")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_a_format_that_is_given_goes_before_what_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "text"
    assert read(path, "a,b\n", format="csv").pairs == [("a", "b")]
    assert read(path, '{"en": "a"}\t{"es": "b"}\n', format="tsv").pairs == [('{"en": "a"}', '{"es": "b"}')]
    assert "not JSON" in error_of(path, "a\tb\n", format="jsonl").message


@pytest.mark.parametrize("format", ["text", "word", ""])
def test_a_format_that_is_none_is_a_mistake_of_the_call(tmp_path: Path, format: str) -> None:
    with pytest.raises(UsageError, match="no format"):
        read(tmp_path / "text", "a\tb\n", format=format)
