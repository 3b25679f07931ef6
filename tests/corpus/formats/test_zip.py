"""Zip files: the two texts or the one bitext in them, and zip files that are not what they should be."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from pathlib import Path

import pytest
from reading import error_of, read, written

PAIRS = [("A dog runs.", "Un perro corre."), ("Yes.", "Sí.")]
ENGLISH, SPANISH = ("".join(f"{pair[side]}\n" for pair in PAIRS) for side in (0, 1))
BESIDE = {
    "README": "What this is\tand why",
    "LICENSE": "Free",
    "Corpus.en-es.ids": "1\t1\n",
    "Corpus.en-es.scores": "0.1\n0.2\n",
    "Corpus.en-es.xml": "<?xml version='1.0'?><cesAlign/>",
}


def zipped(entries: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


OPUS = {**BESIDE, "Corpus.en-es.en": ENGLISH, "Corpus.en-es.es": SPANISH}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.zip"


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
def test_a_zip_of_opus_gives_its_pairs_and_languages(path: Path, method: int) -> None:
    assert read(path, zipped(OPUS, method)) == (("en", "es"), PAIRS)


def test_the_order_is_that_of_the_name_and_not_of_the_entries(path: Path) -> None:
    entries = {"Corpus.en-es.es": SPANISH, "Corpus.en-es.en": ENGLISH}
    assert read(path, zipped(entries)) == (("en", "es"), PAIRS)


@pytest.mark.parametrize("languages", [("es", "en"), ("spa", "eng"), ("es_MX", "en-GB")])
def test_languages_choose_the_order(path: Path, languages: tuple[str, str]) -> None:
    assert read(path, zipped(OPUS), languages).pairs == [(target, source) for source, target in PAIRS]


@pytest.mark.parametrize(
    ("one", "two", "languages"),
    [
        ("Corpus.en-zh_cn.en", "Corpus.en-zh_cn.zh_cn", ("en", "zh-CN")),
        ("Corpus.en-zh-TW.en", "Corpus.en-zh-TW.zh-TW", ("en", "zh-TW")),
        ("data/en-es/corpus.en", "data/en-es/corpus.es", ("en", "es")),
        ("corpus.en.txt", "corpus.es.txt", ("en", "es")),
        ("train.eng", "train.spa", ("en", "es")),
        ("Corpus.en-xml.en", "Corpus.en-xml.xml", ("en", "xml")),
    ],
)
def test_names_tell_the_languages(path: Path, one: str, two: str, languages: tuple[str, str]) -> None:
    assert read(path, zipped({"README.md": "x", one: ENGLISH, two: SPANISH})) == (languages, PAIRS)


def test_entries_may_be_compressed_once_more(path: Path) -> None:
    entries = {"corpus.en.gz": gzip.compress(ENGLISH.encode()), "corpus.es": SPANISH.encode()}
    assert read(path, zipped(entries)) == (("en", "es"), PAIRS)


SEVERAL = {"c.en": ENGLISH, "c.es": SPANISH, "c.de": "Ein Hund.\nJa.\n"}


def test_of_several_languages_two_are_chosen(path: Path) -> None:
    assert read(path, zipped(SEVERAL), ("de", "es")).pairs == [("Ein Hund.", "Un perro corre."), ("Ja.", "Sí.")]


def test_of_several_languages_none_is_guessed(path: Path) -> None:
    problem = error_of(path, zipped(SEVERAL))
    assert problem.message == f"{path}: more than two texts: en-es-de"
    assert "--languages en es" in str(problem.hint)


def test_of_several_pairs_none_is_guessed(path: Path) -> None:
    entries = {"c.en-es.en": "a", "c.en-es.es": "b", "c.en-de.en": "a", "c.en-de.de": "c"}
    assert error_of(path, zipped(entries)).message == f"{path}: more than two texts: en-es, en-de"
    assert read(path, zipped(entries), ("en", "de")).pairs == [("a", "c")]


def test_two_pairs_of_the_same_languages_are_not_guessed_among(path: Path) -> None:
    entries = {"train.en": "a", "train.es": "b", "test.en": "c", "test.es": "d"}
    problem = error_of(path, zipped(entries), ("en", "es"))
    assert problem.message == f"{path}: more than two texts: en-es, en-es"
    assert problem.hint == "unpack it, and name the files that you want"


def test_languages_that_are_not_there_are_an_error(path: Path) -> None:
    assert error_of(path, zipped(OPUS), ("en", "fr")).message == f"{path}: no texts in en and fr, only en-es"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pairs.tsv", written("tsv", PAIRS)),
        ("pairs.csv", written("csv", PAIRS)),
        ("pairs.jsonl", written("jsonl", PAIRS)),
        ("pairs", written("jsonl", PAIRS)),
        ("pairs.tsv.gz", gzip.compress(written("tsv", PAIRS), mtime=0)),
    ],
)
def test_one_other_bitext_is_read_by_its_content(path: Path, name: str, content: bytes) -> None:
    assert read(path, zipped({**BESIDE, f"folder/{name}": content})).pairs == PAIRS


def test_parquet_in_a_zip_is_read(path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert read(path, zipped({"pairs.parquet": written("parquet", PAIRS, ("en", "es"))})) == (("en", "es"), PAIRS)


def test_several_other_bitexts_are_an_error_that_lists_them(path: Path) -> None:
    problem = error_of(path, zipped({"a.tsv": "a\tb\n", "b.tsv": "a\tb\n", "notes": "none"}))
    assert problem.message == f"{path}: 2 bitexts among a.tsv, b.tsv"


@pytest.mark.parametrize(
    ("entries", "listed"),
    [({}, "no files at all"), ({"README": "x"}, "README"), ({"one.txt": "a\n", "two.txt": "b\n"}, "one.txt, two.txt")],
)
def test_no_bitext_is_an_error_that_lists_what_there_is(
    path: Path, entries: dict[str, str | bytes], listed: str
) -> None:
    assert error_of(path, zipped(entries)).message == f"{path}: no bitext among {listed}"


def test_a_zip_in_a_zip_is_not_looked_into(path: Path) -> None:
    assert error_of(path, zipped({"inner.zip": zipped(OPUS)})).message == f"{path}: no bitext among inner.zip"


def test_errors_in_an_entry_name_it_and_its_line(path: Path) -> None:
    problem = error_of(path, zipped({"c.en": b"a\nb\n", "c.es": b"a\n\xff\n"}))
    assert problem.message == f"{path}, c.es, line 2: not UTF-8 (byte 0xff at position 1)"
    problem = error_of(path, zipped({"c.en": "a\nb\n", "c.es": "a\n"}))
    assert problem.message == f"{path}, c.es has 1 lines, but {path}, c.en has 2"
    problem = error_of(path, zipped({"only.tsv": "a\tb\nc\n"}))
    assert problem.message == f"{path}, only.tsv, line 2: expected 2 columns, got 1"


def test_a_wrong_checksum_names_the_entry(path: Path) -> None:
    whole = zipped({"c.en": "abc\n", "c.es": "xyz\n"}, zipfile.ZIP_STORED)
    problem = error_of(path, whole.replace(b"xyz\n", b"xyw\n"))
    assert problem.message.startswith(f"{path}, c.es: the zip file is broken or cut short (Bad CRC-32")


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_entry_is_an_error_that_names_it(path: Path, method: int) -> None:
    text = "".join(f"{number * 7919 % 10007}\n" for number in range(5000))
    whole = bytearray(zipped({"c.en": text, "c.es": text}, method))
    whole[len(whole) // 4] ^= 0xFF
    assert error_of(path, bytes(whole)).message.startswith(f"{path}, c.en: the zip file is broken or cut short")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_zip_cut_short_is_an_error(path: Path, share: float) -> None:
    whole = zipped(OPUS)
    problem = error_of(path, whole[: int(share * len(whole))])
    assert problem.message == f"{path}: the zip file is broken or cut short (File is not a zip file)"


def test_an_encrypted_entry_is_an_error(path: Path) -> None:
    content = bytearray(zipped({"c.en": "a", "c.es": "b"}))
    for place in (content.find(b"PK\x03\x04") + 6, content.find(b"PK\x01\x02") + 8):
        content[place] |= 1
    assert error_of(path, bytes(content)).message == f"{path}, entry 'c.en' is encrypted: refused"


def test_a_way_of_compressing_that_is_not_known_is_an_error(path: Path) -> None:
    content = bytearray(zipped({"c.en": "a", "c.es": "b"}))
    for place in (content.find(b"PK\x03\x04") + 8, content.find(b"PK\x01\x02") + 10):
        content[place : place + 2] = struct.pack("<H", 97)
    assert error_of(path, bytes(content)).message.startswith(
        f"{path}, c.en: compressed in a way that is not known here"
    )


def test_an_entry_that_claims_to_grow_beyond_measure_is_refused(path: Path) -> None:
    content = bytearray(zipped({"c.en": "a" * 1000, "c.es": "b"}))
    place = content.find(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<L", 3 << 30)
    assert error_of(path, bytes(content)).message.startswith(f"{path}, entry 'c.en' unpacks to more than 250 times")


def test_an_entry_that_grows_beyond_measure_is_refused(path: Path) -> None:
    content = zipped({"c.en": "a" * (40 << 20), "c.es": "b"})
    assert len(content) < 50_000
    assert error_of(path, content).message.startswith(f"{path}, entry 'c.en' unpacks to more than 250 times")


def test_an_entry_that_would_leave_its_folder_is_refused(path: Path) -> None:
    content = zipped({"c.en": "a", "c.es": "b", "../../c.fr": "c"})
    assert error_of(path, content).message == f"{path}, entry '../../c.fr' leads outside the folder: refused"


def test_a_zip_that_is_compressed_again_is_read(path: Path) -> None:
    assert read(path, gzip.compress(zipped(OPUS))).pairs == PAIRS


def test_long_texts_are_read_side_by_side(path: Path) -> None:
    english = [f"A dog {number}" for number in range(200_000)]
    spanish = [f"Un perro grande y viejo {number}" for number in range(200_000)]
    content = zipped({"c.en-es.en": "\n".join(english), "c.en-es.es": "\n".join(spanish)})
    assert read(path, content).pairs == list(zip(english, spanish, strict=True))
