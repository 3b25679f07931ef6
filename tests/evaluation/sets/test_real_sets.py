"""The real evaluation data, counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from calque.evaluation.sets.aligned import find_retrieval, find_tatoeba
from calque.evaluation.sets.bucc import find_bucc
from calque.evaluation.sets.sts import find_sts, find_sts17, find_stsb

pytestmark = pytest.mark.data


@pytest.fixture(params=["", "eval", "eval/SUITE"])
def place(request: pytest.FixtureRequest, real_data: Path) -> Path:
    """Everything, the evaluation data, or the suite's own folder."""
    return real_data / str(request.param)


def of(place: Path, suite: str) -> Path:
    return place.with_name(suite) if place.name == "SUITE" else place


def test_sts_2012_to_2016(place: Path) -> None:
    found = find_sts(of(place, "sts"))
    assert Counter(one.group for one in found) == {"2012": 5, "2013": 3, "2014": 6, "2015": 5, "2016": 5}
    pairs = Counter[str]()
    for one in found:
        assert one.name.startswith(f"{one.group}.")
        assert len(one.gold) == len(one.first) == len(one.second)
        pairs[one.group] += len(one.gold)
    assert pairs == {"2012": 3108, "2013": 1500, "2014": 3750, "2015": 3000, "2016": 1186}


def test_sts_2017(place: Path) -> None:
    found = {one.name: one for one in find_sts17(of(place, "sts17"))}
    assert [len(one.gold) for one in found.values()] == [250] * 7
    for one in found.values():
        assert one.languages is not None
        for language, sentences in zip(one.languages, (one.first, one.second), strict=True):
            arabic = sum("\u0600" <= letter <= "\u06ff" for sentence in sentences for letter in sentence)
            assert (arabic > 1000) == (language == "ar"), one.name
    for name, columns in {"track4a.es-en": (1, 0), "track4b.es-en": (0, 1), "track6.tr-en": (0, 1)}.items():
        sides = (found[name].first, found[name].second)
        foreign = [sum(letter.isalpha() and not letter.isascii() for letter in "".join(side)) for side in sides]
        assert tuple(int(count > 100) for count in foreign) == columns, name


def test_the_sts_benchmark(place: Path) -> None:
    found = {one.name: len(one.gold) for one in find_stsb(of(place, "stsb"))}
    assert len(found) == 16
    assert found.pop("en-train") == 5749
    assert set(found.values()) == {1500}


def test_tatoeba(place: Path) -> None:
    found = find_tatoeba(of(place, "tatoeba"))
    assert len(found) == 112
    assert all(one.languages and one.languages[1] == "en" for one in found)
    assert {one.name: len(one.source) for one in found}["deu-eng"] == 1000


def test_bucc(place: Path) -> None:
    [one] = find_bucc(of(place, "bucc"))
    assert (one.name, one.languages) == ("de-en.sample", ("de", "en"))
    assert (len(one.source), len(one.target), len(one.gold)) == (32_593, 40_354, 1_038)


def test_flores(place: Path) -> None:
    found = find_retrieval(of(place, "flores200-dev"))
    languages = ["deu_Latn", "fra_Latn", "hin_Deva", "rus_Cyrl", "spa_Latn"]
    assert [one.name for one in found] == [f"{language}-eng_Latn" for language in languages]
    assert {len(one.source) for one in found} == {997}
