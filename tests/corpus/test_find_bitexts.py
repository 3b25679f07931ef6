"""Which corpora a list of files stands for, and in which languages they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from calque.corpus import Bitext, find_bitexts
from calque.errors import CorpusError, UsageError


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with three TSVs and three sides of parallel text."""
    for name in ("a.en-es.tsv", "b.en-de.tsv", "c.tsv"):
        (tmp_path / name).write_text("one\tother\n")
    for name in ("d.en", "d.fr", "e.en"):
        (tmp_path / name).write_text("one\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_file_with_tabs_is_a_bitext(files: Path) -> None:
    assert find_bitexts(["a.en-es.tsv", "b.en-de.tsv"]) == [
        Bitext(("a.en-es.tsv",), ("en", "es")),
        Bitext(("b.en-de.tsv",), ("en", "de")),
    ]


def test_two_files_without_tabs_belong_together(files: Path) -> None:
    assert find_bitexts(["d.en", "d.fr"]) == [Bitext(("d.en", "d.fr"), ("en", "fr"))]


def test_files_sorted_by_language_are_not_taken_for_pairs(files: Path) -> None:
    Path("e.fr").write_text("one\n")
    with pytest.raises(UsageError, match=r"d\.en and e\.en stand side by side") as problem:
        find_bitexts(["d.en", "e.en", "d.fr", "e.fr"])
    assert problem.value.hint is not None
    assert problem.value.hint.endswith(": d.en d.fr e.en e.fr")


def test_two_files_of_other_names_may_be_a_bitext(files: Path) -> None:
    assert find_bitexts(["d.en", "d.fr", "d.en", "e.en"])[1].paths == ("d.en", "e.en")


def test_both_kinds_may_be_mixed(files: Path) -> None:
    assert find_bitexts(["a.en-es.tsv", "d.en", "d.fr", "c.tsv"]) == [
        Bitext(("a.en-es.tsv",), ("en", "es")),
        Bitext(("d.en", "d.fr"), ("en", "fr")),
        Bitext(("c.tsv",), None),
    ]


def test_a_side_without_its_other_is_an_error_that_names_it(files: Path) -> None:
    with pytest.raises(CorpusError) as problem:
        find_bitexts(["d.en", "d.fr", "a.en-es.tsv", "e.en"])
    assert problem.value.message.startswith("e.en, line 1: no tab")
    assert "two parallel files" in str(problem.value.hint)


def test_languages_given_go_before_those_of_the_names(files: Path) -> None:
    assert find_bitexts(["a.en-es.tsv", "d.en", "d.fr"], languages=("xx", "yy")) == [
        Bitext(("a.en-es.tsv",), ("xx", "yy")),
        Bitext(("d.en", "d.fr"), ("xx", "yy")),
    ]


def test_columns_go_to_every_tsv(files: Path) -> None:
    assert [bitext.columns for bitext in find_bitexts(["a.en-es.tsv", "c.tsv"], columns=(2, 3))] == [(2, 3), (2, 3)]


def test_no_file_at_all_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError, match="no bitext given"):
        find_bitexts([])


@pytest.mark.parametrize("languages", [("en",), ("en", "es", "de")])
def test_two_languages_are_needed(files: Path, languages: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=f"expected two languages, got {len(languages)}: en"):
        find_bitexts(["a.en-es.tsv"], languages=languages)


def test_an_empty_file_is_an_error_that_names_it(files: Path) -> None:
    (files / "empty.en-es.tsv").touch()
    with pytest.raises(CorpusError, match=r"empty\.en-es\.tsv is empty"):
        find_bitexts(["a.en-es.tsv", "empty.en-es.tsv"])


def test_a_missing_file_is_a_mistake_of_the_call(files: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read nowhere\.tsv"):
        find_bitexts(["a.en-es.tsv", "nowhere.tsv"])


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("europarl.en-es.tsv", ("en", "es")),
        ("europarl.en-es.tsv.xz", ("en", "es")),
        ("tatoeba.en-ber.tsv.xz", ("en", "ber")),
        ("en-es.tsv", ("en", "es")),
        ("my-set.tsv", None),
        ("en-dev.tsv", None),
        ("en-es", ("en", "es")),
        ("news_de-fr.tsv", ("de", "fr")),
        ("a.zh-CN-en.tsv", ("zh-CN", "en")),
        ("libreoffice.en-zh-CN.tsv.xz", ("en", "zh-CN")),
        ("b.en-sr_Latn.tsv", ("en", "sr-Latn")),
        ("c.pt_BR-pt_PT.tsv", ("pt-BR", "pt-PT")),
        ("jhu.deu-eng.tsv", ("de", "en")),
        ("paraphrases.en-en.tsv", ("en", "en")),
        ("plain.tsv", None),
        ("hand-made.tsv", None),
        ("corpus.EN-ES.tsv", None),
    ],
)
def test_a_name_tells_the_languages_of_a_tsv(tmp_path: Path, name: str, languages: tuple[str, str] | None) -> None:
    path = tmp_path / name
    path.write_text("one\tother\n")
    assert find_bitexts([str(path)])[0].languages == languages


@pytest.mark.parametrize(
    ("one", "two", "languages"),
    [
        ("corpus.en", "corpus.es", ("en", "es")),
        ("corpus.en.gz", "corpus.es", ("en", "es")),
        ("corpus.en.txt", "corpus.es.txt.xz", ("en", "es")),
        ("corpus.zh-CN", "corpus.en", ("zh-CN", "en")),
        ("corpus.en-es.en", "corpus.en-es.es", ("en", "es")),
        ("source.txt", "target.txt", None),
        ("source.gz", "target.gz", None),
        ("source.txt.gz", "target.txt.gz", None),
        ("source", "target", None),
        ("corpus.en", "corpus.txt", None),
    ],
)
def test_names_tell_the_languages_of_parallel_files(
    tmp_path: Path, one: str, two: str, languages: tuple[str, str] | None
) -> None:
    for name in (one, two):
        (tmp_path / name).write_bytes(gzip.compress(b"line\n") if name.endswith(".gz") else b"line\n")
    assert find_bitexts([str(tmp_path / one), str(tmp_path / two)])[0].languages == languages


def test_folders_of_the_path_do_not_tell_languages(tmp_path: Path) -> None:
    folder = tmp_path / "data.en-es"
    folder.mkdir()
    (folder / "plain.tsv").write_text("one\tother\n")
    assert find_bitexts([str(folder / "plain.tsv")])[0].languages is None
