"""Bitext from OPUS: found by its API, whatever the order and codes of the languages, and fetched as a Moses zip."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from calque.corpus.download.network import Network
from calque.corpus.download.opus import pair_files
from calque.errors import CorpusError, UsageError
from calque.tasks.download import Offer, download, offers
from corpus.download.server import API, STORE, Behaviour, Server, cut_short, sends, status, web_page

ENGLISH, SPANISH, GERMAN = "A dog.\nA cat.\n", "Un perro.\nUn gato.\n", "Ein Hund.\nEine Katze.\n"
LATEST = "Tatoeba.v2023-04-12.en-es.txt.zip"


@pytest.fixture
def opus(server: Server) -> Server:
    server.add_opus("Tatoeba", "v2023-04-12", "en-es", {"en": ENGLISH, "es": SPANISH})
    server.add_opus("Tatoeba", "v2", "en-es", {"en": "A dog.\n", "es": "Un perro.\n"}, latest=False)
    server.add_opus("Tatoeba", "v2023-04-12", "de-en", {"de": GERMAN, "en": ENGLISH})
    server.add_opus("Tatoeba", "v2", "de-es", {"de": GERMAN, "es": SPANISH}, latest=False)
    server.add_opus("GNOME", "v1", "en_GB-es", {"en_GB": ENGLISH, "es": SPANISH})
    return server


def get(server: Server, what: str, pair: str | None, folder: Path, **options: object) -> Path:
    [path] = download(what, pair, cache=folder, mirrors=[server.mirror], **options)  # type: ignore[arg-type]
    return path


def text_of(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


def test_the_latest_release_comes_into_the_cache(opus: Server, tmp_path: Path) -> None:
    path = get(opus, "opus/Tatoeba", "en-es", tmp_path)
    assert path == tmp_path / "opus" / LATEST
    assert text_of(path, "Tatoeba.en-es.es") == SPANISH


def test_another_release_and_another_folder_can_be_named(opus: Server, tmp_path: Path) -> None:
    path = get(opus, "opus/Tatoeba", "en-es", tmp_path, release="v2", out=tmp_path / "here" / "and now")
    assert path == tmp_path / "here" / "and now" / "Tatoeba.v2.en-es.txt.zip"
    assert text_of(path, "Tatoeba.en-es.es") == "Un perro.\n"


@pytest.mark.parametrize("pair", ["en-es", "es-en", "eng-spa", "spa-eng", "en-ES-es", "en-spa"])
def test_the_order_and_the_length_of_codes_do_not_matter(opus: Server, tmp_path: Path, pair: str) -> None:
    assert get(opus, "opus/Tatoeba", pair, tmp_path).name == LATEST


def test_a_code_is_tried_as_given_before_it_is_made_shorter(opus: Server, tmp_path: Path) -> None:
    opus.add_opus("GNOME", "v1", "en-es", {"en": ENGLISH, "es": SPANISH})
    assert get(opus, "opus/GNOME", "es-en-GB", tmp_path).name == "GNOME.v1.en_GB-es.txt.zip"
    assert get(opus, "opus/GNOME", "es-en-US", tmp_path).name == "GNOME.v1.en-es.txt.zip"


def test_what_will_be_fetched_is_told_before_it_is(opus: Server, tmp_path: Path) -> None:
    path = f"{STORE}/OPUS-Tatoeba/v2023-04-12/moses/en-es.txt.zip"
    told: list[tuple[list[Offer], int]] = []
    get(
        opus,
        *("opus/Tatoeba", "en-es", tmp_path),
        announce=lambda offers: told.append((offers, len(opus.ranges(path)))),
    )
    [(announced, fetches)] = told
    assert fetches == 0
    assert announced == [
        Offer(
            "opus/Tatoeba",
            pair="en-es",
            release="v2023-04-12",
            pairs=2,
            size=None,  # less than OPUS counts in
            licence="CC BY 2.0 FR",
            address=f"https://{path}",
        )
    ]
    told.clear()
    get(opus, "opus/Tatoeba", "en-es", tmp_path, announce=lambda offers: told.append((offers, 0)))
    assert told == []


def test_a_named_release_that_is_there_needs_no_network(opus: Server, tmp_path: Path) -> None:
    path = get(opus, "opus/Tatoeba", "es-en", tmp_path, release="v2")
    again = download("opus/Tatoeba", "eng-spa", release="v2", cache=tmp_path, mirrors=["http://127.0.0.1:9"])
    assert again == [path]


def test_a_mirror_of_files_alone_will_do_for_a_named_release(opus: Server, tmp_path: Path) -> None:
    opus.always[API] = status(404)
    assert get(opus, "opus/Tatoeba", "es-en", tmp_path, release="v2023-04-12").name == LATEST
    with pytest.raises(CorpusError, match="no such file") as problem:
        get(opus, "opus/Tatoeba", "de-en", tmp_path)
    assert "with --release, a file is fetched even where OPUS's API does not answer" in str(problem.value.hint)


@pytest.mark.parametrize(
    ("what", "pair", "release", "message", "hint"),
    [
        ("opus/Tatoebaa", "en-es", None, "OPUS has no corpus Tatoebaa", "did you mean Tatoeba? "),
        ("opus/gnome", "en-es", None, "OPUS has no corpus gnome", "did you mean GNOME? "),
        ("opus/Qqqqqq", "en-es", None, "OPUS has no corpus Qqqqqq", "`calque corpus download opus` lists all"),
        ("opus/Tatoeba", "en-fi", None, "opus/Tatoeba has no pair en-fi", "it has en with de, es"),
        ("opus/Tatoeba", "fi-eng", None, "opus/Tatoeba has no pair fi-eng", "it has en with de, es"),
        ("opus/Tatoeba", "fi-sv", None, "opus/Tatoeba has no pair fi-sv", "its languages are de, en"),
        ("opus/Tatoeba", "en-es", "v3", "opus/Tatoeba has no en-es in release v3", "one of: v2023-04-12, v2"),
        ("opus/Tatoeba", "de-es", None, "opus/Tatoeba has no de-es in release latest", "one of: v2"),
        ("opus/Tatoeba", "enes", None, "expected a language pair like en-es, got 'enes'", "two language codes"),
        ("opus/Tatoeba", None, None, "opus/Tatoeba: no language pair given", "opus/Tatoeba --list"),
        ("opus/../x", "en-es", None, "expected the name of a corpus of OPUS, got '../x'", "like opus/Tatoeba"),
        ("opus/", "en-es", None, "expected the name of a corpus of OPUS, got ''", "like opus/Tatoeba"),
        ("opus/Tatoeba", "en-es", "../v1", "expected the name of a release, got '../v1'", "--release"),
        ("stsbb", None, None, "nothing to download is called stsbb", "did you mean stsb"),
        ("Europarl", "en-es", None, "nothing to download is called Europarl", "called like opus/Europarl"),
        ("sts12", None, "v1", "--release: sts12 has none", "only corpora of OPUS"),
    ],
)
def test_what_there_is_not_is_answered_with_what_there_is(
    opus: Server, tmp_path: Path, what: str, pair: str | None, release: str | None, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as problem:
        get(opus, what, pair, tmp_path / "cache", release=release)
    assert problem.value.message == message
    assert hint in (problem.value.hint or "")
    assert not (tmp_path / "cache").exists()


ANSWERS: dict[str, tuple[Behaviour, str]] = {
    "broken JSON": (sends(b'{"corpora": ['), "expected JSON, got '{\"corpora\": ['"),
    "no UTF-8": (sends(b"\xff\xfe\xff"), "expected JSON, got "),
    "deep JSON": (sends(b"[" * 200_000), "expected JSON, got '[[["),
    "a list": (sends(b"[1, 2]"), "expected a JSON object, got '[1, 2]'"),
    "nothing in it": (sends(b"{}"), "expected a list of files, got 'None'"),
    "other rows": (sends(b'{"corpora": [1]}'), "expected a file with its address, got 1"),
    "no address": (sends(b'{"corpora": [{"corpus": "A"}]}'), "expected a file with its address, got {'corpus': 'A'}"),
    "web page": (web_page(), "expected JSON, got '<!DOCTYPE html>"),
    "compressed": (sends(b"", Content_Encoding="gzip"), "compressed, though none such was asked for"),
    "cut short": (cut_short(3), "was cut short: 3 of 10 bytes came, at 5 attempts"),
    "too busy": (status(503), "the server answers 503 Service Unavailable, at 5 attempts"),
}


@pytest.mark.parametrize(("behaviour", "message"), ANSWERS.values(), ids=ANSWERS)
def test_an_api_that_answers_nonsense_is_an_error(
    opus: Server, tmp_path: Path, behaviour: Behaviour, message: str
) -> None:
    opus.files[API] = b"0123456789"
    opus.always[API] = behaviour
    with pytest.raises(CorpusError) as problem:
        get(opus, "opus/Tatoeba", "en-es", tmp_path / "cache")
    assert message in problem.value.message
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"corpus": "../../x"},
        {"version": "a/b"},
        {"source": ".."},
        {"target": "e\n"},
        {"url": "file:///etc/passwd"},
        {"url": None},
    ],
    ids=str,
)
def test_an_api_that_lies_cannot_lead_out_of_the_folder(
    opus: Server, tmp_path: Path, change: dict[str, object]
) -> None:
    row = opus.opus[0] | change
    opus.answer_question = lambda question: {"corpora": [row]}  # type: ignore[method-assign]
    with pytest.raises(CorpusError, match="expected a file with its address"):
        get(opus, "opus/Tatoeba", "en-es", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_numbers_that_opus_does_not_know_are_left_open(opus: Server) -> None:
    opus.opus[:] = [opus.opus[0] | {"size": "", "alignment_pairs": "1019003"}, opus.opus[0] | {"target": ""}]
    opus.answer_question = lambda question: {"corpora": opus.opus}  # type: ignore[method-assign]
    [file] = pair_files(Network((opus.mirror,)), "Tatoeba", ("en", "es"))
    assert (file.size, file.pairs) == (None, 1019003)


def test_an_api_that_fails_for_once_is_asked_again(opus: Server, tmp_path: Path) -> None:
    opus.files[API] = b"0123456789"
    opus.misdeeds[API] = [status(500), cut_short(4)]
    assert get(opus, "opus/Tatoeba", "en-es", tmp_path).name == LATEST


def test_all_levels_can_be_listed(opus: Server) -> None:
    def listed(*arguments: str, **options: str) -> list[tuple[str, str | None, str | None]]:
        found = offers(*arguments, mirrors=[opus.mirror], **options)  # type: ignore[arg-type]
        return [(offer.what, offer.pair, offer.release) for offer in found]

    assert listed()[:2] == [("opus/CORPUS", None, None), ("sts12", None, None)]
    assert listed("opus") == [("opus/GNOME", None, None), ("opus/Tatoeba", None, None)]
    assert listed("opus/Tatoeba") == [
        ("opus/Tatoeba", "de-en", "v2023-04-12"),
        ("opus/Tatoeba", "en-es", "v2023-04-12"),
    ]
    assert listed("opus/Tatoeba", release="v2") == [("opus/Tatoeba", "de-es", "v2"), ("opus/Tatoeba", "en-es", "v2")]
    assert listed("opus/Tatoeba", "es-en") == [
        ("opus/Tatoeba", "en-es", "v2023-04-12"),
        ("opus/Tatoeba", "en-es", "v2"),
    ]
    assert listed("opus/Tatoeba", "es-en", release="v2") == [("opus/Tatoeba", "en-es", "v2")]
    with pytest.raises(UsageError, match="opus/Tatoeba has no release v9") as problem:
        listed("opus/Tatoeba", release="v9")
    assert problem.value.hint == "--release takes one of: v2, v2023-04-12"
    assert not [seen for seen in opus.seen if seen.path.startswith(STORE)]
