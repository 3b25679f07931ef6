"""What goes wrong for once is tried again, and what has come of a file is not fetched twice."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from calque.errors import CorpusError
from corpus.download.fetching import CORPUS, OTHER, PATH, assert_whole, get, names
from corpus.download.server import Behaviour, Server, chunked, cut_short, reset, stalled, status, without_ranges, zipped

FOR_ONCE: dict[str, list[Behaviour]] = {
    "cut short": [cut_short(100_000)],
    "cut short twice": [cut_short(100_000), cut_short(50_000)],
    "reset": [reset(100_000)],
    "cut before the first byte": [cut_short(0)],
    "server error": [status(500)],
    "two errors": [status(503), status(502)],
    "too many requests": [status(429, Retry_After="0")],
    "too many requests until a date": [status(429, Retry_After="Thu, 01 Jan 2015 00:00:00 GMT")],
    "nonsense in Retry-After": [status(503, Retry_After="soon")],
    "another part": [cut_short(1000), status(206, Content_Range="bytes 5-9/10")],
    "no answer in words": [lambda answer, _: answer.wfile.write(b"what?\r\n\r\n") and None],
    "no length": [chunked],
    "ranges unknown": [cut_short(1000), without_ranges],
    "no such range": [cut_short(1000), status(416)],
    "a part with an empty description": [cut_short(1000), status(206)],
    "no content": [status(204)],
}


@pytest.mark.parametrize("misdeeds", FOR_ONCE.values(), ids=FOR_ONCE)
def test_what_goes_wrong_for_once_is_tried_again(corpus: Server, tmp_path: Path, misdeeds: list[Behaviour]) -> None:
    corpus.misdeeds[PATH] = list(misdeeds)
    get(corpus, tmp_path)
    assert corpus.misdeeds[PATH] == []
    assert_whole(tmp_path)


def test_only_the_rest_is_asked_for_after_an_interruption(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [cut_short(100_000), reset(0), cut_short(20_000)]
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [None, "bytes=100000-", "bytes=100000-", "bytes=120000-"]
    assert {seen.if_range for seen in corpus.seen[1:]} == {corpus.etag(PATH)}
    assert_whole(tmp_path)


def test_a_stalled_connection_is_given_up_and_resumed(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [stalled(100_000)]
    get(corpus, tmp_path, timeout=0.1)
    assert corpus.ranges(PATH) == [None, "bytes=100000-"]
    assert_whole(tmp_path)


def test_without_an_etag_the_date_tells_the_version(corpus: Server, tmp_path: Path) -> None:
    corpus.etags[PATH] = None
    corpus.misdeeds[PATH] = [cut_short(100_000)]
    get(corpus, tmp_path)
    assert corpus.seen[1].if_range == "Thu, 13 Apr 2023 00:45:03 GMT"
    assert corpus.ranges(PATH) == [None, "bytes=100000-"]
    assert_whole(tmp_path)


def test_a_weak_etag_names_no_bytes(corpus: Server, tmp_path: Path) -> None:
    corpus.etags[PATH] = 'W/"weak"'
    corpus.misdeeds[PATH] = [cut_short(100_000)]
    get(corpus, tmp_path)
    assert corpus.seen[1].if_range == "Thu, 13 Apr 2023 00:45:03 GMT"


def test_a_file_that_changed_meanwhile_is_fetched_from_the_start(corpus: Server, tmp_path: Path) -> None:
    corpus.files[PATH] = OTHER

    def cut_and_change(answer: object, content: bytes) -> None:
        cut_short(100_000)(answer, content)  # type: ignore[arg-type]
        corpus.files[PATH] = CORPUS

    corpus.misdeeds[PATH] = [cut_and_change]
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [None, "bytes=100000-"]
    assert_whole(tmp_path)


def test_a_server_that_mixes_versions_is_found_out_and_asked_for_all_of_it(corpus: Server, tmp_path: Path) -> None:
    corpus.etags[PATH] = '"the same for both"'
    corpus.files[PATH] = OTHER[: len(CORPUS)].ljust(len(CORPUS), b"\0")

    def cut_and_change(answer: object, content: bytes) -> None:
        cut_short(100_000)(answer, content)  # type: ignore[arg-type]
        corpus.files[PATH] = CORPUS

    corpus.misdeeds[PATH] = [cut_and_change]
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [None, "bytes=100000-", None]
    assert_whole(tmp_path)


def test_a_later_run_goes_on_where_an_earlier_one_gave_up(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [cut_short(100_000)] + [status(503)] * 4
    with pytest.raises(CorpusError, match="answers 503 Service Unavailable, at 5 attempts"):
        get(corpus, tmp_path)
    assert names(tmp_path) == {"corpus.zip.part", "corpus.zip.part.json"}
    corpus.seen.clear()
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == ["bytes=100000-"]
    assert_whole(tmp_path)


def test_a_part_that_was_complete_is_only_checked(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [cut_short(100_000)] + [status(503)] * 4
    with pytest.raises(CorpusError):
        get(corpus, tmp_path)
    (tmp_path / "corpus.zip.part").write_bytes(CORPUS)
    corpus.seen.clear()
    get(corpus, tmp_path)
    assert corpus.seen == []
    assert_whole(tmp_path)


def test_a_part_that_turns_out_to_be_complete_is_kept(corpus: Server, tmp_path: Path) -> None:
    """Without a length, only the server's 416 tells that there is nothing more."""
    about = {"address": f"{corpus.mirror}/{PATH}", "etag": corpus.etag(PATH), "total": None}
    (tmp_path / "corpus.zip.part").write_bytes(CORPUS)
    (tmp_path / "corpus.zip.part.json").write_text(json.dumps(about))
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [f"bytes={len(CORPUS)}-"]
    assert_whole(tmp_path)


@pytest.mark.parametrize("about", ["", "{", "[]", '{"address": 3}', '{"cake": 1}', '{"address": "a", "etag": 5}', None])
def test_a_part_of_unknown_origin_is_not_built_upon(corpus: Server, tmp_path: Path, about: str | None) -> None:
    (tmp_path / "corpus.zip.part").write_bytes(b"anything")
    if about is not None:
        (tmp_path / "corpus.zip.part.json").write_text(about)
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [None]
    assert_whole(tmp_path)


def test_a_damaged_part_is_found_out_and_fetched_anew(corpus: Server, tmp_path: Path) -> None:
    corpus.misdeeds[PATH] = [cut_short(100_000)] + [status(503)] * 4
    with pytest.raises(CorpusError):
        get(corpus, tmp_path)
    (tmp_path / "corpus.zip.part").write_bytes(bytes(100_000))
    corpus.seen.clear()
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == ["bytes=100000-", None]
    assert_whole(tmp_path)


def test_every_megabyte_earns_new_attempts(server: Server, tmp_path: Path) -> None:
    content = zipped({"big": random.Random(2).randbytes(9 << 20)})
    server.files[PATH] = content
    server.misdeeds[PATH] = [cut_short((1 << 20) + 1)] * 8
    assert get(server, tmp_path).read_bytes() == content
