"""What every suite shares: how far is looked, what is passed over, and that no content makes a reader fall over."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import CalqueError, CorpusError, UsageError
from calque.evaluation.sets import folders
from calque.evaluation.sets.aligned import find_retrieval, find_tatoeba
from calque.evaluation.sets.bucc import find_bucc
from calque.evaluation.sets.folders import files_of
from calque.evaluation.sets.sts import find_sts, find_sts17, find_stsb
from evaluation.sets.files import put

FINDERS = [find_sts, find_sts17, find_stsb, find_bucc, find_tatoeba, find_retrieval]


@pytest.mark.parametrize("find", FINDERS)
@pytest.mark.parametrize("path", ["nowhere", "nul\0byte"])
def test_a_place_that_is_not_there_is_a_mistake_of_the_call(
    tmp_path: Path, find: Callable[..., Any], path: str
) -> None:
    with pytest.raises(UsageError, match="cannot read") as problem:
        find(f"{tmp_path}/{path}")
    assert "--data" in str(problem.value.hint)


def test_files_come_nearest_first_and_from_four_folders_below_at_the_most(tmp_path: Path) -> None:
    put(tmp_path, {"a/b/c/d/e/too-deep": "", "a/b/c/d/deep": "", "z": "", "a/y": ""})
    assert files_of(tmp_path) == [tmp_path / name for name in ("z", "a/y", "a/b/c/d/deep")]


def test_hidden_files_and_unfinished_downloads_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, {".git/x": "", "._x": "", "__MACOSX/x": "", "sts12.fetched/building/whole/x": "", "x": ""})
    assert files_of(tmp_path) == [tmp_path / "x"]


def test_links_are_followed_and_never_in_circles(tmp_path: Path) -> None:
    put(tmp_path, {"elsewhere/2012/MSRpar.tsv": "1\ta\tb\n2\tc\td\n", "data/README": ""})
    (tmp_path / "data" / "sts").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "again").symlink_to(tmp_path / "data")
    (tmp_path / "elsewhere" / "and again").symlink_to(tmp_path / "elsewhere")
    assert [one.name for one in find_sts(tmp_path / "data")] == ["2012.MSRpar"]


def test_a_link_goes_by_its_own_name(tmp_path: Path) -> None:
    put(tmp_path, {"store/2013/1": "1\ta\tb\n2\tc\td\n", "data/2012/README": ""})
    (tmp_path / "data" / "2012" / "MSRpar.tsv").symlink_to(tmp_path / "store" / "2013" / "1")
    (tmp_path / "data" / "2014").symlink_to(tmp_path / "data" / "2012")
    assert [one.name for one in find_sts(tmp_path / "data" / "2012")] == ["2012.MSRpar"]
    assert [one.name for one in find_sts(tmp_path / "data" / "2014")] == ["2014.MSRpar"]


def test_a_folder_of_everything_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_MOST", 3)
    put(tmp_path, dict.fromkeys("abcd", ""))
    with pytest.raises(UsageError, match="more than 3 files and folders"):
        files_of(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folders_that_may_not_be_read_are_passed_over_unless_named(tmp_path: Path) -> None:
    put(tmp_path, {"closed/x": "", "y": ""})
    (tmp_path / "closed").chmod(0)
    assert files_of(tmp_path) == [tmp_path / "y"]
    with pytest.raises(UsageError, match="cannot read"):
        files_of(tmp_path / "closed")
    (tmp_path / "closed").chmod(0o700)


def test_what_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    put(tmp_path, {"STS2016.gs.x.txt": "1\n2\n"})
    (tmp_path / "STS2016.input.x.txt").write_bytes(b"a\tb\nc\xff\td\n")
    with pytest.raises(CorpusError, match=r"STS2016\.input\.x\.txt, line 2: not UTF-8"):
        find_sts(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


SUITES: list[tuple[Callable[[Path], Any], list[str]]] = [
    (find_sts, ["STS2016.input.x.txt", "STS2016.gs.x.txt"]),
    (find_stsb, ["sts-dev.csv"]),
    (find_bucc, ["de-en.sample.de", "de-en.sample.en", "de-en.sample.gold"]),
    (find_tatoeba, ["deu-eng.tsv", "tatoeba.fra-eng.fra", "tatoeba.fra-eng.eng"]),
    (find_retrieval, ["corpus.de", "corpus.en"]),
]


@given(st.sampled_from(SUITES), st.data())
def test_any_content_is_a_set_or_an_error_of_ours(folder: Path, suite: Any, data: st.DataObject) -> None:
    find, names = suite
    place = folder / find.__name__
    place.mkdir(exist_ok=True)
    content = st.one_of(st.binary(max_size=40), st.text("ab1.\t\n\r", max_size=60).map(str.encode))
    for name in names:
        (place / name).write_bytes(data.draw(content))
    with suppress(CalqueError):
        assert find(place)
