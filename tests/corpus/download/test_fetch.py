"""A file is either whole and right under its name, or not there."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from calque.corpus.download.checksums import Checksum
from calque.corpus.download.fetch import fetch
from calque.corpus.download.network import Network
from calque.corpus.download.receiving import Fetching
from calque.errors import CorpusError
from corpus.download.fetching import CORPUS, OTHER, PATH, URL, assert_nothing, assert_whole, get
from corpus.download.server import Server, sends


def test_a_file_is_fetched_and_its_origin_recorded(corpus: Server, tmp_path: Path) -> None:
    assert get(corpus, tmp_path / "new" / "folder") == tmp_path / "new" / "folder" / "corpus.zip"
    assert_whole(tmp_path / "new" / "folder")
    record = json.loads((tmp_path / "new" / "folder" / "corpus.zip.json").read_text())
    assert record.pop("date").startswith("20")
    assert record == {
        "url": URL,
        "address": f"{corpus.mirror}/{PATH}",
        "size": len(CORPUS),
        "sha256": hashlib.sha256(CORPUS).hexdigest(),
        "etag": f'"{hashlib.md5(CORPUS).hexdigest()}"',
    }


def test_progress_goes_up_to_the_total_and_then_through_the_check(corpus: Server, tmp_path: Path) -> None:
    told: list[Fetching] = []
    get(corpus, tmp_path, report=told.append)
    coming = [now.done for now in told if not now.checking]
    assert coming == sorted(coming)
    assert coming[-1] == told[-1].done == len(CORPUS)
    assert told[-1].checking
    assert {(now.name, now.total) for now in told} == {("corpus.zip", len(CORPUS))}
    assert all(now.rate > 0 for now in told)


def test_what_is_there_is_not_fetched_again(corpus: Server, tmp_path: Path) -> None:
    get(corpus, tmp_path)
    corpus.seen.clear()
    get(corpus, tmp_path)
    get(corpus, tmp_path, verify=True)
    get(corpus, tmp_path, checksums=[Checksum("md5", hashlib.md5(CORPUS).hexdigest())])
    assert corpus.seen == []


def test_a_file_of_another_size_is_fetched_again(corpus: Server, tmp_path: Path) -> None:
    get(corpus, tmp_path).write_bytes(CORPUS[:100])
    get(corpus, tmp_path)
    assert_whole(tmp_path)


def test_a_changed_byte_is_found_only_when_asked_for(corpus: Server, tmp_path: Path) -> None:
    damaged = CORPUS[:5000] + bytes([CORPUS[5000] ^ 1]) + CORPUS[5001:]
    get(corpus, tmp_path).write_bytes(damaged)
    get(corpus, tmp_path)
    assert (tmp_path / "corpus.zip").read_bytes() == damaged
    get(corpus, tmp_path, verify=True)
    assert_whole(tmp_path)


def test_a_file_that_nothing_is_known_of_is_left_alone(corpus: Server, tmp_path: Path) -> None:
    (tmp_path / "corpus.zip").write_bytes(b"my own")
    with pytest.raises(CorpusError, match="is there already, and nothing says where it came from"):
        get(corpus, tmp_path)
    assert (tmp_path / "corpus.zip").read_bytes() == b"my own"


def test_an_etag_of_several_parts_is_no_md5(corpus: Server, tmp_path: Path) -> None:
    corpus.etags[PATH] = f'"{"0" * 32}-7"'
    get(corpus, tmp_path)
    assert_whole(tmp_path)


@pytest.mark.parametrize("name", ["plain.txt", "corpus.zip"])
def test_a_compression_that_nobody_asked_for_is_undone(server: Server, tmp_path: Path, name: str) -> None:
    content = CORPUS if name.endswith(".zip") else b"ein Satz\n" * 10_000
    server.files[f"host.example/{name}"] = content
    packed = gzip.compress(content)
    server.misdeeds[f"host.example/{name}"] = [
        sends(packed[: len(packed) // 2], Content_Encoding="gzip"),
        sends(packed, Content_Encoding="gzip"),
    ]
    path = fetch(f"https://host.example/{name}", tmp_path / name, Network((server.mirror,)))
    assert path.read_bytes() == content
    assert server.ranges(f"host.example/{name}") == [None, None]


def test_a_gz_file_under_that_heading_is_left_as_it_is(server: Server, tmp_path: Path) -> None:
    server.files["host.example/text.gz"] = gzip.compress(b"text")
    server.always["host.example/text.gz"] = sends(gzip.compress(b"text"), Content_Encoding="gzip", ETag=None)
    path = fetch("https://host.example/text.gz", tmp_path / "text.gz", Network((server.mirror,)))
    assert gzip.decompress(path.read_bytes()) == b"text"


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_a_checksum_is_held_to(corpus: Server, tmp_path: Path, algorithm: str) -> None:
    right = Checksum(algorithm, hashlib.new(algorithm, CORPUS).hexdigest())
    wrong = Checksum(algorithm, hashlib.new(algorithm, OTHER).hexdigest())
    with pytest.raises(CorpusError, match=f"expected {algorithm}:{wrong.digest} .*, got {right.digest}"):
        get(corpus, tmp_path, checksums=[wrong])
    assert_nothing(tmp_path)
    get(corpus, tmp_path, checksums=[right])
    assert_whole(tmp_path)


def test_a_checksum_that_is_known_counts_for_more_than_the_server_s(corpus: Server, tmp_path: Path) -> None:
    corpus.etags[PATH] = f'"{"0" * 32}"'
    get(corpus, tmp_path, checksums=[Checksum("sha256", hashlib.sha256(CORPUS).hexdigest())])
    assert_whole(tmp_path)
