"""Filtering spoilt Europarl: how well each score tells translations from noise, and how good the threshold is.

Of pairs that the model has not seen, 20 % get another pair's target, 10 % lose half of one side, and 10 % get a target
in a third language, that of the same sentence where there is one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from common import bitext_path, machine, print_table

import calque
from calque import neighbours
from calque.batches import batches
from calque.corpus import Pair, read_bitext
from calque.corpus.cleaning import choose_rules
from calque.corpus.cleaning.clean import NO_OBJECTION, first_objections
from calque.corpus.cleaning.measures import Batch
from calque.filtering import Cosine, Margin, Score, estimate
from calque.filtering.pool import SIZE
from calque.filtering.sample import sample_of
from calque.filtering.scores import cosines
from calque.neighbours.margin import margin_score
from calque.threads import resolve_threads

TRAINED_ON = 100_000
CALIBRATION = 2_000
CLEAN, UNRELATED, HALVED, SAME, OTHER = "clean", "unrelated", "halved", "same, third language", "other, third language"
MARGIN = "margin (the default)"
KINDS = (UNRELATED, HALVED, SAME, OTHER)

Scores = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Kinds = npt.NDArray[np.str_]
Spoil = Callable[[int, Pair, list[Pair]], Pair]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="de", help="With English.")
    parser.add_argument("--foreign", default="fr", help="The third language.")
    parser.add_argument("--pairs", type=int, default=30_000, help="Pairs to spoil and filter.")
    parser.add_argument("--model", help="A model that has not seen them; else one is trained, in two minutes or so.")
    arguments = parser.parse_args()
    name = f"europarl.en-{arguments.language}"
    held_out = list(islice(read_bitext(bitext_path(name)), TRAINED_ON, TRAINED_ON + arguments.pairs + CALIBRATION))
    pairs, kinds = spoil(held_out[: arguments.pairs], f"europarl.en-{arguments.foreign}")
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        model = calque.load(arguments.model) if arguments.model else train(name, Path(folder))
        print(model.signature(f"{name}, spoilt", len(pairs)))
        report(model, pairs, kinds, ("en", arguments.language), held_out[arguments.pairs :])


def train(name: str, folder: Path) -> calque.Model:
    bitext = folder / f"{name}.tsv"
    with bitext.open("w", encoding="utf-8") as file:
        file.writelines(
            f"{source}\t{target}\n" for source, target in islice(read_bitext(bitext_path(name)), TRAINED_ON)
        )
    return calque.train(bitext, folder / "model", epochs=3)


def spoil(pairs: Sequence[Pair], foreign: str) -> tuple[list[Pair], Kinds]:
    """The pairs, four in ten of them spoilt, and what was done to each."""
    translated = dict(read_bitext(bitext_path(foreign)))
    others = list(translated.values())
    random = np.random.default_rng(1)
    made, kinds = [], []
    for at, (source, target) in enumerate(pairs):
        drawn = random.random()
        other = int(random.integers(1, len(pairs)))
        kind = UNRELATED if drawn < 0.2 else HALVED if drawn < 0.3 else CLEAN
        if kind == UNRELATED:
            target = pairs[(at + other) % len(pairs)].target
        elif kind == HALVED and other % 2:
            source = half(source)
        elif kind == HALVED:
            target = half(target)
        elif drawn < 0.4:
            kind = SAME if source in translated else OTHER
            target = translated.get(source) or others[other]
        made.append(Pair(source, target))
        kinds.append(kind)
    return made, np.array(kinds)


def half(text: str) -> str:
    words = text.split()
    return " ".join(words[: max(1, len(words) // 2)])


def report(
    model: calque.Model, pairs: list[Pair], kinds: Kinds, languages: tuple[str, str], right: Sequence[Pair]
) -> None:
    sample = sample_of(pairs)
    cosine, margin = Cosine(model, threads=1), Margin(model, sample[:SIZE], threads=1)
    margin.score(pairs)  # so that all words are known, and only scoring is timed
    timed = {"cosine": time_of(cosine, pairs), MARGIN: time_of(margin, pairs)}
    scores = {"cosine": timed["cosine"].scores} | against_others(margin, pairs) | {MARGIN: timed[MARGIN].scores}
    rules = choose_rules("none", ["wrong-language"]).rules
    accepted = first_objections(Batch(pairs, languages, resolve_threads(None)), rules) == NO_OBJECTION
    rows = []
    for name, score in scores.items():
        ruled = np.where(accepted, score, -np.inf)
        shares = [*precisions(score, kinds), precisions(ruled, kinds)[0], best_f1(score, kinds == CLEAN)]
        rate = f"{len(pairs) / timed[name].seconds:,.0f}" if name in timed else ""
        rows.append([name, *map(percent, shares), rate])
    columns = ["score", "all", *KINDS, "all, with wrong-language", "best F1", "pairs a CPU second"]
    print_table("Average precision: clean pairs among all, and among clean ones and one kind of noise", columns, rows)
    rows = [
        promise(score, timed[name].scores, kinds == CLEAN, sample, known)
        for name, score in (("cosine", cosine), (MARGIN, margin))
        for known in (None, right)
    ]
    columns = ["score", "threshold", "estimated precision", "true", "estimated recall", "true", "F1", "best F1"]
    print_table("The estimated threshold, and what it promises", columns, rows)
    clean = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind == CLEAN]
    names = ["score", *LACKING]
    print_table("Average precision among as many pairs that are partly right", names, lacking((cosine, margin), clean))


class Timed(NamedTuple):
    scores: Scores
    seconds: float


def time_of(score: Score, pairs: list[Pair]) -> Timed:
    begun = time.process_time()
    scores = np.concatenate([score.score(batch) for batch in batches(pairs, 8192)])
    return Timed(scores, time.process_time() - begun)


def against_others(margin: Margin, pairs: list[Pair]) -> dict[str, Scores]:
    """Mining's margins, whose only rivals are other sentences."""
    texts = [[pair[side] for pair in pairs] for side in (0, 1)]
    vectors = [margin.vectors(texts[side], side) for side in (0, 1)]
    means = margin.pool.nearness(texts, vectors)
    kinds: tuple[neighbours.Margin, ...] = ("ratio", "distance")
    return {f"{kind} to others": margin_score(cosines(*vectors), *means, kind) for kind in kinds}


