"""Filtering files: the best pairs in order with their scores, what was dropped beside them, never all in memory."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import calque
from calque.corpus import Pair, read_bitext
from calque.demo import sentences
from calque.errors import CalqueError, CorpusError, UsageError
from calque.filtering.negatives import shuffled
from calque.model import Model
from calque.tasks.filter import filter_file

PAIRS = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)]
WRONG = 150
NOISY = [*shuffled(PAIRS[:WRONG]), *PAIRS[WRONG:]]


def write(path: Path, pairs: list[Pair]) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
    return path


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    return write(tmp_path / "noisy.en-es.tsv", NOISY)


def test_most_wrong_pairs_go_and_most_right_ones_stay(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    report = filter_file(fluent_model, noisy, tmp_path / "kept.tsv")
    kept = {(row[0], row[1]) for row in rows(tmp_path / "kept.tsv")}
    assert len(kept & set(NOISY[:WRONG])) < WRONG / 20
    assert len(kept & set(PAIRS[WRONG:])) > 0.9 * len(PAIRS[WRONG:])
    assert (report.read, report.kept, report.low) == (len(NOISY), len(kept), len(NOISY) - len(kept))
    assert report.expected
    assert report.expected.precision > 0.9


@pytest.mark.parametrize("score", ["margin", "cosine"])
def test_kept_pairs_are_in_order_with_their_scores(
    fluent_model: Model, noisy: Path, tmp_path: Path, score: str
) -> None:
    report = filter_file(fluent_model, noisy, tmp_path / "all.tsv", score=score, threshold=float("-inf"))
    written = rows(tmp_path / "all.tsv")
    assert [Pair(*row[:2]) for row in written] == NOISY
    scores = np.array([float(row[2]) for row in written])
    if score == "cosine":
        expected = fluent_model.similarities([pair.source for pair in NOISY], [pair.target for pair in NOISY])
        np.testing.assert_allclose(scores, expected, atol=6e-5)
    assert report.quantiles["0.5"] == pytest.approx(np.median(scores), abs=1e-3)
    assert [pair.score for pair in report.above] == pytest.approx(sorted(scores)[:3], abs=1e-4)


@pytest.mark.parametrize(("keep", "expected"), [("25%", 230), ("100%", 920), (7, 7), ("1000000", 920)])
def test_the_best_so_many_are_kept(
    fluent_model: Model, noisy: Path, tmp_path: Path, keep: str | int, expected: int
) -> None:
    filter_file(fluent_model, noisy, tmp_path / "all.tsv", keep="100%")
    report = filter_file(fluent_model, noisy, tmp_path / "best.tsv", keep=keep)
    every, best = rows(tmp_path / "all.tsv"), rows(tmp_path / "best.tsv")
    assert len(best) == report.kept == expected
    assert best == [row for row in every if row in best]
    assert min(float(row[2]) for row in best) >= sorted((float(row[2]) for row in every), reverse=True)[expected - 1]


def test_the_same_input_gives_the_same_bytes(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    for name in ("one.tsv", "two.tsv"):
        filter_file(fluent_model, noisy, tmp_path / name, rejected=tmp_path / f"{name}.dropped")
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "two.tsv").read_bytes()
    assert (tmp_path / "one.tsv.dropped").read_bytes() == (tmp_path / "two.tsv.dropped").read_bytes()


def test_what_was_dropped_is_written_in_order_with_reason_and_score(fluent_model: Model, tmp_path: Path) -> None:
    pairs = [Pair("", "nada"), PAIRS[0], PAIRS[1], Pair("Same words.", "Same words."), PAIRS[1]]
    bitext = write(tmp_path / "a.tsv", pairs)
    report = filter_file(
        fluent_model, bitext, tmp_path / "b.tsv", preset="light", keep=1, rejected=tmp_path / "dropped.tsv.gz"
    )
    dropped = [
        line.split("\t") for line in gzip.decompress((tmp_path / "dropped.tsv.gz").read_bytes()).decode().splitlines()
    ]
    assert [row[0] for row in dropped] == ["empty", "low-score", "identical", "duplicate"]
    assert [row[1] != "" for row in dropped] == [False, True, False, False]
    assert [tuple(row[2:]) for row in dropped[2:]] == [pairs[3], pairs[4]]
    assert (report.read, report.cleaning.kept, report.kept, report.low) == (5, 2, 1, 1)


def test_a_blank_side_is_never_kept_unless_that_rule_is_left_out(fluent_model: Model, tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", [Pair(" ", "nada"), PAIRS[0]])
    assert filter_file(fluent_model, bitext, tmp_path / "b.tsv", threshold=-9.0).kept == 1
    assert (
        filter_file(fluent_model, bitext, tmp_path / "b.tsv", threshold=-9.0, preset="none", without=["empty"]).kept
        == 2
    )


def test_mended_text_is_what_is_scored_and_written(fluent_model: Model, tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", [Pair("a cafÃ©, please", "un cafÃ©, por favor"), *PAIRS[:3]])
    report = filter_file(fluent_model, bitext, tmp_path / "b.tsv", preset="light", threshold=-9.0)
    assert rows(tmp_path / "b.tsv")[0][:2] == ["a café, please", "un café, por favor"]
    assert report.cleaning.repaired.count == 1


def test_two_parallel_files_become_two(fluent_model: Model, tmp_path: Path) -> None:
    for side, name in enumerate(("a.en", "a.es")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in NOISY), encoding="utf-8")
    outs = [tmp_path / "b.en", tmp_path / "b.es"]
    report = filter_file(fluent_model, [tmp_path / "a.en", tmp_path / "a.es"], outs, keep="50%")
    assert len(list(read_bitext(*outs))) == report.kept == 460


def test_other_formats_hold_the_pairs_alone(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    filter_file(fluent_model, noisy, tmp_path / "b.jsonl", keep=5)
    filter_file(fluent_model, noisy, tmp_path / "b.tsv", keep=5)
    assert [tuple(row[:2]) for row in rows(tmp_path / "b.tsv")] == list(read_bitext(tmp_path / "b.jsonl"))


def test_only_the_chosen_columns_are_kept(fluent_model: Model, tmp_path: Path) -> None:
    bitext = tmp_path / "a.tsv"
    bitext.write_text("".join(f"id\t{pair.target}\t{pair.source}\n" for pair in PAIRS[:9]), encoding="utf-8")
    filter_file(fluent_model, bitext, tmp_path / "b.tsv", columns=(3, 2), keep="100%")
    assert [Pair(*row[:2]) for row in rows(tmp_path / "b.tsv")] == PAIRS[:9]


def test_tabs_inside_a_text_do_not_make_columns(fluent_model: Model, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"en": "A\\tdog\\nruns.", "es": "Un perro corre."}\n')
    filter_file(fluent_model, tmp_path / "a.jsonl", tmp_path / "b.tsv", keep=1)
    assert rows(tmp_path / "b.tsv")[0][:2] == ["A dog runs.", "Un perro corre."]


def test_right_pairs_calibrate(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    clean = write(tmp_path / "clean.en-es.tsv", PAIRS[:WRONG] + PAIRS[-100:])
    report = filter_file(fluent_model, noisy, tmp_path / "kept.tsv", calibrate=clean)
    assert report.estimate
    assert report.estimate.calibration.evidence.endswith("and 250 right ones")
    assert report.estimate.shares["unrelated"] == pytest.approx(WRONG / len(NOISY), abs=0.1)


def test_too_few_right_pairs_are_an_error(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    clean = write(tmp_path / "clean.tsv", PAIRS[:20])
    with pytest.raises(CorpusError, match=r"clean\.tsv: expected at least 200 pairs to calibrate with, got 20"):
        filter_file(fluent_model, noisy, tmp_path / "kept.tsv", calibrate=clean)


def test_a_model_with_a_vocabulary_for_each_language_is_told_the_languages(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    options = {"vocabulary": "word", "sharing": "separate-unshared", "dimension": 8, "epochs": 1, "threads": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    for score in ("margin", "cosine"):
        report = filter_file(model, demo_bitext["en-es"], tmp_path / "b.tsv", score=score, keep="100%")
        assert report.kept == report.read == 920
    with pytest.raises(UsageError, match="en, es"):
        filter_file(model, write(tmp_path / "a.tsv", PAIRS), tmp_path / "c.tsv")


def test_a_curve_is_drawn(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    filter_file(fluent_model, noisy, tmp_path / "b.tsv", plot=tmp_path / "curve.svg")
    assert b"margin" in (tmp_path / "curve.svg").read_bytes()


@pytest.mark.parametrize("out", ["noisy.en-es.tsv", "folder/../noisy.en-es.tsv", "link.tsv"])
def test_the_input_is_not_written_over(fluent_model: Model, noisy: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.tsv").symlink_to(noisy)
    before = noisy.read_bytes()
    with pytest.raises(UsageError, match="is what is read"):
        filter_file(fluent_model, noisy, tmp_path / out)
    with pytest.raises(UsageError, match="is what is read"):
        filter_file(fluent_model, noisy, tmp_path / "b.tsv", rejected=tmp_path / out)
    assert noisy.read_bytes() == before


def test_parallel_files_named_by_their_languages_are_not_written_over(fluent_model: Model, tmp_path: Path) -> None:
    for side, name in enumerate(("a.en", "a.es")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS), encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.en is what is read"):
        filter_file(fluent_model, [tmp_path / "a.en", tmp_path / "a.es"], tmp_path / "a", to="moses")


@pytest.mark.parametrize(
    ("text", "message"),
    [("\t\n" * 30, "all 30 pairs have a blank side"), ("only\t \n" * 30, "all 30 pairs have a blank side")],
)
def test_nothing_to_filter_is_an_error(fluent_model: Model, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(CorpusError, match=message):
        filter_file(fluent_model, tmp_path / "a.tsv", tmp_path / "b.tsv")
    assert {path.name for path in tmp_path.iterdir()} == {"a.tsv"}


def test_few_pairs_need_a_threshold(fluent_model: Model, tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", PAIRS[:10])
    with pytest.raises(CorpusError, match="fewer than 200 pairs: 10 are left to judge"):
        filter_file(fluent_model, bitext, tmp_path / "b.tsv")
    report = filter_file(fluent_model, bitext, tmp_path / "b.tsv", threshold=-1.0)
    assert (report.kept, report.expected) == (10, None)


def test_a_curve_that_cannot_be_drawn_is_an_error_before_anything_is_written(
    fluent_model: Model, tmp_path: Path
) -> None:
    bitext = write(tmp_path / "a.tsv", PAIRS[:10])
    with pytest.raises(CorpusError, match="fewer than 200 pairs"):
        filter_file(fluent_model, bitext, tmp_path / "b.tsv", threshold=0.0, plot=tmp_path / "c.svg")
    with pytest.raises(UsageError, match="cannot draw 'jpg'"):
        filter_file(fluent_model, bitext, tmp_path / "b.tsv", threshold=0.0, plot=tmp_path / "c.jpg")
    assert not (tmp_path / "b.tsv").exists()


def test_a_broken_line_leaves_no_output(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    with noisy.open("a") as file:
        file.write("no tab here\n")
    with pytest.raises(CorpusError, match="line 921: expected 2 columns, got 1"):
        filter_file(fluent_model, noisy, tmp_path / "b.tsv", rejected=tmp_path / "c.tsv")
    assert {path.name for path in tmp_path.iterdir()} == {"noisy.en-es.tsv"}


@pytest.mark.parametrize("doing", ["read", "scored", "written"])
def test_an_interrupt_leaves_no_output(fluent_model: Model, noisy: Path, tmp_path: Path, doing: str) -> None:
    def interrupt(done: str, pairs: int) -> None:
        if done == doing:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filter_file(fluent_model, noisy, tmp_path / "b.tsv", rejected=tmp_path / "c.tsv", watch=interrupt)
    assert {path.name for path in tmp_path.iterdir()} == {"noisy.en-es.tsv"}


def test_a_bitext_that_grows_meanwhile_is_an_error(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    def grow(doing: str, pairs: int) -> None:
        if doing == "scored":
            with noisy.open("a") as file:
                file.write("One more.\tUno más.\n")

    with pytest.raises(CorpusError, match="changed while being read"):
        filter_file(fluent_model, noisy, tmp_path / "b.tsv", watch=grow)
    assert not (tmp_path / "b.tsv").exists()


def test_a_place_that_cannot_be_written_to_is_named(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match=r"cannot write .*nowhere/c\.tsv"):
        filter_file(fluent_model, noisy, tmp_path / "b.tsv", rejected=tmp_path / "nowhere" / "c.tsv")
    assert not (tmp_path / "b.tsv").exists()


PEAK = r"""
import re, sys
import calque
from calque.tasks.filter import filter_file
report = filter_file(calque.load(sys.argv[1]), sys.argv[2], sys.argv[3], score="cosine", keep="50%", preset="none")
assert report.kept == report.read / 2
status = open("/proc/self/status").read()  # getrusage counts the parent's memory too
print(int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process's peak memory")
def test_memory_does_not_grow_with_the_file(fluent_model: Model, tmp_path: Path) -> None:
    peaks = []
    for times in (10, 200):
        bitext = tmp_path / "large.tsv"
        line = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
        bitext.write_text(line * times, encoding="utf-8")
        arguments = [str(fluent_model.path), str(bitext), str(tmp_path / "out.tsv")]
        done = subprocess.run([sys.executable, "-c", PEAK, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 30


def test_pairs_from_anywhere_are_filtered_as_they_come(fluent_model: Model) -> None:
    def endless() -> object:
        while True:
            yield from NOISY

    kept = calque.filter(endless(), fluent_model, without=["duplicate"])  # type: ignore[arg-type]
    first = next(kept)
    assert first[:2] in NOISY
    assert first.score == pytest.approx(next(pair.score for pair in kept if pair[:2] == first[:2]), abs=1e-5)


def test_a_list_is_filtered_as_a_file_is(fluent_model: Model, noisy: Path, tmp_path: Path) -> None:
    filter_file(fluent_model, noisy, tmp_path / "kept.tsv")
    kept = list(calque.filter(NOISY, fluent_model))
    assert [[pair.source, pair.target, f"{pair.score:.4f}"] for pair in kept] == rows(tmp_path / "kept.tsv")


def test_a_short_list_needs_a_threshold_and_an_empty_one_nothing(fluent_model: Model) -> None:
    with pytest.raises(CorpusError, match="fewer than 200 pairs"):
        list(calque.filter(PAIRS[:10], fluent_model))
    assert len(list(calque.filter(PAIRS[:10], fluent_model, threshold=float("-inf")))) == 10
    assert list(calque.filter([], fluent_model)) == []


def test_rules_speak_first_in_a_list_too(fluent_model: Model) -> None:
    pairs = [PAIRS[0], PAIRS[0], ("", "nada"), ("Same", "same")]
    kept = list(calque.filter(pairs, fluent_model, threshold=-9.0, preset="light"))
    assert [pair[:2] for pair in kept] == [PAIRS[0]]


def test_mistakes_in_a_call_are_told_before_anything_is_read(fluent_model: Model) -> None:
    def never() -> object:
        raise AssertionError("read")
        yield

    for options, message in [
        ({"score": "ratio"}, "no score 'ratio'"),
        ({"preset": "hard"}, "no preset 'hard'"),
    ]:
        with pytest.raises(UsageError, match=message):
            calque.filter(never(), fluent_model, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("out", [["kept.tsv.gz"], ["kept.en", "kept.es"]])
def test_what_is_kept_and_what_is_dropped_take_their_places_together_or_not_at_all(
    fluent_model: Model, noisy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: list[str]
) -> None:
    names = [*out, "dropped.tsv.gz"]
    for name in names:
        (tmp_path / name).write_text("old")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(os, "fsync", Mock(side_effect=[*(None for _ in out), full]))
    with pytest.raises(CalqueError, match="No space left"):
        filter_file(fluent_model, noisy, [tmp_path / name for name in out], rejected=tmp_path / "dropped.tsv.gz")
    assert {(tmp_path / name).read_text() for name in names} == {"old"}
    assert {path.name for path in tmp_path.iterdir()} == {*names, noisy.name}
