"""Duplicates: how right a threshold is, and how fast they are found.

The model is the one that CALQUE_MODEL names, or the one in the box; it must know English. Times are those that pass,
with two threads for each library.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import combinations, islice
from pathlib import Path

THREADS = 2
os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)  # read by the imports below
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import numpy as np
from common import DATA, best_of, bitext_path, machine, print_table

from calque.corpus import read_bitext, read_lines, read_scored_pairs
from calque.deduplication import Contrast, Store
from calque.deduplication.contrast import REASONS
from calque.deduplication.find import find_duplicates
from calque.deduplication.keys import keys_of
from calque.deduplication.leaders import find_leaders
from calque.deduplication.units import Units
from calque.model import Model, load
from calque.tasks.dedup import Encoding, fill

LINES, PEERS = 100_000, 40_000
COLUMNS = ["", "time", "lines/s", "dropped", "Calque is faster"]
THRESHOLDS = (0.8, 0.85, 0.9, 0.925, 0.95, 0.975)
SAME, SIMILAR = 4.8, 4.0  # scores of STS: means the same, and differs in details
SENTENCES = 20_000  # of Tatoeba's paraphrases
LONG = 40  # characters


def same_digits(first: list[str], second: list[str]) -> np.ndarray:
    one, two = (keys_of([(text,) for text in texts]).digits for texts in (first, second))
    return one == two


def judged_pairs(model: Model, path: Path) -> None:
    """Pairs that people have judged: of those that would be dropped, how many mean the same."""
    pairs = list(read_scored_pairs(path))
    first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
    gold = np.array([pair.score for pair in pairs])
    cosines, digits = model.similarities(first, second), same_digits(first, second)
    rows = []
    for threshold in THRESHOLDS:
        found = (cosines >= threshold) & digits
        spared = (cosines >= threshold) & ~digits
        rows.append(
            [
                f"{threshold}",
                f"{found.sum()}",
                f"{(gold[found] >= SAME).mean():.0%}",
                f"{(gold[found] >= SIMILAR).mean():.0%}",
                f"{(found & (gold >= SAME)).sum() / (gold >= SAME).sum():.0%}",
                f"{spared.sum()} ({(spared & (gold >= SAME)).sum()})",
            ]
        )
    columns = ["threshold", "dropped", f"of them {SAME}+", f"of them {SIMILAR}+", f"of all {SAME}+", "spared by digits"]
    print_table(f"{path.stem}: {model.signature(path.stem, len(pairs))}", columns, rows)


def paraphrases(model: Model) -> None:
    """Sentences among which those that share a translation are known, though not all of them."""
    pairs = list(islice(read_bitext(bitext_path("tatoeba-shared-translation.en-en")), SENTENCES // 2))
    lines = sorted({text for pair in pairs for text in pair})
    group_of = joined({text: at for at, text in enumerate(lines)}, pairs)
    rows = []
    for threshold in THRESHOLDS:
        with Store(1, model.dimension) as store:
            encode = Encoding(model, (None,), THREADS)
            fill(store, [(line,) for line in lines], encode)
            found = find_duplicates(store, threshold)
        near = [at for at in found.dropped.tolist() if not found.same[at]]
        right = {at for at in near if group_of[lines[at]] == group_of[lines[found.leader[at]]]}
        cells = [f"{threshold}", f"{len(near)}", f"{len(right) / max(len(near), 1):.0%}"]
        for long in (False, True):
            part = [at for at in near if (len(lines[at]) >= LONG) == long]
            cells.append(f"{len(right & set(part)) / max(len(part), 1):.0%} of {len(part)}")
        rows.append(cells)
    title = (
        f"Tatoeba, {len(lines):,} sentences: dropped as near, and how many of these are known to share a translation"
    )
    print_table(title, ["threshold", "dropped", "known", f"below {LONG} characters", "longer"], rows)


def joined(numbers: dict[str, int], pairs: list) -> dict[str, int]:
    """Sentences that share translations, directly or through others, have the same number."""
    parent = list(range(len(numbers)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for one, two in pairs:
        parent[root(numbers[one])] = root(numbers[two])
    return {text: root(at) for text, at in numbers.items()}


def told_apart(model: Model) -> None:
    """Near lines that a negation, an opposite or a number tells apart, at the default threshold."""
    rows = []
    for corpus, count, english in (("libreoffice", 20_000, "en-de"), ("tatoeba", 30_000, "en-es")):
        for language, sides in (("en", english), ("de", "en-de"), ("es", "en-es")):
            pairs = islice(read_bitext(bitext_path(f"{corpus}.{sides}")), count)
            lines = [pair.source if language == "en" else pair.target for pair in pairs]
            with Store(1, model.dimension) as store:
                fill(store, [(line,) for line in lines], Encoding(model, (None,), os.cpu_count() or 1))
                found = find_duplicates(store, 0.95, contrast=Contrast())
            near = len(found.dropped) - int(found.same.sum())
            rows.append([f"{corpus}, {language}", f"{near}", *map(str, found.counts().values())])
    print_table("Near lines", ["lines", "near, dropped", *(f"kept by {reason}" for reason in REASONS)], rows)


def across_languages(model: Model) -> None:
    """FLORES: of sentences and their translations in one file, what would be dropped."""
    folder = DATA / "eval" / "flores200-dev"
    known = {"en": "eng_Latn", "de": "deu_Latn", "fr": "fra_Latn", "es": "spa_Latn"}
    texts = {name: list(read_lines(folder / f"{file}.txt")) for name, file in known.items() if name in model.languages}
    rows = []
    for one, two in combinations(texts, 2):
        cosines = model.encode(texts[one], normalize=True) @ model.encode(texts[two], normalize=True).T
        translations = np.eye(len(cosines), dtype=bool)
        for threshold in (0.6, 0.7, *THRESHOLDS[:-1]):
            near = cosines >= threshold
            counts = f"{near[translations].mean():.0%}", f"{near[~translations].sum()}"
            rows.append([f"{one}-{two}", f"{threshold}", *counts])
    print_table("FLORES dev: pairs that are as near", ["", "threshold", "translations", "others"], rows)


def speed(model: Model, times: int) -> None:
    """From text for all the lines; from the same vectors, beside peers, for as many as these can take."""
    lines = [pair.source for pair in islice(read_bitext(bitext_path("europarl.en-de")), LINES)]
    begun = time.perf_counter()
    with Store(1, model.dimension) as store:
        fill(store, [(line,) for line in lines], Encoding(model, (None,), THREADS))
        found = find_duplicates(store, 0.95)
        rows = [["Calque, from text", *cells(time.perf_counter() - begun, len(lines)), f"{len(found.dropped)}", ""]]
        units = store.units()
        part = Units(np.array(units.vectors[:PEERS]), units.letters[:PEERS], units.digits[:PEERS])
    print_table(f"{len(lines):,} lines of Europarl, {THREADS} threads", COLUMNS, rows)

    everyone = {"Calque": lambda: leaders_dropped(part), **peers(part.vectors)}
    turns = [{name: best_of(1, work) for name, work in everyone.items()} for _ in range(times)]
    seconds = {name: min(turn[name] for turn in turns) for name in everyone}
    rows = []
    for name, work in everyone.items():
        ratio = "" if name == "Calque" else f"{seconds[name] / seconds['Calque']:.1f}×"
        rows.append([name, *cells(seconds[name], len(part)), f"{work()}", ratio])
    print_table(f"{len(part):,} vectors of them, {THREADS} threads each", COLUMNS, rows)


def leaders_dropped(units: Units) -> int:
    leaders = find_leaders(units, np.arange(len(units)), 0.95).leader
    return int((leaders != np.arange(len(units))).sum())


def cells(seconds: float, lines: int) -> list[str]:
    return [f"{seconds:.1f} s", f"{lines / seconds:,.0f}"]


def peers(vectors: np.ndarray) -> dict:
    """sentence-transformers' two ways, on the same vectors; the first gives pairs, and each at most ten."""
    import torch
    from sentence_transformers import util

    torch.set_num_threads(THREADS)
    tensor = torch.from_numpy(vectors)
    chunks = {"query_chunk_size": 1000, "corpus_chunk_size": 20_000, "top_k": 10}
    return {
        "paraphrase_mining_embeddings": lambda: sum(
            score >= 0.95 for score, _, _ in util.paraphrase_mining_embeddings(tensor, **chunks)
        ),
        "community_detection": lambda: sum(
            len(group) - 1 for group in util.community_detection(tensor, threshold=0.95, min_community_size=2)
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-speed", action="store_true", help="leave out how right the threshold is")
    parser.add_argument("--times", type=int, default=2, help="runs of each in turn, of which the fastest counts")
    options = parser.parse_args()
    bitext_path("europarl.en-de")  # or there is nothing to measure on
    model = load()
    print(machine())
    if not options.only_speed:
        quality(model)
    speed(model, options.times)


def quality(model: Model) -> None:
    for name in ("en-dev", "en-train"):
        judged_pairs(model, DATA / "eval" / "stsb" / f"{name}.tsv")
    paraphrases(model)
    told_apart(model)
    across_languages(model)


if __name__ == "__main__":
    main()
