"""Said against true: what mining and filtering promise of their automatic threshold, where the right answers are known.

The piles and the bitexts are made by a fixed seed of text that the model in the box has not seen (piles.py). Sentences
that happen to translate each other without being listed count as wrong, so the truth is a little better than it looks.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import machine, print_table
from piles import (
    AMONG,
    NOISE,
    NOISES,
    NOTHING_TRANSLATED,
    SIZES,
    USUAL,
    Noisy,
    Piles,
    Size,
    has_enough,
    languages,
    make_noisy,
    make_piles,
)

import calque
from calque.corpus import Pair
from calque.mining import Mined, Mining, MiningConfig, MiningReport
from calque.mining.mine import Text
from calque.neighbours import MARGINS, Margin
from calque.tasks.filter import filter_file
from calque.thresholds import Choice, Range

KNOWN = 300  # translations that `--calibrate` gets


class Row(NamedTuple):
    language: str
    tier: str
    said: Choice | None
    precision: float
    recall: float
    best: float  # F1 at the threshold that an oracle would take
    doubt: str = ""

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="A model folder; the model in the box without it.")
    parser.add_argument("--languages", nargs="*", help="All that there is text for, unless given.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--margins", action="store_true", help="Print the best F1 of each margin, too.")
    parser.add_argument(
        "--kinds", action="store_true", help="Mine among other text and in other sizes, and filter other noise, too."
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", calque.LanguageWarning)
    model = calque.load(arguments.model)
    chosen = arguments.languages or languages()
    print(machine())
    print(model.signature("estimates", len(chosen)))
    mined = [mining(model, each, arguments.seed) for each in chosen]
    table("calque mine --threshold auto", mined)
    calibrated = [mining(model, each, arguments.seed, known=True) for each in chosen]
    table(f"calque mine --threshold auto --calibrate, {KNOWN} known pairs", calibrated)
    table("calque filter", [filtering(model, each, arguments.seed) for each in chosen])
    if arguments.kinds:
        kinds(model, chosen, arguments.seed)
        nothing_translated(model, chosen, arguments.seed)
        noises(model, chosen, arguments.seed)
    if arguments.margins:
        margins(model, chosen, arguments.seed)


def mining(
    model: calque.Model,
    language: str,
    seed: int,
    *,
    known: bool = False,
    margin: Margin = "distance",
    size: Size = USUAL,
    among: tuple[str, ...] = (),
) -> Row:
    piles = make_piles(language, seed, size, among)
    config = MiningConfig(threshold="auto", margin=margin, languages=(language, "en"))
    pairs = [Pair(*pair[::-1]) for pair in piles.known[:KNOWN]] if known else None
    try:
        report, found = _mined(model, piles, config, pairs)
    except calque.CalqueError as problem:
        refused = f"refused: {str(problem).splitlines()[0]}"
        return Row(language, _tier(model, language), None, 0.0, 0.0, 0.0, refused)
    right = np.array([(pair.source_line - 1, pair.target_line - 1) in piles.gold for pair in found], bool)
    best = _best_f1(model, piles, config)
    hits = int(right.sum())
    precision, recall = hits / max(len(right), 1), hits / len(piles.gold)
    return Row(language, _tier(model, language), report.expected, precision, recall, best, report.doubt)


def _mined(
    model: calque.Model, piles: Piles, config: MiningConfig, known: list[Pair] | None = None
) -> tuple[MiningReport, list[Mined]]:
    with tempfile.TemporaryDirectory() as folder:
        texts = Text("source", lambda: piles.source), Text("target", lambda: piles.target)
        report, found = Mining(model, config, Path(folder) / "work").run(*texts, known)
        return report, list(found)


def _best_f1(model: calque.Model, piles: Piles, config: MiningConfig) -> float:
    every = config.changed({"threshold": None})
    found = calque.mine(piles.source, piles.target, model, config=every)
    right = np.cumsum([(pair.source_line - 1, pair.target_line - 1) in piles.gold for pair in found])
    return float((2 * right / (np.arange(1, len(right) + 1) + len(piles.gold))).max(initial=0.0))


def filtering(model: calque.Model, language: str, seed: int, noise: Mapping[str, float] = NOISE) -> Row:
    made = make_noisy(language, seed, noise)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        noisy, kept = Path(folder) / f"noisy.en-{language}.tsv", Path(folder) / "kept.tsv"
        noisy.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair, _ in made), encoding="utf-8")
        report = filter_file(model, noisy, kept)
        lines = kept.read_text(encoding="utf-8").split("\n")[:-1]
    precision, recall = _truth(made, [tuple(line.split("\t")[:2]) for line in lines])
    return Row(language, _tier(model, language), report.expected, precision, recall, float("nan"))


def _truth(made: Sequence[Noisy], kept: Sequence[tuple[str, ...]]) -> tuple[float, float]:
    right = {tuple(pair) for pair, kind in made if kind == "right"}
    hits = sum(pair in right for pair in kept)
    return hits / max(len(kept), 1), hits / len(right)


def kinds(model: calque.Model, chosen: Sequence[str], seed: int) -> None:
    """Print how well the estimates hold where what else is in the piles, or how much, is different."""
    cases = [("the usual", USUAL, ()), *((name, USUAL, sources) for name, sources in AMONG.items())]
    cases += [(name, size, ()) for name, size in SIZES.items()]
    rows = []
    for name, size, among in cases:
        some = [each for each in _known(model, chosen) if has_enough(each, size, among)]
        mined = [mining(model, each, seed, size=size, among=among) for each in some]
        rows.append([*_summary(name, mined), f"{100 * np.mean([row.best - row.f1 for row in mined]):.1f}"])
    print_table("calque mine among other text", ["what else there is", *_HELD, "F1 lost"], rows)


def nothing_translated(model: calque.Model, chosen: Sequence[str], seed: int) -> None:
    """Print how many pairs the automatic threshold keeps where none is right."""
    rows = []
    for language in _known(model, chosen):
        piles = make_piles(language, seed, NOTHING_TRANSLATED)
        config = MiningConfig(threshold="auto", languages=(language, "en"))
        report, _ = _mined(model, piles, config)
        said = _said(report.expected.precision, report.expected.precision_range) if report.expected else ""
        rows.append([language, f"{len(piles.source):,}", f"{report.pairs:,}", said])
    print_table("calque mine where nothing is translated", ["language", "lines", "kept", "precision said"], rows)


def noises(model: calque.Model, chosen: Sequence[str], seed: int) -> None:
    """Print how well filtering's estimates hold where other pairs are wrong, or more or fewer of them."""
    rows = []
    for name, noise in {"a tenth of each": NOISE, **NOISES}.items():
        rows.append(_summary(name, [filtering(model, each, seed, noise) for each in _known(model, chosen)]))
    print_table("calque filter of other noise", ["what is wrong", *_HELD], rows)


