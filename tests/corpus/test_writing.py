"""Bitext to files: format and compression by name, the same bytes each time, whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.corpus import Pair, read_bitext
from calque.corpus.writing import output_format, require_different, write_bitext
from calque.errors import CalqueError, UsageError
from strategies import texts

PAIRS = [Pair("A dog runs.", "Un perro corre."), Pair("水", "Вода"), Pair("Yes.", "Sí.")]
MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ\x00", "zst": b"\x28\xb5\x2f\xfd"}


def write(*outs: Path | str, pairs: list[Pair] = PAIRS, **options: object) -> None:
    batches = [pairs[:1], [], pairs[1:]]
    write_bitext([str(out) for out in outs], batches, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outs", "told", "format"),
    [
        (["a.tsv"], None, "tsv"),
        (["a.txt"], None, "tsv"),
        (["a.TSV.GZ"], None, "tsv"),
        (["a.en-es.tsv.zst"], None, "tsv"),
        (["a.csv.bz2"], None, "csv"),
        (["a.jsonl"], None, "jsonl"),
        (["a.ndjson.xz"], None, "jsonl"),
        (["a.tmx"], None, "tmx"),
        (["a.parquet"], None, "parquet"),
        (["-"], None, "tsv"),
        (["-"], "csv", "csv"),
        (["a.en", "a.es"], None, "moses"),
        (["a.en.gz", "a.es"], "moses", "moses"),
        (["a"], "moses", "moses"),
        (["a.dat"], "tsv", "tsv"),
        (["a.csv"], "tsv", "tsv"),
    ],
)
def test_the_format_is_the_one_told_or_the_name_s(outs: list[str], told: str | None, format: str) -> None:
    assert output_format(outs, told) == format


@pytest.mark.parametrize(
    ("outs", "told", "message", "hint"),
    [
        (["a"], None, "a: the name does not say which format to write", "pass --to with one of tsv, "),
        (["a.dat"], None, "a.dat: the name does not say", "--to"),
        (["a.gz"], None, "a.gz: the name does not say", "--to"),
        (["folder.tsv/a"], None, "the name does not say", "--to"),
        (["tsv"], None, "tsv: the name does not say", "--to"),
        (["a.xliff"], None, "a.xliff: Calque reads XLIFF and does not write it", "name it *.tmx"),
        (
            ["x/messages.po"],
            None,
            "x/messages.po: Calque reads PO and does not write it",
            "or pass --to with one of tsv",
        ),
        (["a.PO.gz"], None, "a.PO.gz: Calque reads PO and does not write it", "name it *.tmx"),
        (["a.en-es.zip"], None, "Calque reads zip and does not write it", "--to"),
        (["a.sdlxliff"], None, "Calque reads XLIFF and does not write it", "--to"),
        (["a.arrow"], None, "Calque reads Arrow and does not write it", "--to"),
        (["po"], None, "po: the name does not say", "--to"),
        (["a.tsv"], "xliff", "cannot write 'xliff'", "one of tsv, "),
        (["a.tsv"], "cake", "cannot write 'cake'", "one of tsv, "),
        ([], None, "expected one output, or two for a parallel corpus, got 0", ""),
        (["a", "b", "c"], None, "expected one output, or two for a parallel corpus, got 3", ""),
        (["a", "b"], "tsv", "two outputs are the two files of a parallel corpus", "or pass one -o"),
        (["a", "-"], None, "two outputs are the two files of a parallel corpus", "or pass one -o"),
        (["a", "./a"], None, "two outputs cannot both go to ./a", "a place of its own"),
        (["-"], "moses", "moses cannot be written to standard output", "-o"),
        (["-"], "parquet", "parquet cannot be written to standard output", "-o"),
    ],
)
def test_an_output_that_cannot_be_is_a_mistake(outs: list[str], told: str | None, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        output_format(outs, told)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_tsv_holds_a_pair_a_line(tmp_path: Path) -> None:
    write(tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text("utf-8") == "A dog runs.\tUn perro corre.\n水\tВода\nYes.\tSí.\n"


@pytest.mark.parametrize("ending", MAGIC)
def test_what_is_compressed_by_name_is_compressed_and_read_again(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"a.tsv.{ending}"
    write(out)
    assert out.read_bytes().startswith(MAGIC[ending])
    assert list(read_bitext(out)) == PAIRS


@pytest.mark.parametrize("ending", ["", *(f".{ending}" for ending in MAGIC)])
def test_the_same_pairs_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    one, two = tmp_path / f"one.tsv{ending}", tmp_path / f"other.tsv{ending}"
    write(one)
    os.utime(one, (0, 0))
    write(two)
    assert one.read_bytes() == two.read_bytes()


def test_breaks_inside_a_text_become_spaces(tmp_path: Path) -> None:
    pairs = [Pair("a\tb\nc\rd", "e\r\nf"), Pair("plain", "text\u2028here\x85")]
    write(tmp_path / "a.tsv", pairs=pairs)
    assert list(read_bitext(tmp_path / "a.tsv")) == [("a b c d", "e  f"), ("plain", "text\u2028here\x85")]
    write(tmp_path / "a.en", tmp_path / "a.es", pairs=pairs)
    assert (tmp_path / "a.en").read_text("utf-8").split("\n") == ["a\tb c d", "plain", ""]
    assert (tmp_path / "a.es").read_text("utf-8").split("\n") == ["e  f", "text\u2028here\x85", ""]


@given(st.lists(st.builds(Pair, texts, texts), min_size=1, max_size=20))
@settings(max_examples=60)
def test_any_text_is_one_line_of_a_tsv_and_of_parallel_files(pairs: list[Pair]) -> None:
    from calque.corpus.formats import moses, tsv

    table, one, two = io.BytesIO(), io.BytesIO(), io.BytesIO()
    tsv.write(table, [pairs])
    moses.write_parallel(one, two, [pairs])
    for file, breaks in ((table, "\t\n\r"), (one, "\n\r"), (two, "\n\r")):
        lines = file.getvalue().decode().split("\n")
        assert len(lines) == len(pairs) + 1
        assert lines[-1] == ""
        assert not any("\r" in line for line in lines)
        assert all(line.count("\t") == 1 for line in lines[:-1]) or "\t" not in breaks


def test_two_files_hold_a_side_each_and_may_be_compressed_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "a.en", tmp_path / "a.es.gz"
    write(one, two)
    assert one.read_text("utf-8") == "A dog runs.\n水\nYes.\n"
    assert two.read_bytes().startswith(MAGIC["gz"])
    assert list(read_bitext(one, two)) == PAIRS


@pytest.mark.parametrize(
    ("prefix", "made"), [("corpus", "corpus.{}"), ("corpus.v1.xz", "corpus.v1.{}.xz"), ("c.GZ", "c.{}.GZ")]
)
def test_a_prefix_is_completed_by_the_languages(tmp_path: Path, prefix: str, made: str) -> None:
    write(tmp_path / prefix, format="moses", languages=("en", "pt-BR"))
    assert {path.name for path in tmp_path.iterdir()} == {made.format("en"), made.format("pt-BR")}
    assert list(read_bitext(tmp_path / made.format("en"), tmp_path / made.format("pt-BR"))) == PAIRS


@pytest.mark.parametrize("languages", [None, ("en", "en")])
def test_a_prefix_needs_two_languages(tmp_path: Path, languages: tuple[str, str] | None) -> None:
    with pytest.raises(UsageError, match="named by their two languages") as caught:
        write(tmp_path / "corpus", format="moses", languages=languages)
    assert caught.value.hint == "--languages en es"
    assert list(tmp_path.iterdir()) == []


def failing() -> Iterator[list[Pair]]:
    yield PAIRS * 1000
    raise CalqueError("something is wrong")


@pytest.mark.parametrize(
    "names", [["a.tsv"], ["a.tsv.gz"], ["a.tsv.bz2"], ["a.tsv.xz"], ["a.tsv.zst"], ["a.en", "a.es.zst"]]
)
def test_pairs_that_fail_to_come_leave_no_file(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(CalqueError, match="something is wrong"):
        write_bitext([str(tmp_path / name) for name in names], failing())
    assert list(tmp_path.iterdir()) == []


def test_pairs_that_fail_to_come_leave_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "a.tsv"
    out.write_text("old\n")
    with pytest.raises(CalqueError, match="something is wrong"):
        write_bitext([str(out)], failing())
    assert out.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [out]


def test_a_disk_that_is_full_at_the_end_leaves_both_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sides of different corpora would be a parallel text of pairs that do not translate each other."""
    for name in ("a.en.gz", "a.es.gz"):
        (tmp_path / name).write_text("old\n")
    monkeypatch.setattr(os, "fsync", Mock(side_effect=[None, OSError(errno.ENOSPC, "No space left on device")]))
    with pytest.raises(CalqueError, match="No space left"):
        write(tmp_path / "a.en.gz", tmp_path / "a.es.gz")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.en.gz": "old\n", "a.es.gz": "old\n"}


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.zst"])
def test_a_file_can_be_written_over_itself(tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    many = [Pair(f"source {number} {'x' * 200}", f"target {number}") for number in range(20_000)]
    write(out, pairs=many)
    write_bitext([str(out)], ([pair] for pair in read_bitext(out)))
    assert list(read_bitext(out)) == many


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match=r"cannot write .*nowhere/a\.tsv: No such file"):
        write(tmp_path / "nowhere" / "a.tsv")


def test_nothing_gives_an_empty_file(tmp_path: Path) -> None:
    write(tmp_path / "a.tsv", pairs=[])
    assert (tmp_path / "a.tsv").read_bytes() == b""


def test_a_dash_is_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write("-")
    assert capsysbinary.readouterr().out.decode() == "A dog runs.\tUn perro corre.\n水\tВода\nYes.\tSí.\n"


def test_a_dash_is_standard_output_even_where_a_folder_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").mkdir()
    require_different(["-", "a.tsv"])
    with pytest.raises(UsageError, match=r"\./- is a folder"):
        require_different(["./-"])


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.tsv"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    write(pipe)
    reader.join(timeout=10)
    assert pipe.is_fifo()
    assert got == ["A dog runs.\tUn perro corre.\n水\tВода\nYes.\tSí.\n"]


def test_a_new_file_can_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write(tmp_path / "a.tsv")
    finally:
        os.umask(old)
    assert (tmp_path / "a.tsv").stat().st_mode & 0o777 == 0o644


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path: Path) -> None:
    write(tmp_path / "a.tsv", pairs=[Pair("a\ud800b", "c")])
    assert (tmp_path / "a.tsv").read_text() == "a?b\tc\n"
