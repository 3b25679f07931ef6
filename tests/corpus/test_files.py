"""Bytes of a file, in order and out of order."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from calque.corpus.files import HEAD, open_bytes, plain_bytes, seekable
from calque.errors import CorpusError, UsageError

CONTENT = bytes(range(256)) * 2000

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
each_compression = pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)


@each_compression
def test_a_first_look_sees_enough_and_takes_nothing(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    path.write_bytes(compress(CONTENT))
    with open_bytes(path) as file:
        assert file.peek(HEAD) == CONTENT[:HEAD]
        assert file.read() == CONTENT


@each_compression
def test_any_file_can_be_read_out_of_order(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    path.write_bytes(compress(CONTENT))
    with open_bytes(path) as file:
        file.peek(HEAD)
        view = seekable(file, str(path))
        assert view.seek(0, io.SEEK_END) == len(CONTENT)
        assert view.seek(1000) == 1000
        assert view.read(5) == CONTENT[1000:1005]
        assert view.tell() == 1005
        view.seek(0)
        assert view.read() == CONTENT


def test_standard_input_that_is_closed_is_the_callers_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed") as problem, open_bytes("-"):
        pass
    assert problem.value.hint


def test_a_plain_file_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    with open_bytes(path) as file:
        assert seekable(file, str(path)) is file


def test_a_pipe_can_be_read_out_of_order(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(CONTENT,))
    writer.start()
    with open_bytes(path) as file:
        view = seekable(file, str(path))
        view.seek(300)
        assert view.read(1) == CONTENT[300:301]
    writer.join()


def test_standard_input_in_the_middle_of_a_file_begins_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    script = """
import sys
from calque.corpus.files import open_bytes, seekable
with open_bytes("-") as file:
    view = seekable(file, "-")
    view.seek(0)
    print(view.read())
"""
    with open(path, "rb", buffering=0) as file:
        file.read(4)
        done = subprocess.run([sys.executable, "-c", script], stdin=file, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "b'456789'"


def test_a_copy_goes_away_quietly_with_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(CONTENT))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_bytes(path) as file:
            copy = seekable(file, str(path))
        descriptor = copy.fileno()
        del copy
        gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_a_broken_file_is_an_error_when_it_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(CONTENT)[:-50])
    with open_bytes(path) as file, pytest.raises(CorpusError, match="broken or cut short"):
        seekable(file, str(path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(CONTENT))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda buffering: io.FileIO("/dev/full", "r+"))
    with open_bytes(path) as file, pytest.raises(CorpusError) as problem:
        seekable(file, str(path))
    assert "No space left on device" in problem.value.message
    assert "TMPDIR" in str(problem.value.hint)


def test_what_was_compressed_twice_is_decompressed_once_a_call(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(lzma.compress(CONTENT)))
    with open_bytes(path) as file:
        assert plain_bytes(file, "inner").read() == CONTENT


def test_a_closed_view_leaves_what_it_is_a_view_of_open(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    with open(path, "rb") as file:
        plain_bytes(file, "view").close()
        assert not file.closed


@pytest.mark.parametrize("path", ["nowhere", "", "a\0b"])
def test_a_name_that_cannot_be_opened_is_a_mistake_of_the_call(path: str) -> None:
    with pytest.raises(UsageError, match="cannot read"), open_bytes(path):
        pass
