"""Mining: exact neighbours both ways against faiss; F1 on BUCC with the best and the automatic threshold; memory.

mine.py [--model DIR] [--large SENTENCES [--seconds S]]

Without a model, one is trained on Europarl German–English, which takes minutes. --large mines that many real sentences
on each side with the command itself, stops it after so many seconds, and prints its memory beside what it said.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import DATA, best_of, bitext_path, machine, print_table

import calque
from calque.corpus import find_bitexts
from calque.evaluation.mining import measure_mining
from calque.evaluation.sets.bucc import MiningSet, find_bucc
from calque.evaluation.subject import of_model
from calque.neighbours.matching import match_neighbours
from calque.neighbours.nearest import BothWays, Neighbours, nearest

K = 4
TIMES = 3  # the fastest counts
RECIPE = {"vocabulary_size": 40_000, "margin": 0.4, "mega_batch": 60, "epochs": 5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--large", type=int, metavar="SENTENCES")
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    print(machine(), flush=True)
    if options.large:
        large(options.model, options.large, options.seconds)
    else:
        bucc(options.model)


def bucc(model: str | None) -> None:
    folder = DATA / "eval" / "bucc" / "de-en"
    if not folder.exists():
        sys.exit(f"skipped: {folder} is not there; set CALQUE_DATA to the folder with the real text")
    (data,) = find_bucc(folder)
    with tempfile.TemporaryDirectory() as place:
        opened = (
            calque.load(model) if model else calque.train(bitext_path("europarl.en-de"), f"{place}/model", **RECIPE)
        )
        source, target = (opened.encode(side, normalize=True) for side in (data.source, data.target))
        speed(source, target)
        quality(opened, data)


def faiss_both_ways(source: np.ndarray, target: np.ndarray) -> BothWays:
    import faiss

    ways = []
    for one, two in ((source, target), (target, source)):
        cosine, index = faiss.knn(one, two, K, metric=faiss.METRIC_INNER_PRODUCT)
        ways.append(Neighbours(index.astype(np.int32), cosine))
    return BothWays(*ways)


def speed(source: np.ndarray, target: np.ndarray) -> None:
    """The whole of it: neighbours, margins, matching."""
    work = {
        "Calque": lambda: match_neighbours(nearest(source, target, K), "ratio"),
        "faiss.knn flat, the same margin code": lambda: match_neighbours(faiss_both_ways(source, target), "ratio"),
    }
    seconds = {name: best_of(TIMES, run) for name, run in work.items()}
    ours, theirs = (run() for run in work.values())
    pairs = [set(zip(each.source.tolist(), each.target.tolist(), strict=True)) for each in (ours, theirs)]
    flops = 2.0 * len(source) * len(target) * source.shape[1]
    rows = [
        [name, f"{spent:.2f} s", f"{flops / spent / 1e9:.0f}", f"{spent / seconds['Calque']:.1f}×"]
        for name, spent in seconds.items()
    ]
    title = f"BUCC de-en sample, {len(source):,} × {len(target):,}, {source.shape[1]} dimensions, k = {K}"
    print_table(title, ["", "time", "GFLOP/s of one product", "Calque is faster"], rows)
    print(f"\nsame pairs: {len(pairs[0] & pairs[1]):,} of {len(pairs[0]):,} and {len(pairs[1]):,}")


def quality(model: calque.Model, data: MiningSet) -> None:
    """At the best threshold, an oracle's, and at the one that `--threshold auto` takes without a gold pair."""
    rows = []
    for found in measure_mining(of_model(model), "bucc", [data], resamples=0):
        threshold, source = found.notes["threshold"], found.notes["threshold_from"]
        shares = (f"{found.values[name]:.1f}" if found.values else "" for name in ("f1", "precision", "recall"))
        name = found.name.split(":")[2]
        rows.append([name, source, "" if threshold is None else f"{threshold:.3f}", *shares])
    columns = ["margin", "threshold", "at", "F1", "precision", "recall"]
    print_table(model.signature("bucc:de-en.sample", len(data.source)), columns, rows)


def large(model: str | None, sentences: int, seconds: float) -> None:
    """English on one side, Spanish, German and French on the other; stopped by Ctrl-C when its time is over."""
    if model is None:
        sys.exit("--large needs --model: one that knows en, es, de and fr")
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place) / name for name in ("source", "target")]
        write_distinct(paths, sentences)
        code = "from calque.cli import main; main()"
        arguments = ["mine", *map(str, paths), "--model", model, "-o", f"{place}/pairs.tsv"]
        begun = time.monotonic()
        command = subprocess.Popen([sys.executable, "-c", code, *arguments])
        try:
            command.wait(seconds)
        except subprocess.TimeoutExpired:
            command.send_signal(signal.SIGINT)
            command.wait()
        spent = time.monotonic() - begun
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        print(f"{sentences:,} × {sentences:,}: ended after {spent / 60:.1f} minutes, peak memory {memory:.2f} GB")


def write_distinct(paths: list[Path], count: int) -> None:
    """The first distinct sentences of both sides of Europarl, as many as are asked for if there are."""
    left = [dict.fromkeys(()), dict.fromkeys(())]
    for language in ("es", "de", "fr"):
        (bitext,) = find_bitexts([str(bitext_path(f"europarl.en-{language}"))])
        for pair in bitext.pairs():
            for side, text in zip(left, pair, strict=True):
                if len(side) < count:
                    side[text] = None
    for path, side in zip(paths, left, strict=True):
        path.write_text("".join(f"{text}\n" for text in side), encoding="utf-8")
        print(f"{path.name}: {len(side):,} sentences")


if __name__ == "__main__":
    main()
