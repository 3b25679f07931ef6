"""Cleaning real text: good pairs stay, and those that were spoilt on purpose go."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from calque.cli import main
from calque.corpus import Pair, read_bitext
from calque.corpus.cleaning import Report
from calque.tasks.clean import clean

pytestmark = pytest.mark.data
BITEXTS = ["tatoeba.en-es", "europarl.en-de"]
CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстувшьуз")
DIGITS = str.maketrans("123456789", "234567891")


@pytest.fixture(scope="module", params=BITEXTS)
def pairs(request: pytest.FixtureRequest, real_data: Path) -> list[Pair]:
    return list(islice(read_bitext(real_data / "bitext" / f"{request.param}.tsv.xz"), 20_000))


@pytest.fixture
def languages(request: pytest.FixtureRequest) -> list[str]:
    return str(request.node.callspec.params["pairs"]).rpartition(".")[2].split("-")


def test_good_pairs_are_kept(pairs: list[Pair], languages: list[str], tmp_path: Path) -> None:
    bitext, out = tmp_path / "good.tsv", tmp_path / "kept.tsv"
    bitext.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
    main(["corpus", "clean", str(bitext), "--languages", *languages, "--preset", "strict", "-o", str(out)])
    kept = list(read_bitext(out))
    assert len(kept) >= 0.95 * len(pairs)
    assert not {*kept} - {*pairs}  # in the order of the file, and none changed
    places = {pair: at for at, pair in enumerate(pairs)}
    assert [places[pair] for pair in kept] == sorted(places[pair] for pair in kept)


def numbers(text: str) -> int:
    return len(re.findall("[1-9]", text))


def letters(text: str) -> int:
    return sum(map(str.isalpha, text))


SPOILT: dict[str, tuple[Callable[[Pair], Pair], Callable[[Pair], bool]]] = {
    "empty": (lambda pair: Pair(pair.source, " \u00a0"), lambda pair: True),
    "control-characters": (
        lambda pair: Pair(pair.source[:5] + "\ufffd" + pair.source[5:], pair.target),
        lambda pair: True,
    ),
    "length-ratio": (
        lambda pair: Pair(pair.source, pair.target[: len(pair.target) // 5]),
        lambda pair: min(map(len, pair)) > 60,
    ),
    "identical": (lambda pair: Pair(pair.source, pair.source.upper()), lambda pair: True),
    "wrong-script": (lambda pair: Pair(pair.source, pair.target.lower().translate(CYRILLIC)), lambda pair: True),
    "numbers": (
        lambda pair: Pair(pair.source, pair.target.translate(DIGITS)),
        lambda pair: min(map(numbers, pair)) > 2,
    ),
    "wrong-language": (lambda pair: Pair(pair.target, pair.source), lambda pair: min(map(letters, pair)) > 30),
}


@pytest.mark.parametrize("rule", SPOILT)
def test_spoilt_pairs_are_dropped_and_by_the_rule_that_is_meant_to(
    pairs: list[Pair], languages: list[str], rule: str
) -> None:
    spoil, applies = SPOILT[rule]
    spoilt = [spoil(pair) for pair in pairs if applies(pair)][:2000]
    assert len(spoilt) > 50
    report = Report()
    list(clean(spoilt, "strict", languages=languages, report=report))
    assert report.kept <= 0.1 * len(spoilt)
    assert report.dropped[rule].count >= 0.85 * len(spoilt)


def shouted(text: str) -> str:
    return "".join(each.upper() if each != "ß" else each for each in f"– {text}!")


@pytest.mark.parametrize(("rule", "change"), [("duplicate", str), ("near-duplicate", shouted)])
def test_repeated_pairs_are_dropped(
    pairs: list[Pair], languages: list[str], rule: str, change: Callable[[str], str]
) -> None:
    repeated = [*pairs, *(Pair(change(pair.source), change(pair.target)) for pair in pairs)]
    report = Report()
    without = ["wrong-language"]  # takes longest
    list(clean(repeated, "strict", languages=languages, without=without, report=report))
    assert report.dropped[rule].count >= 0.9 * len(pairs)
    assert report.kept <= len(pairs)