def promise(score: Score, scores: Scores, good: Flags, sample: list[Pair], right: Sequence[Pair] | None) -> list[str]:
    found = estimate(score, scores, sample, right)
    assert found is not None
    best = found.calibration.best()
    kept = scores >= best.threshold
    true = good[kept].mean(), good[kept].sum() / good.sum()
    shares = [best.precision, true[0], best.recall, true[1], 2 * true[0] * true[1] / sum(true), best_f1(scores, good)]
    name = score.name + (f", {len(right):,} right pairs known" if right else "")
    return [name, f"{best.threshold:.3f}", *map(percent, shares)]


def lacking(scores: Sequence[Score], clean: list[Pair]) -> list[list[str]]:
    """Half of the clean pairs, less or more than halved, among the other half."""
    middle = len(clean) // 2
    rows = []
    for score in scores:
        right = score.score(clean[:middle])
        cells = []
        for spoilt in LACKING.values():
            wrong = score.score([spoilt(at, pair, clean) for at, pair in enumerate(clean[middle : 2 * middle])])
            good = np.repeat([True, False], [len(right), len(wrong)])
            cells.append(percent(average_precision(np.concatenate([right, wrong]), good)))
        rows.append([score.name, *cells])
    return rows


def on_one_side(change: Callable[[list[str]], list[str]]) -> Spoil:
    """A change to the words of source or target, in turn."""

    def spoilt(at: int, pair: Pair, clean: list[Pair]) -> Pair:
        changed = [" ".join(change(side.split())) for side in pair]
        return Pair(changed[0], pair.target) if at % 2 else Pair(pair.source, changed[1])

    return spoilt


def with_more(at: int, pair: Pair, clean: list[Pair]) -> Pair:
    other = clean[at]
    return (
        Pair(f"{pair.source} {other.source}", pair.target)
        if at % 2
        else Pair(pair.source, f"{pair.target} {other.target}")
    )


LACKING: dict[str, Spoil] = {
    "last quarter lost": on_one_side(lambda words: words[: max(1, 3 * len(words) // 4)]),
    "first half lost": on_one_side(lambda words: words[len(words) // 2 :]),
    "middle third lost": on_one_side(lambda words: words[: len(words) // 3] + words[2 * len(words) // 3 :]),
    "a sentence too much": with_more,
}


def precisions(scores: npt.NDArray[np.floating[Any]], kinds: Kinds) -> list[float]:
    """Of all, and of clean pairs with each kind of noise."""
    chosen = [np.ones(len(kinds), bool), *((kinds == CLEAN) | (kinds == kind) for kind in KINDS)]
    return [average_precision(scores[each], kinds[each] == CLEAN) for each in chosen]


def average_precision(scores: npt.NDArray[np.floating[Any]], good: Flags) -> float:
    """The area under precision over recall; of equals, noise comes first."""
    right = good[np.lexsort((good, -scores))]
    return float((np.cumsum(right) / np.arange(1, len(right) + 1))[right].mean())


def best_f1(scores: npt.NDArray[np.floating[Any]], good: Flags) -> float:
    right = np.cumsum(good[np.argsort(-scores, kind="stable")])
    return float((2 * right / (np.arange(1, len(right) + 1) + good.sum())).max())


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


if __name__ == "__main__":
    main()
