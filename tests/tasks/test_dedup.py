"""calque.dedup: which texts to keep, and the evidence for those that go."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import calque
from calque import Model
from calque.corpus import read_bitext
from calque.deduplication import groups as module
from calque.demo import sentences
from calque.errors import UsageError

ENGLISH = sentences()["en"][:60]


def test_repeats_go_and_the_first_stays(small_model: Model) -> None:
    lines = [*ENGLISH[:3], ENGLISH[0], ENGLISH[1].upper() + "!"]
    found = calque.dedup(lines, small_model, threshold=0.999)
    assert found.kept == [0, 1, 2]
    assert [(group.kept.line, [line.line for line in group.dropped]) for group in found.groups] == [(0, [3]), (1, [4])]
    assert all(line.same for group in found.groups for line in group.dropped)
    assert found.groups[0].dropped[0].similarity == pytest.approx(1)


TURNED = [
    "You must close the door.",
    "You must not close the door.",
    "You must open the door.",
    "You must close 2 doors.",
]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_a_negation_an_opposite_and_a_number_keep_a_near_line(small_model: Model, keep: str) -> None:
    found = calque.dedup(TURNED, small_model, threshold=0.1, keep=keep)
    assert found.kept == [0, 1, 2, 3]
    assert {spared.reason for spared in found.spared} == {"negation", "opposite", "number"}
    for spared in found.spared:
        assert (spared.line.texts, spared.beside.texts) == ((TURNED[spared.line.line],), (TURNED[spared.beside.line],))
        assert spared.line.similarity == pytest.approx(
            small_model.similarity(*spared.beside.texts, *spared.line.texts), abs=1e-5
        )


def test_they_go_if_asked_for(small_model: Model) -> None:
    found = calque.dedup(TURNED, small_model, threshold=0.1, drop_opposites=True)
    assert (found.kept, [spared.reason for spared in found.spared]) == ([0, 3], ["number"])
    found = calque.dedup(TURNED, small_model, threshold=0.1, drop_opposites=True, ignore_numbers=True)
    assert (found.kept, found.spared) == ([0], [])
    found = calque.dedup(TURNED, small_model, threshold=0.1, ignore_numbers=True)
    assert found.kept == [0, 1, 2]  # the last may still not follow the second and the third


def test_a_spared_line_leads_others_and_follows_those_that_say_the_same(small_model: Model) -> None:
    lines = ["The dog runs home.", "The dog never runs home.", "The dog doesn't run home.", "A dog runs home."]
    found = calque.dedup(lines, small_model, threshold=0.1)
    assert [(group.kept.line, [line.line for line in group.dropped]) for group in found.groups] == [(0, [3]), (1, [2])]
    assert [(spared.line.line, spared.beside.line) for spared in found.spared] == [(1, 0)]


def test_the_language_says_which_lists_count(small_model: Model) -> None:
    lines = ["The dog runs home.", "The dog runs home nicht."]
    assert calque.dedup(lines, small_model, threshold=0.1).kept == [0, 1]
    assert calque.dedup(lines, small_model, threshold=0.1, languages=["en"]).kept == [0]


def test_the_same_letters_with_another_number_are_told_apart(small_model: Model) -> None:
    lines = ["It is 1.5 m long.", "It is 15 m long.", "It is -15 m long.", "it is 15 m LONG!"]
    assert calque.dedup(lines, small_model, threshold=0.1).kept == [0, 1, 2]
    assert calque.dedup(["Costs 250", "costs 250!"], small_model).kept == [0]


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95])
def test_what_is_dropped_is_near_to_what_is_kept_and_nothing_kept_is_near(
    small_model: Model, keep: str, threshold: float
) -> None:
    lines = [line for language in ("en", "es", "de") for line in sentences()[language][:60]]
    found = calque.dedup(lines, small_model, threshold=threshold, keep=keep, ignore_numbers=True, drop_opposites=True)
    dropped = [line for group in found.groups for line in group.dropped]
    assert sorted([*found.kept, *(line.line for line in dropped)]) == list(range(len(lines)))
    for group in found.groups:
        assert group.kept.line in found.kept
        for line in group.dropped:
            assert line.texts == (lines[line.line],)
            assert line.same or line.similarity >= threshold - 1e-5
            assert line.similarity == pytest.approx(small_model.similarity(*group.kept.texts, *line.texts), abs=1e-5)
    vectors = small_model.encode([lines[at] for at in found.kept], normalize=True)
    cosines = vectors @ vectors.T - 2 * np.eye(len(vectors))
    assert cosines.max() < threshold


def test_the_longest_stays_if_asked_for(small_model: Model) -> None:
    lines = ["A dog runs.", "A dog runs and runs.", "A dog runs and runs and runs."]
    assert calque.dedup(lines, small_model, threshold=0.3).kept == [0]
    assert calque.dedup(lines, small_model, threshold=0.3, keep="longest").kept == [2]


def test_lines_whose_digits_differ_stay_unless_numbers_are_ignored(small_model: Model) -> None:
    lines = ["The dog has 3 cats in the house.", "The dog has 5 cats in the house."]
    assert calque.dedup(lines, small_model, threshold=0.1).kept == [0, 1]
    assert calque.dedup(lines, small_model, threshold=0.1, ignore_numbers=True).kept == [0]


def test_blank_lines_stay(small_model: Model) -> None:
    assert calque.dedup(["", "A dog.", " ", "", "A dog."], small_model).kept == [0, 1, 2, 3]
    assert calque.dedup([], small_model).kept == []


def test_of_pairs_both_sides_must_be_alike(small_model: Model) -> None:
    pairs = [("A dog runs.", "Un perro corre."), ("A dog runs.", "El gato duerme."), ("a dog runs", "un perro corre")]
    found = calque.dedup(pairs, small_model, threshold=0.99)
    assert found.kept == [0, 1]
    ((kept, (dropped,)),) = found.groups
    assert (kept.texts, dropped.texts) == (pairs[0], pairs[2])
    cosines = [small_model.similarity(one, two) for one, two in zip(pairs[0], pairs[2], strict=True)]
    assert dropped.similarity == pytest.approx(min(cosines), abs=1e-5)


def test_groups_are_the_same_however_many_are_read_at_once(small_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ENGLISH * 3
    whole = calque.dedup(lines, small_model, threshold=0.7).groups
    monkeypatch.setattr(module, "_MEMBERS", 5)
    parts = calque.dedup(lines, small_model, threshold=0.7).groups
    assert [group.kept[:2] for group in parts] == [group.kept[:2] for group in whole]
    assert [[line.line for line in group.dropped] for group in parts] == [
        [line.line for line in group.dropped] for group in whole
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "threshold: expected more than 0 and at most 1, got 0"),
        ({"threshold": 1.5}, "threshold: expected more than 0 and at most 1, got 1.5"),
        ({"threshold": float("nan")}, "threshold"),
        ({"keep": "shortest"}, "keep: expected one of first, longest, got shortest"),
        ({"languages": ["fi"]}, "not fi"),
    ],
)
def test_mistakes_of_options(small_model: Model, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        calque.dedup(["a", "b"], small_model, **options)  # type: ignore[arg-type]


def test_one_text_is_no_list_of_letters(small_model: Model) -> None:
    with pytest.raises(UsageError, match="got one str"):
        calque.dedup("one line\nanother", small_model)


def test_texts_and_pairs_do_not_mix(small_model: Model) -> None:
    with pytest.raises(UsageError, match="texts, or pairs of texts"):
        calque.dedup(["a", ("b", "c")], small_model)  # type: ignore[list-item]


def test_separate_vocabularies_need_a_language(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = {"vocabulary": "word", "sharing": "separate-unshared", "dimension": 8, "epochs": 1, "threads": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    assert calque.dedup(["A dog runs.", "A dog runs!"], model, languages=["en"]).kept == [0]
    with pytest.raises(UsageError, match="language is needed"):
        calque.dedup(["A dog runs."], model)
    with pytest.raises(UsageError, match="expected 1 language for texts, got 2"):
        calque.dedup(["A dog runs."], model, languages=["en", "es"])


@pytest.mark.data
def test_shouted_copies_of_real_lines_go_where_the_line_itself_stays(real_data: Path, small_model: Model) -> None:
    lines = [pair.source for pair in islice(read_bitext(real_data / "bitext" / "tatoeba.en-es.tsv.xz"), 5000)]
    found = calque.dedup([*lines, *(f"– {line.upper()}" for line in lines)], small_model)
    kept = set(found.kept)
    assert not [at for at in kept if at - 5000 in kept]
    assert len(kept) <= 5000
