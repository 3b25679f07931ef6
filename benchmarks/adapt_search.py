"""A model adapted to a collection by its text alone, without translations: what search in it gains, and what is lost.

The collection is Cranfield's: 1,400 abstracts on aerodynamics, whose sentences are learnt from; its 225 queries and
judgements are not. Elsewhere is STS-B dev in English and Spanish, FLORES dev and BUCC's sample. Cranfield is old, small
and English, and the queries were written by people who knew the documents.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from common import DATA, machine, print_table

import calque
from calque.corpus import read_lines

FOLDER = DATA / "eval" / "ir" / "cranfield"
TRIALS: dict[str, dict[str, Any]] = {
    "`--text`": {},
    "… `--batch-size 32`": {"batch_size": 32},
    "… `--recipe calque --epochs 3`": {"recipe": "calque", "epochs": 3},
    "… `--recipe calque`": {"recipe": "calque"},
    "… `--recipe calque --batch-size 32`": {"recipe": "calque", "batch_size": 32},
    "… `--leave-out 0.2`": {"leave_out": 0.2},
    "… `--leave-out 0.6`": {"leave_out": 0.6},
}


class Collection(NamedTuple):
    documents: list[str]
    queries: list[str]
    relevant: list[set[int]]  # by query: documents, by their place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the model to adapt; it must know English")
    arguments = parser.parse_args()
    if not FOLDER.exists():
        sys.exit(f"skipped: {FOLDER} is not there; set CALQUE_DATA to the folder with the real text")
    collection = read_collection()
    with tempfile.TemporaryDirectory() as work:
        text = Path(work) / "cranfield.en"
        sentences = [line for document in collection.documents for line in re.split(r"(?<=\.) ", document) if line]
        text.write_text("".join(f"{line}\n" for line in sentences), encoding="utf-8")
        rows = [["before", *scores(calque.load(arguments.model), collection), ""]]
        for number, (label, options) in enumerate(TRIALS.items()):
            begun = time.perf_counter()
            model = calque.train([], Path(work) / str(number), text=text, init=arguments.model, **options)
            seconds = time.perf_counter() - begun
            rows.append([label, *scores(model, collection), f"{seconds:.0f} s"])
    print(machine())
    columns = ["", "nDCG@10", "recall@100", "STS-B en", "STS-B es", "FLORES", "BUCC F1, oracle", "time"]
    print_table(f"{len(sentences):,} sentences of Cranfield, {len(collection.queries)} queries", columns, rows)


def read_collection() -> Collection:
    documents, queries, judgements = (
        [line.split("\t") for line in read_lines(FOLDER / f"{name}.tsv")]
        for name in ("documents", "queries", "judgements")
    )
    place = {number: at for at, (number, *_) in enumerate(documents)}
    relevant: dict[str, set[int]] = {number: set() for number, _ in queries}
    for query, document, judgement in judgements:
        if int(judgement):
            relevant[query].add(place[document])
    judged = [(text, relevant[number]) for number, text in queries if relevant[number]]
    texts = [" ".join(parts) for _, *parts in documents]
    return Collection(texts, [text for text, _ in judged], [found for _, found in judged])


def scores(model: calque.Model, collection: Collection) -> list[str]:
    cosines = model.encode(collection.queries, normalize=True) @ model.encode(collection.documents, normalize=True).T
    ranked = np.argsort(-cosines, axis=1, kind="stable").tolist()
    each = list(zip(ranked, collection.relevant, strict=True))
    figures = [mean(gain(order, right) for order, right in each)]
    figures.append(mean(len(right & set(order[:100])) / len(right) for order, right in each))
    return [f"{100 * figure:.1f}" for figure in figures] + elsewhere(model)


def gain(order: list[int], right: set[int]) -> float:
    """The normalised discounted cumulative gain of the first ten."""
    discounts = 1 / np.log2(np.arange(2, 12))
    found = np.isin(order[:10], list(right))
    return float(discounts[found].sum() / discounts[: len(right)].sum())


def elsewhere(model: calque.Model) -> list[str]:
    evaluation = DATA / "eval"
    similarity = calque.evaluate(model, "stsb", evaluation / "stsb", only=["en-dev", "es-dev"], resamples=2)
    flores = calque.evaluate(model, "retrieval", evaluation / "flores200-dev", resamples=2)
    bucc = calque.evaluate(model, "bucc", evaluation / "bucc" / "de-en", resamples=2)
    figures = [similarity[name].values["pearson"] for name in ("en-dev", "es-dev")]
    figures.append(mean(row.values["accuracy"] for row in flores.results))
    figures.append(max(row.values["f1"] for row in bucc.results if "f1" in row.values))
    return [f"{figure:.1f}" for figure in figures]


if __name__ == "__main__":
    main()
