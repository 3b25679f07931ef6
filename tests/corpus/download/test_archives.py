"""Archives from strangers: traps are refused with the entry's name, damage is found, and nothing is left behind."""

from __future__ import annotations

import bz2
import io
import random
import re
import stat
import struct
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus.download.archives import check_archive, is_archive, unpack
from calque.corpus.traps import Limits, check_zip
from calque.errors import CorpusError
from corpus.download.server import tarred, zipped

TEXT = {"set/readme.txt": b"read me\n", "set/en/dev.txt": "Grüße\n".encode() * 100, "set/es/dev.txt": b""}
SMALL = Limits(entries=50, unpacked=1_000_000, ratio=20, always=10_000)
ZIP_AND_TAR = {
    "a.zip": zipped(TEXT),
    "a.tar": tarred(TEXT, "w:"),
    "a.tar.gz": tarred(TEXT, "w:gz"),
    "a.tgz": tarred(TEXT, "w:gz"),
    "a.tar.bz2": tarred(TEXT, "w:bz2"),
    "a.tar.xz": tarred(TEXT, "w:xz"),
}
each_archive = pytest.mark.parametrize("name", ZIP_AND_TAR)


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(path: Path, limits: Limits = SMALL) -> str:
    """What is said when an archive is refused, the same by looking through it and by unpacking it."""
    with pytest.raises(CorpusError) as looking:
        check_archive(path, path.name, limits)
    with pytest.raises(CorpusError) as unpacking:
        unpack(path, path.parent / "unpacked", limits)
    assert looking.value.message == unpacking.value.message
    assert not (path.parent.parent / "outside").exists()
    return looking.value.message


@each_archive
def test_an_honest_archive_is_unpacked_as_it_is(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, ZIP_AND_TAR[name])
    assert is_archive(name)
    check_archive(path, name)
    unpack(path, tmp_path / "unpacked")
    assert content_of(tmp_path / "unpacked") == TEXT


def test_folders_dots_and_what_macos_adds_do_no_harm(tmp_path: Path) -> None:
    content = {"./a/": b"", "./a/b.txt": b"b", "__MACOSX/a/._b.txt": b"junk", "empty/": b""}
    unpack(written(tmp_path, "a.zip", zipped(content)), tmp_path / "unpacked")
    assert content_of(tmp_path / "unpacked") == {"a/b.txt": b"b"}
    assert (tmp_path / "unpacked" / "empty").is_dir()


def test_permissions_in_an_archive_are_not_taken_over(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("run.sh")
        member.mode, member.size, member.uid = 0o6777, 2, 12345
        archive.addfile(member, io.BytesIO(b"hi"))
    unpack(written(tmp_path, "a.tar.gz", buffer.getvalue()), tmp_path / "unpacked")
    assert not (tmp_path / "unpacked" / "run.sh").stat().st_mode & (0o111 | stat.S_ISUID | stat.S_ISGID)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["../outside"], "leads outside the folder"),
        (["a/../../outside"], "leads outside the folder"),
        (["a/.."], "leads outside the folder"),
        (["/etc/outside"], "has an absolute name"),
        (["C:/outside"], "has an absolute name"),
        (["c:outside"], "has an absolute name"),
        (["..\\outside"], "has a backslash"),
        (["a\x01b"], "has control characters"),
        (["a\nb"], "has control characters"),
        (["a" * 1001], "is too long"),
        (["a/" * 60 + "b"], "is too long"),
        (["same", "same"], "is there twice"),
        (["Same", "same"], "is there twice"),
        (["caf\u00e9", "cafe\u0301"], "is there twice"),
        (["a", "./a"], "is there twice"),
        (["a", "a/b"], "is a file and a folder at once"),
        (["a/b", "a"], "is a file and a folder at once"),
        (["a", "a/"], "is a file and a folder at once"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_lead_astray_are_refused_and_named(tmp_path: Path, kind: str, names: list[str], reason: str) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name), b"x")
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name in names:
                member = tarfile.TarInfo(name)
                member.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
                tar.addfile(member)
    told = refusal(written(folder, f"a.{kind}", buffer.getvalue()))
    assert reason in told
    assert repr(names[-1][:100]).strip("'").rstrip("/") in told