_HELD = [
    "languages",
    *(
        f"{at}: {each}"
        for at in ("precision", "recall")
        for each in ("told", "range only", "outside", "largest gap, strong", "elsewhere")
    ),
]


def _known(model: calque.Model, chosen: Sequence[str]) -> list[str]:
    return [each for each in chosen if _tier(model, each) != "unknown"]


def _summary(name: str, rows: Sequence[Row]) -> list[str]:
    return [name, str(len(rows)), *(cell for at in ("precision", "recall") for cell in _held(rows, at).cells())]


class Held(NamedTuple):
    """How often a share was told as a number, or only as a range, and how it compares with the truth."""

    told: int
    ranges: int
    outside: int
    strong: tuple[float, str]  # the largest gap of a number, and the language
    elsewhere: tuple[float, str]

    def cells(self) -> list[str]:
        gaps = [f"{100 * gap:.1f} ({language})" if language else "" for gap, language in (self.strong, self.elsewhere)]
        return [str(self.told), str(self.ranges), str(self.outside), *gaps]


def _held(rows: Sequence[Row], at: str) -> Held:
    gaps = {strong: [(0.0, "")] for strong in (True, False)}
    ranges = outside = 0
    for row in rows:
        around = getattr(row.said, f"{at}_range") if row.said else None
        if around is None:
            continue
        said, true = getattr(row.said, at), getattr(row, at)
        outside += not around.low <= true <= around.high
        if said is None:
            ranges += 1
        else:
            gaps[row.tier == "strong"].append((abs(said - true), row.language))
    told = sum(len(some) - 1 for some in gaps.values())
    return Held(told, ranges, outside, max(gaps[True]), max(gaps[False]))


def margins(model: calque.Model, chosen: Sequence[str], seed: int) -> None:
    rows = []
    for language in chosen:
        piles = make_piles(language, seed)
        scores = [_best_f1(model, piles, MiningConfig(margin=margin, languages=(language, "en"))) for margin in MARGINS]
        rows.append([language, *(f"{100 * score:.1f}" for score in scores)])
    print_table("Best F1 of each margin", ["language", *MARGINS], rows)


def table(title: str, rows: Sequence[Row]) -> None:
    columns = ["language", "tier", "precision said", "true", "recall said", "true", "F1", "best F1"]
    print_table(title, columns, [_cells(row) for row in rows])
    for name in ("precision", "recall"):
        held = _held(rows, name)
        told, ranges, outside, strong, elsewhere = held.cells()
        print(
            f"\n{name}: told {told} times of {len(rows)}, {ranges} times as a range only, {outside} outside its range; "
            f"largest gap {strong or 'none'} where strong, {elsewhere or 'none'} elsewhere"
        )


def _cells(row: Row) -> list[str]:
    said = row.said
    return [
        row.language,
        row.tier,
        _said(said.precision, said.precision_range) if said else row.doubt,
        f"{100 * row.precision:.0f}",
        _said(said.recall, said.recall_range) if said else "",
        f"{100 * row.recall:.0f}",
        f"{100 * row.f1:.0f}",
        "" if np.isnan(row.best) else f"{100 * row.best:.0f}",
    ]


def _said(share: float | None, around: Range | None) -> str:
    if around is None:
        return "cannot tell"
    low, high = f"{100 * around.low:.0f}", f"{100 * around.high:.0f}"
    return f"{low}–{high}" if share is None else f"{100 * share:.0f} ({low}–{high})"


def _tier(model: calque.Model, language: str) -> str:
    return model.tier(language) or "not measured"


if __name__ == "__main__":
    main()
