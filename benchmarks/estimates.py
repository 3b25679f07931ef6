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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import machine, print_table
from piles import Noisy, Piles, languages, make_noisy, make_piles

import calque
from calque.mining import Mining, MiningConfig
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
    if arguments.margins:
        margins(model, chosen, arguments.seed)


def mining(model: calque.Model, language: str, seed: int, *, known: bool = False, margin: Margin = "distance") -> Row:
    piles = make_piles(language, seed)
    with tempfile.TemporaryDirectory() as folder:
        config = MiningConfig(threshold="auto", margin=margin, languages=(language, "en"))
        work = Mining(model, config, Path(folder) / "work")
        pairs = [pair[::-1] for pair in piles.known[:KNOWN]] if known else None
        try:
            report, found = work.run(Text("source", lambda: piles.source), Text("target", lambda: piles.target), pairs)
        except calque.CalqueError as problem:
            return Row(language, _tier(model, language), None, 0.0, 0.0, 0.0, str(problem))
        matches = list(found)
        right = np.array([(pair.source_line - 1, pair.target_line - 1) in piles.gold for pair in matches], bool)
        best = _best_f1(model, piles, config)
    hits = int(right.sum())
    precision, recall = hits / max(len(right), 1), hits / len(piles.gold)
    return Row(language, _tier(model, language), report.expected, precision, recall, best, report.doubt)


def _best_f1(model: calque.Model, piles: Piles, config: MiningConfig) -> float:
    every = config.changed({"threshold": None})
    found = calque.mine(piles.source, piles.target, model, config=every)
    right = np.cumsum([(pair.source_line - 1, pair.target_line - 1) in piles.gold for pair in found])
    return float((2 * right / (np.arange(1, len(right) + 1) + len(piles.gold))).max(initial=0.0))


def filtering(model: calque.Model, language: str, seed: int) -> Row:
    made = make_noisy(language, seed)
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
    for name, at in (("precision", "precision"), ("recall", "recall")):
        told = [(row, getattr(row.said, at)) for row in rows if row.said and getattr(row.said, at) is not None]
        gaps = {strong: [] for strong in (True, False)}  # type: dict[bool, list[tuple[float, str]]]
        outside = 0
        for row, said in told:
            true, around = getattr(row, at), getattr(row.said, f"{at}_range")
            gaps[row.tier == "strong"].append((abs(said - true), row.language))
            outside += not around.low <= true <= around.high
        largest = [f"{100 * max(some)[0]:.1f} ({max(some)[1]})" if some else "none told" for some in gaps.values()]
        print(
            f"\n{name}: told {len(told)} times of {len(rows)}, {outside} outside its range; "
            f"largest gap {largest[0]} where strong, {largest[1]} elsewhere"
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
    if share is None or around is None:
        return "cannot tell"
    return f"{100 * share:.0f} ({100 * around.low:.0f}–{100 * around.high:.0f})"


def _tier(model: calque.Model, language: str) -> str:
    return model.tier(language) or "not measured"


if __name__ == "__main__":
    main()
