"""Where files come from and where they go: mirrors, the cache, checksums as they are typed, language codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.corpus.download import cache
from calque.corpus.download.cache import cache_folder
from calque.corpus.download.checksums import Checksum, md5_in_etag, parse_checksum
from calque.corpus.download.evaluation_sets import EVALUATION_SETS, find_set
from calque.corpus.download.languages import parse_pair, possible_codes, possible_pairs
from calque.corpus.download.mirrors import addresses
from calque.corpus.download.network import Network
from calque.errors import UsageError

URL = "https://opus.nlpl.eu/opusapi/?corpus=A&source=en"


def test_a_mirror_holds_each_server_below_its_name() -> None:
    assert addresses(URL) == [URL]
    assert addresses(URL, ["http://mirror.example"]) == [
        "http://mirror.example/opus.nlpl.eu/opusapi/?corpus=A&source=en"
    ]
    assert addresses("http://a/b.zip", ["https://m/n/", "official", "http://o"]) == [
        "https://m/n/a/b.zip",
        "http://a/b.zip",
        "http://o/a/b.zip",
    ]


@pytest.mark.parametrize(
    "mirror", ["", "mirror.example", "file:///etc", "ftp://x", "https://", "http://a?b", "http://[x"]
)
def test_what_is_no_mirror_is_refused(mirror: str) -> None:
    with pytest.raises(UsageError, match="--mirror: expected an address like"):
        Network((mirror,))


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_timeout_is_a_number_of_seconds(timeout: float) -> None:
    with pytest.raises(UsageError, match="--timeout: expected a number of seconds above 0"):
        Network(timeout=timeout)


def test_the_cache_is_where_one_says_or_where_the_system_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALQUE_CACHE", "/from/environment")
    assert cache_folder("/chosen") == Path("/chosen")
    assert cache_folder() == Path("/from/environment")
    monkeypatch.delenv("CALQUE_CACHE")
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache._platform_cache("linux") == Path("/caches/calque")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache._platform_cache("linux") == Path("/home/ana/.cache/calque")
    assert cache._platform_cache("darwin") == Path("/home/ana/Library/Caches/calque")
    monkeypatch.setenv("LOCALAPPDATA", "/Local")
    assert cache._platform_cache("win32") == Path("/Local/calque/cache")


def test_a_checksum_names_its_algorithm() -> None:
    assert parse_checksum("sha256:" + "AB" * 32) == Checksum("sha256", "ab" * 32)
    assert parse_checksum("md5:" + "0" * 32) == Checksum("md5", "0" * 32)


@pytest.mark.parametrize("text", ["", "md5", "md5:12", "sha256:" + "0" * 32, "sha1:" + "0" * 40, "md5:" + "g" * 32])
def test_what_is_no_checksum_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--checksum: expected sha256:"):
        parse_checksum(text)


@pytest.mark.parametrize("etag", [None, "", '"abc"', f'"{"0" * 32}-3"', f'W/"{"0" * 32}"', "0" * 32, f'"{"G" * 32}"'])
def test_an_etag_that_is_no_md5_is_none(etag: str | None) -> None:
    assert md5_in_etag(etag) is None
    assert md5_in_etag(f'"{"0" * 32}"') == Checksum("md5", "0" * 32)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("en-es", ("en", "es")),
        ("es-en", ("es", "en")),
        ("eng-spa", ("eng", "spa")),
        ("en-GB-es", ("en-GB", "es")),
        ("en-zh-Hant-TW", ("en", "zh-Hant-TW")),
        ("en-pt_br", ("en", "pt_br")),
        ("en-toki", ("en", "toki")),
    ],
)
def test_a_pair_is_split_where_the_second_language_begins(text: str, pair: tuple[str, str]) -> None:
    assert parse_pair(text) == pair


@pytest.mark.parametrize(
    "text", ["", "enes", "en", "en-", "-es", "en--es", "en-es-fr", "EN-ES", "en_es", "../-es", "en-e/s"]
)
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a language pair like en-es, got"):
        parse_pair(text)


def test_codes_are_tried_as_given_and_then_shorter() -> None:
    assert possible_codes("en") == ["en"]
    assert possible_codes("eng") == ["eng", "en"]
    assert possible_codes("en-GB") == ["en-GB", "en_GB", "en"]
    assert possible_codes("no such code!") == ["no such code!"]
    assert possible_pairs("es", "en") == [("en", "es")]
    assert possible_pairs("deu", "eng") == [("deu", "eng"), ("deu", "en"), ("de", "eng"), ("de", "en")]


def test_a_part_of_a_set_is_found_by_any_of_its_names() -> None:
    bucc, tatoeba = find_set("bucc18"), find_set("tatoeba")
    assert [bucc.find_part(text) for text in ("de-en", "en-de", "deu-eng", "de")] == ["de-en"] * 4
    assert [tatoeba.find_part(text) for text in ("spa", "es", "spa-eng", "es-en", "en-es")] == ["spa-eng"] * 5
    with pytest.raises(UsageError, match="bucc18 has no part es-en") as problem:
        bucc.find_part("es-en")
    assert problem.value.hint == "it has de-en, fr-en, ru-en, zh-en"
    with pytest.raises(UsageError, match="tatoeba has no part en"):
        tatoeba.find_part("en")
    with pytest.raises(UsageError, match="sts12 has no parts"):
        find_set("sts12").find_part("en-es")


def test_the_sets_are_all_there_with_distinct_files() -> None:
    names = [one.name for one in EVALUATION_SETS]
    assert names == ["sts12", "sts13", "sts14", "sts15", "sts16", "sts17", "stsb", "bucc18", "tatoeba", "flores"]
    assert len(find_set("tatoeba").parts) == 112
    for one in EVALUATION_SETS:
        assert one.title
        assert one.licence
        assert len({file.name for file in one.files}) == len(one.files)
        assert all(file.url.startswith(("http://", "https://")) for file in one.files)
