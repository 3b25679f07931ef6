"""Compressed files are known by their content; broken ones are errors, never shorter texts."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus import read_lines
from calque.corpus.files import open_bytes
from calque.errors import CorpusError

Compress = Callable[[bytes], bytes]

COMPRESSIONS: dict[str, Compress] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
TEXT = "".join(f"Zeile {number} — ligne {number * 7919 % 10007}\n" for number in range(2000))
LINES = TEXT.splitlines()

COMPRESSED = {name: compress(TEXT.encode()) for name, compress in COMPRESSIONS.items()}

each_compression = pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)


@each_compression
@pytest.mark.parametrize("name", ["text", "text.txt", "text.gz", "text.xz", "text.bz2", "text.zst"])
def test_the_content_says_how_it_is_compressed_and_the_name_does_not(
    tmp_path: Path, compress: Compress, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(compress(TEXT.encode()))
    assert list(read_lines(path)) == LINES


@pytest.mark.parametrize("name", ["text.gz", "text.xz", "text.bz2", "text.zst"])
def test_plain_text_under_a_compressed_name_is_plain_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("one\ntwo\n")
    assert list(read_lines(path)) == ["one", "two"]


def test_a_text_that_begins_with_bzip2_s_letters_is_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("BZhang went home.\n")
    assert list(read_lines(path)) == ["BZhang went home."]


@each_compression
def test_an_empty_text_compressed_has_no_lines(tmp_path: Path, compress: Compress) -> None:
    path = tmp_path / "empty"
    path.write_bytes(compress(b""))
    assert list(read_lines(path)) == []


@each_compression
def test_compressed_files_one_after_the_other_are_one_text(tmp_path: Path, compress: Compress) -> None:
    path = tmp_path / "two-parts"
    path.write_bytes(compress(b"one\ntw") + compress(b"o\nthree\n"))
    assert list(read_lines(path)) == ["one", "two", "three"]


def test_zstandard_without_its_length_in_front_is_read(tmp_path: Path) -> None:
    streamed = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(streamed, closefd=False) as writer:
        writer.write(TEXT.encode())
    path = tmp_path / "streamed.zst"
    path.write_bytes(streamed.getvalue())
    assert list(read_lines(path)) == LINES


@each_compression
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_an_error_that_names_it(tmp_path: Path, compress: Compress, share: float) -> None:
    whole = compress(TEXT.encode())
    path = tmp_path / "cut"
    path.write_bytes(whole[: max(12, int(share * len(whole)))])
    with pytest.raises(CorpusError) as problem:
        list(read_lines(path))
    assert problem.value.message.startswith(f"{path}, after ")
    assert problem.value.hint == "fetch or make it again"


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_a_bomb_is_read_in_pieces(tmp_path: Path, name: str) -> None:
    """Zstandard says 128 KB in four bytes, so that what is undone at once must be bounded by what comes out."""
    size = 256 << 20
    whole = COMPRESSIONS[name](bytes(size)) if name == "zst" else COMPRESSIONS[name](bytes(size >> 4)) * 16
    path = tmp_path / "bomb"
    path.write_bytes(whole)
    tracemalloc.start()
    try:
        with open_bytes(path) as file:
            assert sum(map(len, iter(lambda: file.read(1 << 20), b""))) == size
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.parametrize("compressed", COMPRESSED.values(), ids=COMPRESSED)
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_damaged_file_gives_its_text_or_an_error(folder: Path, compressed: bytes, place: float, change: int) -> None:
    damaged = bytearray(compressed)
    damaged[6 + int(place * (len(damaged) - 6))] ^= change
    path = folder / "damaged"
    path.write_bytes(damaged)
    with suppress(CorpusError):
        assert list(read_lines(path)) == LINES


@pytest.mark.parametrize("begin", [b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"])
@given(rest=st.binary(max_size=60))
def test_noise_that_begins_like_a_compressed_file_is_an_error(folder: Path, begin: bytes, rest: bytes) -> None:
    path = folder / "noise"
    path.write_bytes(begin + rest)
    with pytest.raises(CorpusError):
        list(read_lines(path))
