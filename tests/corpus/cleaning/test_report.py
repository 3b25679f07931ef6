"""What cleaning tells: every pair is kept or dropped by one rule, and a few examples of each."""

from __future__ import annotations

import json
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st

from calque.batches import regrouped
from calque.corpus import Pair
from calque.corpus.cleaning import Report, choose_rules, clean_batches
from calque.corpus.cleaning.report import EXAMPLES
from strategies import texts


def cleaned(pairs: list[Pair], preset: str = "strict", report: Report | None = None, threads: int = 1) -> Report:
    report = report or Report()
    cleaning = choose_rules(preset, without=["wrong-language"])
    kept = [
        pair
        for batch in clean_batches([pairs], cleaning, report, languages=("en", "es"), threads=threads)
        for pair in batch
    ]
    assert report.kept == len(kept)
    return report


@given(
    st.lists(st.builds(Pair, texts, texts) | st.sampled_from([Pair("a b", "c d"), Pair("cafÃ©", "x y")]), max_size=30)
)
@settings(max_examples=60)
def test_counts_add_up_whatever_the_text(pairs: list[Pair]) -> None:
    report = cleaned(pairs)
    assert report.read == len(pairs) == report.kept + sum(counted.count for counted in report.dropped.values())
    for counted in report.dropped.values():
        assert len(counted.examples) == min(counted.count, EXAMPLES)
    assert json.loads(json.dumps(report.as_dict())) == report.as_dict()


def test_the_first_rule_that_does_not_accept_a_pair_is_the_one_that_drops_it() -> None:
    pairs = [Pair("", ""), Pair("", ""), Pair("same", "same"), Pair("\x00" * 2000, "x")]
    dropped = cleaned(pairs).dropped
    assert {name: counted.count for name, counted in dropped.items() if counted.count} == {"empty": 3, "identical": 1}


def test_examples_are_the_first_few_cut_short() -> None:
    pairs = [Pair("x" * 400 + str(number), "") for number in range(5)]
    counted = cleaned(pairs).dropped["empty"]
    assert counted.count == 5
    assert counted.examples == [("x" * 300 + "…", "")] * 3


def test_mended_pairs_are_shown_before_and_after_and_kept() -> None:
    report = cleaned([Pair("cafÃ© con leche", "milk coffee"), Pair("a dog", "un perro")])
    assert (report.read, report.kept, report.repaired.count) == (2, 2, 1)
    assert report.repaired.examples == [("cafÃ© con leche", "milk coffee", "café con leche", "milk coffee")]


def test_every_rule_is_in_the_report_even_if_it_drops_nothing() -> None:
    report = cleaned([Pair("a dog", "un perro")], "light")
    assert list(report.dropped) == [rule.name for rule in choose_rules("light").rules]
    assert report.as_dict()["dropped"]["duplicate"] == {"count": 0, "examples": []}


def test_one_report_can_count_several_corpora() -> None:
    report = Report()
    cleaned([Pair("", "x")], report=report)
    kept_before = report.kept
    for _ in clean_batches([[Pair("", "x"), Pair("a b", "c d")]], choose_rules("light"), report):
        pass
    assert (report.read, report.kept - kept_before, report.dropped["empty"].count) == (3, 1, 2)


def test_the_report_is_up_to_date_with_every_batch() -> None:
    many = [[Pair(f"a {'x' * (number % 9)}{number}", f"b {number}") for number in range(20_000)]] * 2
    report = Report()
    read = [report.read for _ in clean_batches(many, choose_rules("none"), report)]
    assert read == [20_000, 40_000]


@given(st.lists(st.lists(st.integers(), max_size=5), max_size=20), st.integers(1, 10))
def test_regrouped_lists_hold_everything_in_order_and_only_the_last_is_short(lists: list[list[int]], size: int) -> None:
    groups = list(regrouped(lists, size))
    assert list(chain(*groups)) == list(chain(*lists))
    assert all(len(group) >= size for group in groups[:-1])
    assert all(groups)
