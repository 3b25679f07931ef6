"""A mining that is killed while its folder is made or deleted leaves nothing that is in the next one's way."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.errors import UsageError
from calque.locks import occupied
from calque.mining.job import Job, forget_job, open_job

JOB = Job("xxh3:0", 8, False, None)


def test_a_folder_that_was_hardly_begun_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / ".mining.json.k1ll3d.unfinished").write_text("{")
    open_job(tmp_path, JOB)
    assert [path.name for path in tmp_path.iterdir()] == ["mining.json"]


def test_a_folder_that_was_being_deleted_is_not_gone_on_from(tmp_path: Path) -> None:
    open_job(tmp_path / "work", JOB)
    (tmp_path / "work" / "mining.json").rename(tmp_path / "work" / "mining.done")
    (tmp_path / "work" / "source.json").write_text("of a pile that is gone")
    open_job(tmp_path / "work", JOB)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mining.json"]


def test_whoever_holds_a_folder_that_was_being_deleted_still_holds_it_once_it_is_begun_in(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "mining.done").write_text("{}")
    with occupied(folder, "mines"):
        open_job(folder, JOB)
        with pytest.raises(UsageError, match="another process mines"), occupied(folder, "mines"):
            pass


def test_a_job_that_is_done_leaves_nothing(tmp_path: Path) -> None:
    open_job(tmp_path / "work", JOB)
    (tmp_path / "work" / "exact").mkdir()
    (tmp_path / "work" / "exact" / "neighbours").write_text("found")
    forget_job(tmp_path / "work")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        open_job(tmp_path, JOB)
    forget_job(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "mine"