@pytest.mark.parametrize(
    "type", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE], ids=str
)
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, type: bytes) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("trap")
        member.type, member.linkname = type, "/etc/passwd"
        archive.addfile(member)
    told = refusal(written(tmp_path, "a.tar.gz", buffer.getvalue()))
    assert told == "a.tar.gz, entry 'trap' is a link, a device or a sparse file: refused"


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_in_a_zip_are_refused(tmp_path: Path, mode: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("trap")
        info.external_attr = (mode | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    told = refusal(written(tmp_path, "a.zip", buffer.getvalue()))
    assert told == "a.zip, entry 'trap' is a link or a device: refused"


def test_encrypted_entries_are_refused(tmp_path: Path) -> None:
    content = bytearray(zipped({"secret": b"x"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(written(tmp_path, "a.zip", bytes(content))) == "a.zip, entry 'secret' is encrypted: refused"


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_a_bomb_is_refused_long_before_it_is_unpacked(tmp_path: Path, kind: str) -> None:
    bomb = {"bomb": bytes(900_000)}
    content = zipped(bomb) if kind == "zip" else tarred(bomb, f"w:{kind[4:]}")
    told = refusal(written(tmp_path, f"a.{kind}", content))
    assert "unpacks to more than 20 times its size: refused" in told
    assert sum(map(len, content_of(tmp_path / "unpacked").values())) < 20 * len(content) + 100_000


def test_many_small_bombs_are_one_large_one(tmp_path: Path) -> None:
    content = zipped({str(number): bytes(9_000) for number in range(40)})
    assert "unpacks to more than 20 times its size" in refusal(written(tmp_path, "a.zip", content))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_more_than_the_limit_is_refused_whatever_the_ratio(tmp_path: Path, kind: str) -> None:
    files = {str(number): random.Random(number).randbytes(300_000) for number in range(4)}
    content = zipped(files) if kind == "zip" else tarred(files)
    assert "unpacks to more than 1,000,000 bytes" in refusal(written(tmp_path, f"a.{kind}", content))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_too_many_entries_are_refused(tmp_path: Path, kind: str) -> None:
    files = {str(number): b"x" for number in range(51)}
    content = zipped(files) if kind == "zip" else tarred(files)
    assert (
        refusal(written(tmp_path, f"a.{kind}", content), Limits(entries=50))
        == f"a.{kind} has more than 50 entries: refused"
    )


def test_a_declared_size_that_lies_brings_no_more_than_it_says(tmp_path: Path) -> None:
    """A bomb that declares itself small: zipfile stops at the declared size, and the checksum gives it away."""
    content = bytearray(zipped({"bomb": bytes(900_000)}))
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", content, content.index(signature) + place, 10)
    told = refusal(written(tmp_path, "a.zip", bytes(content)))
    assert told.startswith("a.zip, entry 'bomb': the archive is broken or cut short")
    assert sum(map(len, content_of(tmp_path / "unpacked").values())) <= 10


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """One kernel listed under many names, each of a modest size and ratio."""
    plain = zipped({"0": random.Random(1).randbytes(5_000)})
    start = plain.index(b"PK\x01\x02")
    end = plain.rindex(b"PK\x05\x06")
    entry = plain[start:end]
    entries = b"".join(entry[:46] + bytes([48 + number]) + entry[47:] for number in range(10))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 10, 10, len(entries), start, 0)
    told = refusal(written(tmp_path, "a.zip", plain[:start] + entries + tail))
    assert "overlap" in told.lower()


def test_a_tar_header_that_says_it_is_huge_is_not_read_into_memory(tmp_path: Path) -> None:
    member = tarfile.TarInfo("x")
    member.type, member.size = tarfile.XHDTYPE, 7_000_000
    content = member.tobuf(tarfile.USTAR_FORMAT) + random.Random(1).randbytes(10_000)
    assert "has a header of 7,000,064 bytes" in refusal(written(tmp_path, "a.tar.bz2", bz2.compress(content)))


def test_a_sparse_file_in_a_tar_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("sparse")
    member.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": "1000000000"}
    member.size = 1
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(b"x"))
    assert "sparse" in refusal(written(tmp_path, "a.tar.gz", buffer.getvalue()))


def test_a_directory_too_large_for_memory_is_not_read(tmp_path: Path) -> None:
    content = zipped({f"{number:0180}": b"" for number in range(60)})
    told = refusal(written(tmp_path, "a.zip", content), Limits(entries=60))
    assert re.fullmatch(r"a\.zip has a directory of 13,\d+ bytes: refused", told)
    large = struct.pack("<4s36xQ8x", b"PK\x06\x06", 13_000) + struct.pack("<4s16x", b"PK\x06\x07")
    path = written(tmp_path, "b.zip", content[:-22] + large + content[-22:-10] + b"\xff" * 4 + content[-6:])
    with pytest.raises(CorpusError, match=r"b\.zip has a directory of 13,000 bytes: refused"):
        check_archive(path, "b.zip", Limits(entries=60))


def test_the_reader_of_a_zip_can_check_it_without_unpacking() -> None:
    check_zip(zipfile.ZipFile(io.BytesIO(zipped(TEXT))), "good.zip")
    with pytest.raises(CorpusError, match=r"bad\.zip, entry 'bomb' unpacks to more than 250 times"):
        check_zip(zipfile.ZipFile(io.BytesIO(zipped({"bomb": bytes(40 << 20)}))), "bad.zip")


# Only compression tells a tar that was cut between its entries from a whole one.
@pytest.mark.parametrize("name", [name for name in ZIP_AND_TAR if name != "a.tar"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_an_archive_cut_short_is_an_error_that_names_it(tmp_path: Path, name: str, share: float) -> None:
    content = ZIP_AND_TAR[name]
    path = written(tmp_path, name, content[: int(share * len(content))])
    with pytest.raises(CorpusError) as problem:
        check_archive(path, name)
    assert problem.value.message.startswith(name)
    assert "broken or cut short" in problem.value.message


@each_archive
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_damaged_archive_is_an_error_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, name: str, place: float, change: int
) -> None:
    damaged = bytearray(ZIP_AND_TAR[name])
    damaged[int(place * len(damaged))] ^= change
    folder = tmp_path_factory.mktemp("damaged")
    path = written(folder, name, bytes(damaged))
    with suppress(CorpusError):
        check_archive(path, name)
        unpack(path, folder / "unpacked")
    assert {each.name for each in folder.iterdir()} <= {path.name, "unpacked"}
    assert path.read_bytes() == damaged
    unpacked = [each for each in (folder / "unpacked").rglob("*") if not each.is_dir()]
    assert not any(each.is_symlink() for each in unpacked)
    assert sum(each.stat().st_size for each in unpacked) < 1 << 20


@pytest.mark.parametrize("start", [b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd"])
@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_noise_is_no_archive(tmp_path: Path, name: str, start: bytes) -> None:
    path = written(tmp_path, name, start + random.Random(3).randbytes(2000))
    with pytest.raises(CorpusError, match="broken or cut short"):
        check_archive(path, name)
