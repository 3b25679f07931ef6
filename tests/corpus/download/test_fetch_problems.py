"""Servers and networks that do not give a file: what is said, and which other ways are tried."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import pytest

from calque.corpus.download import web
from calque.corpus.download.fetch import fetch
from calque.corpus.download.network import Network
from calque.errors import CorpusError
from corpus.download.fetching import CORPUS, OTHER, PATH, URL, assert_nothing, assert_whole, get, names
from corpus.download.server import Behaviour, Server, cut_short, sends, stalled, status, web_page

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
    "more after the gzip": (
        sends(gzip.compress(CORPUS) + b"more", Content_Encoding="gzip"), "goes on after the end of its gzip", "--mirror"
    ),
    "a bomb of a gzip": (
        sends(gzip.compress(bytes(64 << 20)), Content_Encoding="gzip"), "more than 250 times its size", "no honest"
    ),
    "no range was asked for": (status(416), "the server answers 416", "--mirror"),
}  # fmt: skip


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
