"""A folder appears whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from calque.errors import CalqueError, UsageError
from calque.exporting.whole_folder import new_folder


def test_nothing_is_there_until_all_is(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with new_folder(out) as folder:
        (folder / "one").write_text("1")
        assert not out.exists()
    assert (out / "one").read_text() == "1"
    assert os.listdir(out.parent) == ["out"]


def test_it_has_the_rights_that_any_new_folder_has(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with new_folder(tmp_path / "out"):
        pass
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_an_empty_folder_stays_the_same_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    number = tmp_path.stat().st_ino
    with new_folder(Path(".")) as folder:
        (folder / "config.json").write_text("{}")
        (folder / "vocab.txt").write_text("a")
    assert sorted(os.listdir()) == ["config.json", "vocab.txt"]
    assert tmp_path.stat().st_ino == number


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("problem", [KeyboardInterrupt(), CalqueError("full"), OSError(28, "No space left on device")])
def test_a_failure_leaves_no_trace(tmp_path: Path, problem: BaseException, there: bool) -> None:
    out = tmp_path / "out"
    if there:
        out.mkdir()

    def fail() -> None:
        with new_folder(out) as folder:
            (folder / "half").write_text("half")
            raise problem

    with pytest.raises((KeyboardInterrupt, CalqueError)) as raised:
        fail()
    assert list(tmp_path.rglob("*")) == ([out] if there else [])
    if isinstance(problem, OSError):
        assert str(raised.value).startswith(f"cannot write {out}: No space left on device")


def test_what_is_there_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "full", tmp_path / "file"):
        with pytest.raises(UsageError, match="exists and is not an empty folder"), new_folder(out):
            pass
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine"]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    with pytest.raises(CalqueError, match=f"cannot write {out}: Not a directory"), new_folder(out):
        pass
