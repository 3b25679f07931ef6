"""Files on a shared disk and at an address: whole or not at all, for whoever looks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Here
from calque.cluster.mine import mine_shards
from calque.cluster.packed import read_packed, write_packed
from calque.cluster.places import Place
from calque.cluster.repeats import Repeats
from calque.errors import CalqueError, UsageError
from calque.mining import MiningConfig
from shards import cut, joined


@pytest.fixture(scope="module")
def far() -> Iterator[str]:
    """The address of a bucket that an S3 server keeps."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "calque",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        Place("s3://bucket").make()
        yield "s3://bucket"
    server.stop()


@pytest.fixture(params=["disk", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "disk":
        return Place.of(tmp_path)
    return Place(f"{request.getfixturevalue('far')}/{tmp_path.name}")


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    with contextlib.suppress(KeyboardInterrupt):
        yield
        raise AssertionError


def test_what_is_written_is_read(place: Place) -> None:
    file = place / "file"
    file.write(b"0123456789")
    assert file.read() == b"0123456789"
    assert file.read(2, 5) == b"234"
    assert file.info()[0] == 10
    assert place.names() == ["file"]
    with file.fetched() as path:
        assert (path.name, path.read_bytes()) == ("file", b"0123456789")
    before = file.info()
    file.write(b"another")
    assert file.read() == b"another"
    assert file.info() != before
    file.remove()
    file.remove()
    assert not file.exists()


def test_what_is_not_finished_is_not_there(place: Place) -> None:
    file = place / "file"
    file.write(b"before")
    with interrupted(), file.placing() as path:
        path.write_bytes(b"half")
        raise KeyboardInterrupt
    assert file.read() == b"before"
    with interrupted(), place.placing_in() as inside:
        (inside / "one").write_bytes(b"1")
        raise KeyboardInterrupt
    assert place.names() == ["file"]
    with place.placing_in() as inside:
        (inside / "one").write_bytes(b"1")
        (inside / "two").write_bytes(b"2")
    assert {name: (place / name).read() for name in place.names()} == {"file": b"before", "one": b"1", "two": b"2"}


def test_folders_are_made_and_removed(place: Place) -> None:
    inside = place / "a" / "b"
    inside.make()
    (inside / "file").write(b"x")
    (place / "a" / "_hidden" / "b").make()
    (place / "a" / "_hidden" / "b" / "file").write(b"x")
    assert [each.address for each in place.files()] == [(inside / "file").address]
    assert [each.address for each in (place / "a" / "*" / "file").matching()] == [(inside / "file").address]
    assert (place / "a").is_folder()
    (place / "a").remove()
    assert place.names() == (place / "nowhere").names() == []


def test_mistakes_are_told_with_the_address(place: Place) -> None:
    with pytest.raises(UsageError, match=r"no such file: .*nowhere"):
        (place / "nowhere").read()
    with pytest.raises(UsageError, match=r"no such file: .*nowhere"):
        (place / "nowhere").info()


def test_a_folder_that_is_not_there_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match="there is no folder"):
        (Place.of(tmp_path) / "nowhere" / "file").write(b"x")


def test_an_address_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="an address is one that fsspec knows"):
        Place("nonsense://somewhere/file").exists()


def test_shards_at_an_address_come_to_the_same(
    far: str, small_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    for side, lines in (("en", english), ("es", spanish)):
        for path in cut(lines[:40], tmp_path / side, ".txt", parts=2).iterdir():
            (Place(far) / side / path.name).write(path.read_bytes())
    encode_shards(small_model, [tmp_path / "en"], tmp_path / "near", Here())
    encode_shards(small_model, [f"{far}/en"], f"{far}/vectors", Here())
    parts = [part.read() for part in (Place(far) / "vectors").files()]
    assert b"".join(parts) == joined(tmp_path / "near")
    config = MiningConfig()
    mine_shards([tmp_path / "en"], [tmp_path / "es"], tmp_path / "pairs", small_model, config, Here())
    mine_shards([f"{far}/en"], [f"{far}/es"], f"{far}/pairs", small_model, config, Here())
    assert (Place(far) / "pairs" / "part-00000.tsv").read() == joined(tmp_path / "pairs")
    assert (Place(far) / "pairs").names() == ["_job", "part-00000.tsv"]
    assert (Place(far) / "pairs" / "_job").names() == ["job.json", "report.json"]


def test_parts_of_a_packed_file_are_read_alone(tmp_path: Path) -> None:
    there = Place.of(tmp_path) / "packed"
    parts = [np.arange(5, dtype=np.int64), np.zeros(0, np.int64), np.arange(6).reshape(3, 2)]
    write_packed(there, parts)
    for at, part in enumerate(parts):
        assert np.array_equal(read_packed(there, 3, at, np.int64), part.ravel())


@given(st.lists(st.lists(st.integers(0, 9)), min_size=1, max_size=5), st.integers(1, 3))
def test_what_came_before_is_found_over_all_shards(
    tmp_path_factory: pytest.TempPathFactory, shards: list[list[int]], ranges: int
) -> None:
    there = Place.of(tmp_path_factory.mktemp("repeats"))
    repeats = Repeats(there, len(shards), 1 << ranges)
    spread = np.uint64((1 << 64) // 10)
    for number, keys in enumerate(shards):
        repeats.hand_out(number, np.array(keys, np.uint64) * spread)
    for number in range(repeats.ranges):
        repeats({"range": number})
    seen: dict[int, list[int]] = {}
    for number, keys in enumerate(shards):
        expected = [key in seen or key in keys[:at] for at, key in enumerate(keys)]
        assert repeats.marks(number, len(keys)).tolist() == expected
        for key in keys:
            seen.setdefault(key, []).append(number)
    copies = [int(repeats.copies(number)[:, 1].sum()) for number in range(len(shards))]
    assert copies == [
        sum(len(each) - 1 for each in seen.values() if each[0] == number) for number in range(len(shards))
    ]
