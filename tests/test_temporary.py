"""Temporary folders are gone with the block, or with the next one."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from calque.held import hold
from calque.temporary import temporary_folder
from interrupting import interrupting_once


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_goes_with_the_block_and_all_that_is_in_it(temporary: Path) -> None:
    with temporary_folder("mining") as folder:
        (folder / "pile").write_text("text")
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_goes_before_the_next_and_nothing_else(temporary: Path) -> None:
    code = """
import errno
import os
from calque.temporary import temporary_folder
with temporary_folder("mining") as folder:
    (folder / "pile").write_text("text")
    os.kill(os.getpid(), 9)
"""
    environment = os.environ | {"TMPDIR": str(temporary)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == -signal.SIGKILL
    (left,) = temporary.iterdir()
    with temporary_folder("other"):
        assert left.exists()
    with temporary_folder("mining") as first, temporary_folder("mining") as second:
        assert set(temporary.iterdir()) == {first, second}


def test_a_folder_that_another_took_for_abandoned_before_it_was_held_is_not_used(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, taken = tempfile.mkdtemp, list[tuple[str, int]]()

    def make_and_lose_the_first(**options: Any) -> str:
        folder: str = make(**options)
        if not taken:
            taken.append((folder, os.open(folder, os.O_RDONLY)))
            assert hold(taken[0][1])
        return folder

    monkeypatch.setattr("tempfile.mkdtemp", make_and_lose_the_first)
    with temporary_folder("mining") as folder:
        ((lost, file),) = taken
        assert folder != Path(lost)
    os.close(file)


@pytest.mark.parametrize(
    "name",
    [
        "calque-mining-results",
        "calque-mining-abcd1234",  # as long as a random part
        ".calque-mining-results",
        ".calque-mining-abcd1234",
        ".calque-mining-my-results.unfinished",
        ".calque-mining-abcd1234.unfinished.old",
    ],
)
def test_a_folder_that_somebody_else_named_stays(temporary: Path, name: str) -> None:
    (temporary / name).mkdir()
    (temporary / name / "thesis.txt").write_text("years of work")
    with temporary_folder("mining"):
        pass
    assert (temporary / name / "thesis.txt").read_text() == "years of work"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners here")
def test_a_folder_of_another_user_stays(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = temporary / ".calque-mining-abcd1234.unfinished"
    left.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: left.stat().st_uid + 1)
    with temporary_folder("mining"):
        assert left.exists()
    monkeypatch.undo()


def test_a_place_that_cannot_be_looked_into_can_still_be_written_to(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    with temporary_folder("mining") as folder:
        (folder / "pile").write_text("text")
        assert folder.parent == temporary
    monkeypatch.undo()


def test_an_interrupt_while_a_folder_goes_is_heard_when_it_is_gone(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.rmtree", interrupting_once(shutil.rmtree))
    with pytest.raises(KeyboardInterrupt), temporary_folder("mining") as folder:
        (folder / "file").touch()
    assert list(temporary.iterdir()) == []
