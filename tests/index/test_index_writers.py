"""Processes that are killed while they write, and processes that write at once: nobody's work is lost or half there."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import calque
from calque.errors import CalqueError
from calque.index.manifest import Manifest
from calque.index.snapshot import Snapshot
from interrupting import interrupting_once

Entries = dict[int, str]
CHANGING = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}  # what Python tells auditors


def entries(folder: Path, model: calque.Model) -> Entries:
    opened = calque.Index.open(folder, model)
    opened.check()
    return {hit.id: hit.text for hit in opened.search(["dog"], k=10_000)[0]}


def killed_at(event: int, work: Callable[[], object], folder: Path) -> bool:
    """Runs some work in a child that is killed before its n-th change to the folder; whether it came so far."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        return os.WIFSIGNALED(status)
    left = event

    def watch(name: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if name in CHANGING and str(folder) in str(arguments) and not (name == "open" and arguments[1] == "rb"):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(watch)
        work()
        os._exit(0)
    except BaseException:
        os._exit(1)


CHANGES: dict[str, Callable[[calque.Index], object]] = {
    "add and join": lambda index: index.add(["new dog"] * 5),
    "delete and compact": lambda index: index.delete([1, 2, 4]),
    "overwrite": lambda index: calque.Index.build(["cat"], index.path, index.model, overwrite=True, threads=1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_process_killed_at_any_point_leaves_the_old_index_or_the_new(
    index: calque.Index, tmp_path: Path, change: str
) -> None:
    index.delete([7])
    shutil.copytree(index.path, tmp_path / "old")
    before = entries(index.path, index.model)
    seen: list[Entries] = []
    event = 1
    while killed_at(event, lambda: CHANGES[change](index), index.path):
        seen.append(entries(index.path, index.model))
        if event % 3 == 0:
            index.add(["dog"])  # whoever writes next clears up
            manifest = Manifest.read(index.path)
            named = {*(segment.name for segment in manifest.segments), manifest.deleted, "index.json"} - {None}
            assert {path.name for path in index.path.iterdir()} == named
        shutil.rmtree(index.path)
        shutil.copytree(tmp_path / "old", index.path)
        index.refresh()
        event += 1
    after = entries(index.path, index.model)
    assert before != after
    assert event > 10
    assert all(each in (before, after) for each in seen)
    assert seen[0] == before
    assert seen[-1] == after  # killed while it removed what is not needed any more


def test_a_first_build_killed_at_any_point_leaves_no_index_or_a_whole_one(
    small_model: calque.Model, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    event = 1
    build = lambda: calque.Index.build(["dog", "cat"], folder, small_model, threads=1)  # noqa: E731
    while killed_at(event, build, folder):
        if (folder / "index.json").exists():
            assert entries(folder, small_model) == {1: "dog", 2: "cat"}
        if event % 3 == 0:
            assert len(calque.Index.build(["a"], folder, small_model, overwrite=True, threads=1)) == 1
        shutil.rmtree(folder, ignore_errors=True)
        event += 1
    assert entries(folder, small_model) == {1: "dog", 2: "cat"}
    assert event > 8


WRITER = """
import sys, calque
index = calque.Index.open(sys.argv[1])
for number in range(6):
    index.add([f"dog {sys.argv[2]} {number}"])
    index.delete(index.ids_of(f"dog {sys.argv[2]} {number}")) if number % 2 else None
"""


def test_processes_that_write_at_once_wait_for_one_another(index: calque.Index) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(index.path), name]) for name in "ab"]
    reader = calque.Index.open(index.path)
    while any(writer.poll() is None for writer in writers):
        reader.refresh()
        assert len(reader.search(["dog"], k=1000)[0]) == len(reader) >= 6
    assert [writer.returncode for writer in writers] == [0, 0]
    texts = entries(index.path, index.model).values()
    assert sorted(text for text in texts if text.startswith("dog")) == [
        f"dog {name} {number}" for name in "ab" for number in (0, 2, 4)
    ]
    assert len(texts) == 6 + 6


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    def hold(file: int) -> bool:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("calque.locks.hold", hold)
    monkeypatch.setattr("calque.held.hold", hold)


@pytest.mark.usefixtures("without_locks")
@pytest.mark.parametrize("change", CHANGES)
def test_where_there_are_no_locks_the_later_of_two_writers_fails_and_spoils_nothing(
    index: calque.Index, change: str
) -> None:
    other, changed = calque.Index.open(index.path, index.model), dict[int, str]()

    def interrupted() -> Iterator[str]:
        yield "first"
        CHANGES[change](other)
        changed.update(entries(index.path, index.model))
        yield "last"

    with pytest.raises(CalqueError, match=r"another process has changed .* meanwhile"):
        index.add(interrupted())
    assert entries(index.path, index.model) == changed
    assert index.add(["first", "last"]) == 2
    assert {*changed.values(), "first", "last"} == set(entries(index.path, index.model).values())


@pytest.mark.usefixtures("without_locks")
def test_where_there_are_no_locks_what_another_may_be_writing_stays_and_its_names_are_not_taken(
    index: calque.Index,
) -> None:
    number = Manifest.read(index.path).next_number
    under_way = index.path / f"segment-{number:06}" / "vectors.f32"
    under_way.parent.mkdir()
    under_way.write_bytes(b"half a vec")
    deletions = index.path / f"deleted-{number + 1:06}.u64"
    deletions.write_bytes(b"half a l")
    index.add(["new dog"])
    index.delete([1])
    assert under_way.read_bytes() == b"half a vec"
    assert deletions.read_bytes() == b"half a l"
    assert sorted(entries(index.path, index.model)) == [2, 4, 5, 6, 7, 8]


def test_a_segment_that_goes_while_it_is_opened_is_looked_for_in_the_new_index(
    index: calque.Index, tmp_path: Path
) -> None:
    """A reader that has read the old manifest finds its segments gone, and reads the new one."""
    old = (index.path / "index.json").read_text()
    index.delete([1, 2, 4])
    new = (index.path / "index.json").read_text()
    (index.path / "index.json").write_text(old)
    stale = Manifest.read(index.path)
    (index.path / "index.json").write_text(new)
    with pytest.raises(FileNotFoundError):
        Snapshot(index.path, stale)
    assert Snapshot.open(index.path).rows == 3


def test_an_interrupt_while_old_files_go_is_heard_when_they_are_gone(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = calque.Index.build(["cat"], tmp_path / "index", small_model, threads=1)
    monkeypatch.setattr("shutil.rmtree", interrupting_once(shutil.rmtree))
    with pytest.raises(KeyboardInterrupt):
        index.add(["new dog"] * 5)
    (segment,) = Manifest.read(index.path).segments  # both were joined
    assert [path.name for path in index.path.glob("segment-*")] == [segment.name]
    assert len(entries(index.path, small_model)) == 6
