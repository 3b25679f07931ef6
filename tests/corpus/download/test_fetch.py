"""A file is either whole and right under its name, or not there; what has come of it is not fetched twice."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calque.corpus.download import web
from calque.corpus.download.checksums import Checksum
from calque.corpus.download.fetch import Fetching, fetch
from calque.corpus.download.network import Network
from calque.errors import CalqueError, CorpusError
from corpus.download.server import (
    Behaviour,
    Server,
    chunked,
    cut_short,
    reset,
    sends,
    stalled,
    status,
    web_page,
    without_ranges,
    zipped,
)

PATH = "host.example/some/corpus.zip"
URL = f"https://{PATH}"
NOISE = random.Random(1).randbytes(300_000)
CORPUS = zipped({"corpus.en": NOISE, "corpus.es": b"uno\ndos\n"})
OTHER = zipped({"corpus.en": NOISE[::-1], "corpus.es": b"uno\n"})


@pytest.fixture
def corpus(server: Server) -> Server:
    server.files[PATH] = CORPUS
    return server


def get(server: Server, folder: Path, timeout: float = 5.0, **options: object) -> Path:
    return fetch(URL, folder / "corpus.zip", Network((server.mirror,), timeout), **options)  # type: ignore[arg-type]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def assert_whole(folder: Path) -> None:
    assert (folder / "corpus.zip").read_bytes() == CORPUS
    assert names(folder) == {"corpus.zip", "corpus.zip.json"}


def assert_nothing(folder: Path) -> None:
    assert names(folder) == set()


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


FOR_GOOD: dict[str, tuple[Behaviour, str, str]] = {
    "missing": (status(404), "no such file (404 Not Found)", "--mirror"),
    "gone": (status(410), "no such file (410 Gone)", "--mirror"),
    "forbidden": (status(403), "the server answers 403 Forbidden", "--mirror"),
    "always broken": (status(500), "answers 500 Internal Server Error, at 5 attempts", "try again later"),
    "long wait": (status(429, Retry_After="4000"), "asks to be left alone for 4000 seconds", "try again later"),
    "wrong length": (cut_short(1000), f"was cut short: 5,000 of {len(CORPUS):,} bytes came, at 5 attempts", "later"),
    "silent": (stalled(0), "fell silent, at 5 attempts", "try again later"),
    "web page": (web_page(), "got a web page instead of the file", "login page"),
    "web page in disguise": (web_page("application/zip"), "got a web page instead of the file", "login page"),
    "redirection to a file": (status(302, Location="file:///etc/passwd"), "lead where none may", "http and https"),
    "redirection to ftp": (status(302, Location="ftp://x/y"), "redirects to ftp://x/y, which is not", "http and"),
    "redirection to nowhere": (status(302), "redirections do not end, or lead where none may", "http and https"),
    "wrong md5": (sends(OTHER, ETag=f'"{"0" * 32}"'), f"expected md5:{'0' * 32} (as the server says", "damaged"),
    "no archive": (sends(b"PK, but not really", ETag=None), "the archive is broken or cut short", "again"),
    "archive's start": (sends(CORPUS[:9000], ETag=None), "the archive is broken or cut short", "fetch it again"),
    "unknown encoding": (sends(CORPUS, Content_Encoding="br"), "unknown encoding, 'br'", ""),
    "no gzip at all": (sends(CORPUS, Content_Encoding="gzip"), "said to be gzip, and is not", ""),
    "no range was asked for": (status(416), "the server answers 416", "--mirror"),
}


@pytest.mark.parametrize(("behaviour", "message", "hint"), FOR_GOOD.values(), ids=FOR_GOOD)
def test_what_stays_wrong_is_an_error_and_takes_no_name(
    corpus: Server, tmp_path: Path, behaviour: Behaviour, message: str, hint: str
) -> None:
    corpus.always[PATH] = behaviour
    with pytest.raises(CorpusError) as problem:
        get(corpus, tmp_path, timeout=0.1)
    assert message in problem.value.message
    assert hint in (problem.value.hint or "")
    assert names(tmp_path) <= {"corpus.zip.part", "corpus.zip.part.json"}


def test_a_redirection_is_followed_with_the_range(corpus: Server, tmp_path: Path) -> None:
    corpus.files["elsewhere.example/file"] = CORPUS
    corpus.etags["elsewhere.example/file"] = '"the same"'
    corpus.always[PATH] = status(302, Location=f"{corpus.mirror}/elsewhere.example/file")
    corpus.misdeeds["elsewhere.example/file"] = [cut_short(100_000)]
    get(corpus, tmp_path)
    assert corpus.ranges("elsewhere.example/file") == [None, "bytes=100000-"]
    assert_whole(tmp_path)


def test_redirections_that_go_round_end(corpus: Server, tmp_path: Path) -> None:
    corpus.always[PATH] = status(302, Location=f"/mirror/{PATH}")
    with pytest.raises(CorpusError, match="redirections do not end"):
        get(corpus, tmp_path)
    assert_nothing(tmp_path)


def test_from_https_to_http_is_not_followed() -> None:
    watched = web._WatchedRedirections()
    request = web.urllib.request.Request("https://host.example/a")
    for place, refused in [("http://host.example/a", True), ("https://other.example/a", False)]:
        with pytest.raises(CorpusError, match="not followed") if refused else contextlib.nullcontext():
            watched.redirect_request(request, None, 302, "Found", web.http.client.HTTPMessage(), place)  # type: ignore[arg-type]


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


def test_mirrors_are_tried_in_turn(corpus: Server, tmp_path: Path) -> None:
    gone, empty = "http://127.0.0.1:9/gone", corpus.mirror + "/empty"
    fetch(URL, tmp_path / "corpus.zip", Network((gone, empty, corpus.mirror)))
    assert [seen.path for seen in corpus.seen] == [f"empty/{PATH}", PATH]
    assert_whole(tmp_path)


def test_when_no_mirror_has_it_all_are_named(corpus: Server, tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as problem:
        fetch(URL, tmp_path / "corpus.zip", Network(("http://127.0.0.1:9/gone", corpus.mirror + "/empty")))
    assert "cannot reach 127.0.0.1:9: Connection refused; " in problem.value.message
    assert f"/empty/{PATH}: no such file" in problem.value.message
    assert_nothing(tmp_path)


def test_no_network_is_said_at_once_with_ways_out(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"cannot reach 127\.0\.0\.1:9: Connection refused") as problem:
        fetch("http://127.0.0.1:9/a.zip", tmp_path / "a.zip", Network())
    assert "is the network up?" in str(problem.value.hint)
    assert "--mirror URL" in str(problem.value.hint)
    assert "HTTPS_PROXY" in str(problem.value.hint)


def test_proxies_come_from_the_environment(corpus: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(CorpusError, match="cannot reach"):
        get(corpus, tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    get(corpus, tmp_path)
    assert_whole(tmp_path)


def test_a_network_that_goes_away_in_between_may_come_back(
    corpus: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.misdeeds[PATH] = [cut_short(100_000)]
    opener, calls = web._opener, iter([False, True, False])

    class Gone:
        def open(self, *_: object, **__: object) -> None:
            raise web.urllib.error.URLError(web.socket.gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(web, "_opener", lambda: Gone() if next(calls) else opener())
    get(corpus, tmp_path)
    assert corpus.ranges(PATH) == [None, "bytes=100000-"]
    assert_whole(tmp_path)


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
