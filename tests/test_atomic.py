"""Files that are wholly there or not at all, also behind links."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.atomic import write_text
from calque.errors import CalqueError


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_link_to_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with pytest.raises(CalqueError, match=r"cannot write .*link: Is a directory") as problem:
        write_text(tmp_path / "link", "text")
    assert problem.value.hint == "nothing was changed; that is a folder, so choose another place"
    assert (tmp_path / "link").is_symlink()
    assert list((tmp_path / "folder").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "link"}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CalqueError) as problem:
        write_text(tmp_path / "nowhere" / "file.txt", "text")
    assert f"there is no folder {tmp_path / 'nowhere'}" in str(problem.value.hint)
