"""Alignment scored: worked by hand, and against Vecalign's definition put in plain sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lookup import Lookup

import calque
from calque.demo import sentences
from calque.evaluation.alignment import MEASURES, _result, count_blocks, measure_alignment
from calque.evaluation.evaluate import evaluate
from calque.evaluation.sets.documents import Block, DocumentPair
from calque.evaluation.subject import Subject
from evaluation.sets.files import lines, put

SUBJECT = Lookup({"x": [1]}).subject


def pair(sources: int, gold: Sequence[Block], name: str = "dev") -> DocumentPair:
    return DocumentPair(name, None, ["x"] * sources, ["x"], list(gold))


def scores(sources: int, gold: Sequence[Block], found: Sequence[Block]) -> dict[str, float]:
    return dict(_result(SUBJECT, "alignment:dev", count_blocks(pair(sources, gold), found), 1, 0).values)


def test_by_hand() -> None:
    gold: list[Block] = [((0,), (0,)), ((1,), (1, 2)), ((2, 3), (3,)), ((4,), (4,)), ((5,), ())]
    found: list[Block] = [((0,), (0,)), ((1,), (1,)), ((), (2,)), ((2, 3), (3,)), ((4,), ()), ((5,), (4,))]
    # Strict, 2 of the 6 found and of the gold's 4. Lax, (1):(1) is right too, and (1):(1, 2) is found.
    assert scores(6, gold, found) == pytest.approx(
        {
            "precision": 100 * 2 / 6,
            "recall": 100 * 2 / 4,
            "f1": 40,
            "lax_precision": 100 * 3 / 6,
            "lax_recall": 100 * 3 / 4,
            "lax_f1": 60,
        }
    )


def test_a_sentence_rightly_left_out_counts_for_precision_only() -> None:
    gold: list[Block] = [((0,), (0,)), ((1,), ()), ((), (1,))]
    assert scores(2, gold, gold) == dict.fromkeys(MEASURES, 100)
    missed = scores(2, gold, [((0,), (0,)), ((1,), (1,))])
    assert (missed["precision"], missed["recall"]) == (50, 100)


def test_nothing_right_is_zero() -> None:
    assert scores(2, [((0,), (0,))], [((0,), ()), ((1,), (0,))]) == dict.fromkeys(MEASURES, 0)


def monotone(draw: np.random.Generator) -> list[Block]:
    """Blocks in order over twelve sentences a side, a few left out; the last ones may be missing."""
    blocks: list[Block] = []
    row = column = 0
    while row < 11 and column < 11:
        one, two = draw.integers(0, 3, 2).tolist()
        if one or two:
            blocks.append((tuple(range(row, row + one)), tuple(range(column, column + two))))
        row, column = row + one, column + two
    return blocks


def vecalign(gold: list[Block], found: list[Block], lax: bool) -> tuple[float, float]:
    """Precision and recall from all pairs of blocks."""

    def right(block: Block, others: list[Block]) -> bool:
        return block in others or (lax and any(set(block[0]) & set(a) and set(block[1]) & set(b) for a, b in others))

    whole, full = ([block for block in blocks if all(block)] for blocks in (found, gold))
    return (
        100 * np.mean([right(block, gold) for block in found]),
        100 * np.mean([right(block, whole) for block in full]),
    )


@given(seed=st.integers(0, 1 << 20))
@settings(max_examples=150)
def test_scores_are_vecaligns(seed: int) -> None:
    draw = np.random.default_rng(seed)
    gold, found = [((0,), (0,)), *monotone(draw)[1:]], monotone(draw) or [((0,), (0,))]
    values = scores(13, gold, found)
    assert (values["precision"], values["recall"]) == pytest.approx(vecalign(gold, found, lax=False))
    assert (values["lax_precision"], values["lax_recall"]) == pytest.approx(vecalign(gold, found, lax=True))


def orthogonal(count: int) -> Subject:
    """Sentences s0, s1, … and t0, t1, …, of which those of one number are the same and all others are unrelated."""
    rows = np.eye(count)
    return Lookup({f"{side}{at}": rows[at] for side in "st" for at in range(count)}).subject


def numbered(name: str, sources: Sequence[int], targets: Sequence[int], gold: list[Block]) -> DocumentPair:
    return DocumentPair(name, None, [f"s{at}" for at in sources], [f"t{at}" for at in targets], gold)


def test_documents_of_one_name_are_pooled_and_not_averaged() -> None:
    perfect: list[Block] = [((at,), (at,)) for at in range(3)]
    wrong: list[Block] = [((0,), (1,))]
    pairs = [
        numbered("dev", [0, 1, 2], [0, 1, 2], perfect),
        numbered("test0", [0, 1, 2], [0, 1, 2], perfect),
        numbered("test1", [3, 4], [3, 4], wrong),
    ]
    results = {each.name: each for each in measure_alignment(orthogonal(5), "alignment", pairs, 50)}
    assert list(results) == ["alignment:dev", "alignment:test0", "alignment:test1", "alignment:test"]
    assert [each.n for each in results.values()] == [3, 3, 2, 5]
    assert results["alignment:test0"].values["f1"] == 100
    assert results["alignment:test1"].values["f1"] == 0
    pooled = results["alignment:test"]
    assert (pooled.values["precision"], pooled.values["recall"]) == pytest.approx((60, 75))
    assert pooled.notes == {"gold": 4, "found": 5, "documents": 2}
    assert pooled.signature == "alignment:test|n:5|lookup"
    low, high = pooled.intervals["f1"]
    assert low < pooled.values["f1"] < high


def test_one_document_is_not_pooled() -> None:
    found = measure_alignment(orthogonal(2), "alignment", [numbered("test0", [0, 1], [0, 1], [((0,), (0,))])], 0)
    assert [each.name for each in found] == ["alignment:test0"]


def test_a_trained_model_aligns_what_it_knows(small_model: calque.Model, tmp_path: Path) -> None:
    english, spanish = sentences()["en"][:60], sentences()["es"][:60]
    merged = [f"{spanish[0]} {spanish[1]}", *spanish[2:]]
    gold = ["[0, 1]:[0]", *(f"[{at}]:[{at - 1}]" for at in range(2, 60))]
    put(tmp_path, {"demo.en": lines(*english), "demo.es": lines(*merged), "demo.enes": lines(*gold)})
    found = evaluate(small_model, "alignment", tmp_path, resamples=20)
    described: dict[str, Any] = found.as_dict()["results"][0]
    assert described["name"] == "alignment:demo"
    assert described["n"] == 60
    assert described["f1"] > 95
    assert described["intervals"].keys() == set(MEASURES)
    assert described["signature"] == small_model.signature("alignment:demo", 60)
