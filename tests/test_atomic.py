"""Files that are wholly there or not at all, also behind links."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest

from calque.atomic import remove_unfinished, write_text, writing, writing_all
from calque.errors import CalqueError
from calque.held import hold, is_ours, remove_if_abandoned


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


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the mask")
def test_a_file_has_the_usual_permissions_and_the_mask_stays_as_it_is_for_other_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o027)
    try:
        monkeypatch.delattr(os, "umask")
        write_text(tmp_path / "file.txt", "text")
    finally:
        monkeypatch.undo()
        assert os.umask(before) == 0o027
    assert stat.S_IMODE((tmp_path / "file.txt").stat().st_mode) == 0o640


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CalqueError) as problem:
        write_text(tmp_path / "nowhere" / "file.txt", "text")
    assert f"there is no folder {tmp_path / 'nowhere'}" in str(problem.value.hint)


def killed_while_writing(path: Path) -> None:
    """A process that is killed before it has written all, or closed anything."""
    code = f"""
import os
from calque.atomic import writing
with writing({str(path)!r}) as file:
    file.write(b"half")
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL


def test_what_a_killed_process_had_been_writing_goes_when_the_same_file_is_written(tmp_path: Path) -> None:
    killed_while_writing(tmp_path / "file.txt")
    killed_while_writing(tmp_path / "file.txt.gz")
    assert len(list(tmp_path.iterdir())) == 2
    write_text(tmp_path / "file.txt", "whole")
    (other,) = set(tmp_path.iterdir()) - {tmp_path / "file.txt"}
    assert other.name.startswith(".file.txt.gz.")


def test_what_another_is_still_writing_stays(tmp_path: Path) -> None:
    with writing(tmp_path / "file.txt") as first:
        first.write(b"first")
        write_text(tmp_path / "file.txt", "second")
        remove_unfinished(tmp_path)
        assert (tmp_path / "file.txt").read_text() == "second"
    assert (tmp_path / "file.txt").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_where_there_are_no_locks_nothing_is_taken_for_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_locks(file: int) -> bool:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("calque.held.hold", without_locks)
    (tmp_path / ".file.txt.k1ll3d.unfinished").write_text("half")
    write_text(tmp_path / "file.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"file.txt", ".file.txt.k1ll3d.unfinished"}


def test_a_file_that_another_took_for_abandoned_before_it_was_held_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = list[int]()

    def is_ours_but_for_the_first(path: Path, file: int) -> bool:
        if not taken:
            taken.append(os.open(path, os.O_RDWR))
            assert hold(taken[0])
        return is_ours(path, file)

    monkeypatch.setattr("calque.atomic.is_ours", is_ours_but_for_the_first)
    with writing(tmp_path / "file.txt") as file:
        for path in tmp_path.glob(".file.txt.*"):
            if os.path.samestat(path.stat(), os.fstat(taken[0])):
                path.unlink()  # by whoever took it
        file.write(b"whole")
    os.close(taken[0])
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_what_is_abandoned_is_held_while_it_is_removed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    held = []

    def remove(path: str | Path) -> None:
        maker = os.open(path, os.O_RDONLY)
        held.append(not hold(maker))
        os.close(maker)

    for path in tmp_path.iterdir():
        remove_if_abandoned(path, remove)
    assert held == [True, True]


@pytest.mark.parametrize("name", ["a" * 240, "a" * 255, "ä" * 127, "a" + "語" * 84])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    killed_while_writing(tmp_path / name)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(f".{name[:70]}")
    write_text(tmp_path / name, "whole")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_name_that_is_too_long_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(CalqueError) as problem:
        write_text(tmp_path / ("a" * 256), "text")
    assert problem.value.hint == "nothing was changed; choose a shorter name"
    assert list(tmp_path.iterdir()) == []


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    """Two files that belong together."""
    places = [tmp_path / "a.en", tmp_path / "a.es"]
    for place in places:
        place.write_text("old")
    return places


def write_both(places: list[Path]) -> None:
    with writing_all(places) as files:
        for file in files:
            file.write(b"new")


def test_files_that_belong_together_are_all_on_disk_before_one_takes_its_place(
    pair: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", Mock(side_effect=[None, FULL]))
    with pytest.raises(CalqueError, match=r"cannot write .*a\.es: No space left on device") as problem:
        write_both(pair)
    assert str(problem.value.hint).startswith("nothing was changed")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.en": "old", "a.es": "old"}
    monkeypatch.undo()
    write_both(pair)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.en": "new", "a.es": "new"}


def test_of_several_files_the_one_that_could_not_be_written_is_named(pair: list[Path], tmp_path: Path) -> None:
    code = """
import resource, sys
from calque.atomic import writing_all
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with writing_all(sys.argv[1:]) as files:
    files[1].write(b"x" * 1_000_000)
"""
    done = subprocess.run([sys.executable, "-c", code, *map(str, pair)], capture_output=True, text=True)
    assert f"cannot write {pair[1]}: File too large" in done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.en": "old", "a.es": "old"}


def test_what_took_its_place_before_another_could_not_is_told(
    pair: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def refuse_the_second(path: str, place: Path) -> None:
        if place == pair[1]:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        replace(path, place)

    monkeypatch.setattr(os, "replace", refuse_the_second)
    with pytest.raises(CalqueError, match=r"cannot write .*a\.es: Operation not permitted") as problem:
        write_both(pair)
    assert str(problem.value.hint).startswith(f"{pair[0]} had been written before; ")


def test_a_folder_in_the_place_of_one_file_is_told_before_another_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("old")
    (tmp_path / "a.es").mkdir()
    with pytest.raises(CalqueError, match=r"cannot write .*a\.es: Is a directory"):
        write_both([tmp_path / "a.en", tmp_path / "a.es"])
    assert (tmp_path / "a.en").read_text() == "old"


def test_a_pipe_beside_a_file_has_all_of_its_text_before_the_file_takes_its_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    write_both([tmp_path / "file", tmp_path / "pipe"])
    reader.join(timeout=10)
    assert got == ["new"]
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="pipes have no names here")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_pipe_without_a_name_of_its_own_is_written_to_behind_links(name: str) -> None:
    """As with `-o /dev/stdout | wc`, or `-o >(gzip > x.gz)`."""
    code = "import sys; from calque.atomic import write_text; write_text(sys.argv[1], 'text')"
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("text", "")
