"""How much of some files has been read, in their own bytes, also if compressed or read out of order."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from calque.corpus import find_bitexts, read_lines
from calque.corpus.files import BytesRead

LINES = [f"{random.Random(at).getrandbits(256):x}\t{at}" for at in range(150_000)]
TEXT = ("\n".join(LINES) + "\n").encode()


def shares(path: Path, read: BytesRead) -> list[float]:
    seen = []
    for at, _ in enumerate(read_lines(path)):
        if at % 10_000 == 0 and read.share is not None:
            seen.append(read.share)
    return seen


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, lambda text: lzma.compress(text, preset=0), bz2.compress],
    ids=["plain", "gz", "xz", "bz2"],
)
def test_the_share_grows_to_all_of_the_file(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "text"
    path.write_bytes(pack(TEXT))
    with BytesRead([path]) as read:
        assert read.share == 0.0
        seen = shares(path, read)
        assert seen == sorted(seen)
        assert seen[0] < 0.6
        assert any(0.3 < share < 0.9 for share in seen)
        assert read.share == 1.0


def test_several_files_are_one_total(tmp_path: Path) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    for path in paths:
        path.write_bytes(TEXT)
    with BytesRead(paths) as read:
        list(read_lines(paths[0]))
        assert read.share == 0.5
        list(read_lines(paths[1]))
        assert read.share == 1.0


def test_a_file_that_is_read_again_starts_again(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    with BytesRead([path]) as read:
        list(read_lines(path))
        lines = read_lines(path)
        next(lines)
        assert read.share is not None
        assert read.share < 0.9
        lines.close()


def test_both_sides_of_a_zip_count_together(tmp_path: Path) -> None:
    path = tmp_path / "en-es.txt.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("X.en-es.en", TEXT)
        packed.writestr("X.en-es.es", TEXT)
    (bitext,) = find_bitexts([str(path)])
    with BytesRead([path]) as read:
        seen = [read.share or 0.0 for _ in bitext.batches()]
        assert seen == sorted(seen)
        assert seen[0] < 0.5
        assert seen[-1] > 0.95


def test_what_has_no_size_has_no_share(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    with BytesRead(["-", tmp_path / "text"]) as read:
        list(read_lines(tmp_path / "text"))
        assert read.share is None
    assert BytesRead([tmp_path / "nowhere"]).share is None


def test_other_files_and_later_ones_do_not_count(tmp_path: Path) -> None:
    for name in ("watched", "other"):
        (tmp_path / name).write_bytes(TEXT)
    with BytesRead([tmp_path / "watched"]) as read:
        list(read_lines(tmp_path / "other"))
        assert read.share == 0.0
    list(read_lines(tmp_path / "watched"))
    assert read.share == 0.0
