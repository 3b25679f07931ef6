"""Processes that are killed or fetch the same file at once, and disks without room for it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calque.errors import CalqueError
from corpus.download.fetching import PATH, URL, assert_nothing, assert_whole, get
from corpus.download.server import Server, sends, stalled

FETCH = """
import sys
from pathlib import Path
from calque.corpus.download.fetch import fetch
from calque.corpus.download.network import Network
fetch(sys.argv[1], Path(sys.argv[2]), Network((sys.argv[3],)))
"""


def start(server: Server, folder: Path) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", FETCH, URL, str(folder / "corpus.zip"), server.mirror]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_a_killed_process_had_fetched_is_gone_on_with(
    corpus: Server, tmp_path: Path, number: signal.Signals
) -> None:
    corpus.misdeeds[PATH] = [stalled(100_000)]
    process = start(corpus, tmp_path)
    part = tmp_path / "corpus.zip.part"
    while process.poll() is None and not (part.exists() and part.stat().st_size == 100_000):
        time.sleep(0.005)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert not (tmp_path / "corpus.zip").exists()
    corpus.seen.clear()
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == ["bytes=100000-"]
    assert_whole(tmp_path)


def test_two_processes_at_once_fetch_it_once(corpus: Server, tmp_path: Path) -> None:
    both = [start(corpus, tmp_path), start(corpus, tmp_path), start(corpus, tmp_path)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [("", 0)] * 3
    assert corpus.ranges(PATH) == [None]
    assert_whole(tmp_path)


def test_a_process_that_waits_goes_on_when_the_other_is_killed(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [stalled(100_000)]
    first = start(corpus, tmp_path)
    while first.poll() is None and not (tmp_path / "corpus.zip.part.json").exists():
        time.sleep(0.005)
    second = start(corpus, tmp_path)
    first.kill()
    first.communicate()
    assert (second.communicate()[1], second.returncode) == ("", 0)
    assert_whole(tmp_path)


def test_a_full_disk_is_an_error_and_what_came_is_kept(corpus: Server, tmp_path: Path) -> None:
    """A limit on the size of files stands in for it: writing beyond it fails in the same way."""
    failed = subprocess.run(
        [sys.executable, "-c", FETCH, URL, str(tmp_path / "corpus.zip"), corpus.mirror],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000)),
        capture_output=True,
        text=True,
    )
    assert f"CalqueError: cannot write {tmp_path / 'corpus.zip'}: File too large" in failed.stderr
    assert (tmp_path / "corpus.zip.part").stat().st_size == 150_000
    corpus.seen.clear()
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == ["bytes=150000-"]
    assert_whole(tmp_path)


def test_a_disk_without_room_for_it_is_found_out_first(corpus: Server, tmp_path: Path) -> None:
    corpus.always[PATH] = sends(b"", Content_Length=1 << 60)
    with pytest.raises(CalqueError, match="it takes 1,152,921,504,606,846,976 bytes"):
        get(corpus, tmp_path)
    assert_nothing(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_named(corpus: Server, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CalqueError, match="cannot write"):
        get(corpus, tmp_path)


def test_a_file_where_the_folder_should_be_is_named(corpus: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CalqueError, match="cannot write"):
        get(corpus, tmp_path / "file")
