"""The seven tracks of STS 2017, whose columns are not always in the order of their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.sts import find_sts, find_sts17
from evaluation.sets.files import lines, put

ORDER = {
    "track1.ar-ar": ("ar", "ar"),
    "track2.ar-en": ("en", "ar"),
    "track3.es-es": ("es", "es"),
    "track4a.es-en": ("es", "en"),
    "track4b.es-en": ("en", "es"),
    "track5.en-en": ("en", "en"),
    "track6.tr-en": ("en", "tr"),
}
TSV = lines("4\tone\tuno", "1.2\ttwo\ttres")


def test_tracks_come_in_their_order_with_the_languages_of_the_columns(tmp_path: Path) -> None:
    put(tmp_path, {f"sts17/{track}.tsv": TSV for track in reversed(ORDER)})
    for folder in (tmp_path, tmp_path / "sts17"):
        found = find_sts17(folder)
        assert [(one.name, one.languages) for one in found] == list(ORDER.items())
        assert {one.group for one in found} == {""}
    assert (found[0].gold, found[0].first, found[0].second) == ([4.0, 1.2], ["one", "two"], ["uno", "tres"])


def test_the_published_files_are_read_from_one_folder_or_from_two(tmp_path: Path) -> None:
    sentences, scores = lines("one\tuno", "two\ttres", "three\ttres"), lines("4", "", "1.2")
    one = {f"one/STS.input.{track}.txt": sentences for track in ORDER}
    put(tmp_path, one | {f"one/STS.gs.{track}.txt": scores for track in ORDER})
    two = {f"two/STS2017.eval.v1.1/STS.input.{track}.txt": sentences for track in ORDER}
    put(tmp_path, two | {f"two/gold/STS.gs.{track}.txt": scores for track in ORDER})
    for folder in ("one", "two"):
        found = find_sts17(tmp_path / folder)
        assert [(one.name, one.languages) for one in found] == list(ORDER.items())
        assert (found[6].gold, found[6].second) == ([4.0, 1.2], ["uno", "tres"])
    [track] = find_sts17(tmp_path / "one" / "STS.input.track5.en-en.txt")
    assert track.name == "track5.en-en"


def test_some_tracks_or_one_are_enough(tmp_path: Path) -> None:
    put(tmp_path, {"track5.en-en.tsv": TSV, "track3.es-es.tsv": TSV, "track9.xx-yy.tsv": "?", "README.txt": "?"})
    assert [one.name for one in find_sts17(tmp_path)] == ["track3.es-es", "track5.en-en"]
    assert [one.name for one in find_sts17(tmp_path / "track5.en-en.tsv")] == ["track5.en-en"]


ADDED = {"de-en": ("de", "en"), "en-de": ("en", "de"), "sts17.fr-en": ("fr", "en"), "STS.it-en": ("it", "en")}


def test_added_tracks_follow_with_the_languages_that_their_names_tell(tmp_path: Path) -> None:
    put(tmp_path, {f"sts17/{track}.tsv": TSV for track in [*ADDED, "track7.en-nl", *ORDER]})
    expected = [
        *ORDER.items(),
        *sorted(ADDED.items(), key=lambda one: one[0].casefold()),
        ("track7.en-nl", ("en", "nl")),
    ]
    for folder in (tmp_path, tmp_path / "sts17"):
        assert [(one.name, one.languages) for one in find_sts17(folder)] == expected


def test_added_tracks_alone_are_what_the_suite_sts_reads(tmp_path: Path) -> None:
    put(tmp_path, {f"{track}.tsv": TSV for track in ADDED})
    assert find_sts17(tmp_path) == sorted(find_sts(tmp_path), key=lambda one: one.name.casefold())
    [track] = find_sts17(tmp_path / "en-de.tsv")
    assert (track.name, track.languages, track.gold) == ("en-de", ("en", "de"), [4.0, 1.2])


def test_bitext_and_other_tables_are_no_added_tracks(tmp_path: Path) -> None:
    others = ("bitext/en-de.tsv", "tatoeba.en-de.tsv", "europarl-v7.en-fr.tsv", "en-es.tsv", "en-dev.tsv", "en-de.csv")
    put(tmp_path, {"sts17/track5.en-en.tsv": TSV} | dict.fromkeys(others, "one\ttwo\n"))
    assert [one.name for one in find_sts17(tmp_path)] == ["track5.en-en"]


def test_scores_that_were_not_fetched_are_asked_for(tmp_path: Path) -> None:
    put(tmp_path, {"STS.input.track5.en-en.txt": lines("a\tb", "c\td")})
    with pytest.raises(CorpusError, match=r"expected its scores in STS\.gs\.track5\.en-en\.txt") as problem:
        find_sts17(tmp_path)
    assert "two downloads" in str(problem.value.hint)


def test_a_folder_without_tracks_says_which_there_are(tmp_path: Path) -> None:
    put(tmp_path, {"2012/MSRpar.tsv": TSV, "STS.gs.track5.en-en.txt": lines("1", "2")})
    with pytest.raises(UsageError, match=r"no files of the suite sts17: looked for STS\.input\.track5") as problem:
        find_sts17(tmp_path)
    assert ", ".join(ORDER) in str(problem.value.hint)
