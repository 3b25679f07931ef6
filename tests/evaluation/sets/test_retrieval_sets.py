"""Aligned files in many languages: FLORES, NTREX, and any two that say the same."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.aligned import AlignedSet, find_retrieval
from evaluation.sets.files import lines, put

ENGLISH, GERMAN, HINDI = lines("Rain.", "Snow."), lines("Regen.", "Schnee."), lines("बारिश।", "बर्फ़।")


def named(path: Path) -> list[tuple[str, tuple[str, str] | None]]:
    return [(one.name, one.languages) for one in find_retrieval(path)]


def test_each_language_of_flores_is_a_set_with_english(tmp_path: Path) -> None:
    put(tmp_path / "flores200-dev", {"deu_Latn.txt": GERMAN, "eng_Latn.txt": ENGLISH, "hin_Deva.txt": HINDI})
    for path in (tmp_path, tmp_path / "flores200-dev"):
        assert find_retrieval(path) == [
            AlignedSet("deu_Latn-eng_Latn", ("de", "en"), ["Regen.", "Schnee."], ["Rain.", "Snow."]),
            AlignedSet("hin_Deva-eng_Latn", ("hi", "en"), ["बारिश।", "बर्फ़।"], ["Rain.", "Snow."]),
        ]


def test_the_splits_of_flores_are_told_apart_where_both_are_there(tmp_path: Path) -> None:
    put(tmp_path / "flores" / "dev", {"deu_Latn.dev": GERMAN, "eng_Latn.dev": ENGLISH})
    assert named(tmp_path) == [("deu_Latn-eng_Latn", ("de", "en"))]
    put(tmp_path / "flores" / "devtest", {"deu_Latn.devtest": GERMAN * 2, "eng_Latn.devtest": ENGLISH * 2})
    put(tmp_path / "flores", {"README": "!", "metadata_dev.tsv": "URL\tdomain\n"})
    assert named(tmp_path) == [
        ("dev.deu_Latn-eng_Latn", ("de", "en")),
        ("devtest.deu_Latn-eng_Latn", ("de", "en")),
    ]
    assert [len(one.source) for one in find_retrieval(tmp_path)] == [2, 4]


def test_equal_splits_of_two_data_sets_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    put(tmp_path / "flores101", {"deu.dev": GERMAN, "eng.dev": ENGLISH})
    put(tmp_path / "flores200", {"deu_Latn.dev": GERMAN, "eng_Latn.dev": ENGLISH})
    assert [name for name, _ in named(tmp_path)] == ["flores101.dev.deu-eng", "flores200.dev.deu_Latn-eng_Latn"]


def test_ntrex_is_measured_against_its_source(tmp_path: Path) -> None:
    put(tmp_path / "NTREX-128", {"newstest2019-src.eng.txt": ENGLISH, "newstest2019-ref.deu.txt": GERMAN})
    put(tmp_path / "NTREX-128", {"newstest2019-ref.eng-GB.txt": ENGLISH, "newstest2019-ref.zho-CN.txt": GERMAN})
    put(tmp_path, {"LANGUAGES.tsv": "!", "README.md": "!"})
    assert named(tmp_path) == [("deu-eng", ("de", "en")), ("zho-CN-eng", ("zh-CN", "en"))], "not English with English"


@pytest.mark.parametrize(
    ("english", "german", "name"),
    [("corpus.en", "corpus.de", "de-en"), ("en.txt", "de.txt", "de-en"), ("wiki.eng.txt", "wiki.deu.txt", "deu-eng")],
)
def test_any_names_that_tell_a_language_will_do(tmp_path: Path, english: str, german: str, name: str) -> None:
    put(
        tmp_path, {english: ENGLISH, german: GERMAN, "notes.txt": "!", "LICENSE": "!", "list.csv": "!", "list.log": "!"}
    )
    assert find_retrieval(tmp_path) == [AlignedSet(name, ("de", "en"), ["Regen.", "Schnee."], ["Rain.", "Snow."])]


def test_any_names_count_in_the_folder_itself_only(tmp_path: Path) -> None:
    put(tmp_path, {"alignment/dev.de": GERMAN, "alignment/dev.fr": GERMAN * 2, "flores/deu_Latn.txt": GERMAN})
    put(tmp_path, {"flores/eng_Latn.txt": ENGLISH, "bucc/de-en.sample.de": GERMAN, "bucc/de-en.sample.en": ENGLISH})
    assert named(tmp_path) == [("deu_Latn-eng_Latn", ("de", "en"))]


def test_texts_with_differing_names_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, {"law.en": ENGLISH, "law.de": GERMAN, "news.en": ENGLISH * 3, "news.de": GERMAN * 3, "odd.de": "!"})
    assert [(one.name, len(one.source)) for one in find_retrieval(tmp_path)] == [("law.de-en", 2), ("news.de-en", 6)]


def test_without_english_the_first_language_is_the_other_side(tmp_path: Path) -> None:
    put(tmp_path, {"fr.txt": ENGLISH, "de.txt": GERMAN, "hi.txt": HINDI})
    assert named(tmp_path) == [("fr-de", ("fr", "de")), ("hi-de", ("hi", "de"))]


def test_a_table_of_two_columns_is_a_set(tmp_path: Path) -> None:
    put(tmp_path, {"pairs.de-en.tsv": lines("Regen.\tRain.", "Schnee.\tSnow.")})
    [found] = find_retrieval(tmp_path / "pairs.de-en.tsv")
    assert found == AlignedSet("pairs.de-en", ("de", "en"), ["Regen.", "Schnee."], ["Rain.", "Snow."])


def test_compressed_files_are_read_too(tmp_path: Path) -> None:
    for name, text in (("deu_Latn.devtest.gz", GERMAN), ("eng_Latn.devtest.gz", ENGLISH)):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert named(tmp_path) == [("deu_Latn-eng_Latn", ("de", "en"))]


def test_files_of_differing_lengths_are_an_error_with_both_numbers(tmp_path: Path) -> None:
    put(tmp_path, {"corpus.de": lines("1", "2", "3"), "corpus.en": ENGLISH})
    with pytest.raises(CorpusError, match=r"corpus\.de has 3 lines, and .*corpus\.en has 2\n"):
        find_retrieval(tmp_path)


def test_one_sentence_is_not_enough(tmp_path: Path) -> None:
    put(tmp_path, {"corpus.de": "Regen.\n", "corpus.en": "Rain.\n"})
    with pytest.raises(CorpusError, match=r"corpus\.en: expected at least two sentences, got 1"):
        find_retrieval(tmp_path)


@pytest.mark.parametrize("files", [{}, {"corpus.en": ENGLISH}, {"notes.txt": "!", "more.txt": "!"}])
def test_a_folder_without_any_says_what_was_looked_for(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"no files of the suite retrieval: looked for two or more aligned files"):
        find_retrieval(put(tmp_path, files))
