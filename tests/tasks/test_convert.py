"""Bitext of one form to bitext of another."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from calque.corpus import read_bitext
from calque.errors import CorpusError, UsageError
from calque.tasks.convert import Converted, convert

TEXT = "A dog runs.\tUn perro corre.\n\tblank\nRain falls.\tLlueve.\n"


@pytest.fixture
def bitext(tmp_path: Path) -> Path:
    path = tmp_path / "a.en-es.tsv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_tsv_becomes_two_files_and_a_tsv_again(bitext: Path, tmp_path: Path) -> None:
    one, two, again = tmp_path / "b.en", tmp_path / "b.es.xz", tmp_path / "c.tsv"
    assert convert(bitext, [one, two]) == Converted(3, ("en", "es"), (str(one), str(two)))
    assert one.read_text() == "A dog runs.\n\nRain falls.\n"
    assert lzma.decompress(two.read_bytes()).decode() == "Un perro corre.\nblank\nLlueve.\n"
    assert convert([one, two], again) == Converted(3, ("en", "es"), (str(again),))
    assert again.read_text() == TEXT


def test_a_prefix_and_the_languages_name_two_files(bitext: Path, tmp_path: Path) -> None:
    assert convert(bitext, tmp_path / "out", to="moses").pairs == 3
    assert (tmp_path / "out.es").read_text() == "Un perro corre.\nblank\nLlueve.\n"


def test_several_bitexts_become_one(bitext: Path, tmp_path: Path) -> None:
    assert convert([bitext, bitext], tmp_path / "twice.tsv").pairs == 6
    assert (tmp_path / "twice.tsv").read_text() == TEXT * 2


def test_columns_can_be_chosen_and_turned_round(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("0.5\tdog\tperro\n0.7\tcat\tgato\n")
    convert(tmp_path / "a.tsv", tmp_path / "b.tsv", columns=(3, 2))
    assert (tmp_path / "b.tsv").read_text() == "perro\tdog\ngato\tcat\n"


def test_a_header_s_columns_are_found_by_language(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("id\tde\ten\n1\tHund\tdog\n")
    out = tmp_path / "b.tsv"
    assert convert(tmp_path / "a.tsv", out, languages=["en", "de"]) == Converted(1, ("en", "de"), (str(out),))
    assert out.read_text() == "dog\tHund\n"


def test_bitexts_of_different_languages_do_not_mix(bitext: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.en-fr.tsv"
    other.write_text(TEXT)
    with pytest.raises(CorpusError, match=r"b\.en-fr\.tsv is en-fr, but .*a\.en-es\.tsv is en-es"):
        convert([bitext, other], tmp_path / "c.tsv")
    assert not (tmp_path / "c.tsv").exists()
    assert convert([bitext, other], tmp_path / "c.tsv", languages=["en", "es"]).pairs == 6


def test_an_output_that_cannot_be_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not say which format"):
        convert(tmp_path / "not there.tsv", tmp_path / "out")
    with pytest.raises(UsageError, match=r"cannot read .*not there\.tsv"):
        convert(tmp_path / "not there.tsv", tmp_path / "out.tsv")


def test_a_broken_input_leaves_the_old_output(bitext: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    out.write_text("old\n")
    with bitext.open("ab") as file:
        file.write(b"caf\xe9\tx\n")
    with pytest.raises(CorpusError, match="line 4: not UTF-8"):
        convert(bitext, out)
    assert out.read_text() == "old\n"
    assert {path.name for path in tmp_path.iterdir()} == {"a.en-es.tsv", "out.tsv"}


def test_progress_counts_pairs(bitext: Path, tmp_path: Path) -> None:
    counts: list[int] = []
    convert([bitext] * 3, tmp_path / "out.tsv", report=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 9


def test_blank_pairs_are_converted_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("\t\n \t\u3000\n")
    assert convert(tmp_path / "a.tsv", tmp_path / "b.tsv").pairs == 2
    assert (tmp_path / "b.tsv").read_text() == "\t\n \t\u3000\n"
    assert list(read_bitext(tmp_path / "b.tsv")) == []


def test_a_prefix_becomes_two_files_named_by_their_languages(tmp_path: Path) -> None:
    bitext = tmp_path / "a.en-es.tsv"
    bitext.write_text(TEXT)
    done = convert(bitext, tmp_path / "b.gz", to="moses")
    assert done.paths == (str(tmp_path / "b.en.gz"), str(tmp_path / "b.es.gz"))
    assert all(Path(path).exists() for path in done.paths)


def test_files_told_to_be_parallel_may_hold_tabs(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("a\tb\nc\n")
    (tmp_path / "a.es").write_text("x\ny\n")
    convert([tmp_path / "a.en", tmp_path / "a.es"], tmp_path / "out.jsonl", format="moses")
    assert (tmp_path / "out.jsonl").read_text() == '{"en": "a\\tb", "es": "x"}\n{"en": "c", "es": "y"}\n'


def test_sides_wanted_the_other_way_round_than_the_name_says_are_swapped(tmp_path: Path) -> None:
    (tmp_path / "a.en-es.tsv").write_text("dog\tperro\n")
    convert(tmp_path / "a.en-es.tsv", tmp_path / "out.tsv", languages=["spa", "eng"])
    assert (tmp_path / "out.tsv").read_text() == "perro\tdog\n"
    (tmp_path / "b.en").write_text("dog\n")
    (tmp_path / "b.es").write_text("perro\n")
    convert([tmp_path / "b.en", tmp_path / "b.es"], tmp_path / "out.tsv", languages=["es", "en"])
    assert (tmp_path / "out.tsv").read_text() == "perro\tdog\n"
