"""A model adapted to a domain with a few thousand pairs, or their text alone: the domain's gain, and other text's loss.

Of LibreOffice's strings, some train, and the others, which share no side with them, are searched for their
translations. General quality is that of STS-B dev and of Tatoeba's test sets in both languages.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import DATA, bitext_path, machine, print_table

import calque
from calque.corpus import read_bitext

TRAINING, QUERIES, CANDIDATES = 5000, 1000, 10_000

Pairs = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="the model to adapt; it must know both languages")
    parser.add_argument("--bitext", default="libreoffice.en-es", help="the domain's text, which begins with English")
    parser.add_argument("--tatoeba", default="spa-eng", help="the test set of general text")
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()
    training, held = split(arguments.bitext)
    print(machine())
    with tempfile.TemporaryDirectory() as work:
        name = arguments.bitext.partition(".")[2]
        languages = name.split("-")
        path = Path(work) / f"domain.{name}.tsv"
        path.write_text("".join(f"{one}\t{two}\n" for one, two in training), encoding="utf-8")
        texts = [Path(work) / f"domain.{language}" for language in languages]
        for side, text in enumerate(texts):
            text.write_text("".join(f"{pair[side]}\n" for pair in training), encoding="utf-8")
        rows, signatures = [], []
        for label, learnt in trials(path, texts).items():
            begun = time.perf_counter()
            model = calque.load(arguments.model)
            if learnt:
                options = {"out": Path(work) / label, "init": arguments.model, "threads": arguments.threads}
                model = calque.train(**options | learnt)
            seconds = f"{time.perf_counter() - begun:.0f} s" if learnt else ""
            rows.append([label, *scores(model, held, arguments), seconds])
            signatures.append(model.signature(arguments.bitext, QUERIES))
    print_table(
        f"{len(training):,} pairs of {arguments.bitext}; {QUERIES:,} queries each way among {len(held):,} candidates",
        ["", "accuracy", "mean reciprocal rank", *(f"STS-B dev {each}" for each in languages), "Tatoeba", "time"],
        rows,
    )
    print("\n" + "\n".join(f"- `{signature}`" for signature in signatures))


def trials(bitext: Path, texts: list[Path]) -> dict[str, dict[str, Any]]:
    """What each row of the table learns from, and how."""
    return {
        "before": {},
        "pairs": {"bitext": bitext},
        "pairs, all rows": {"bitext": bitext, "recipe": "calque"},
        **{f"text in {text.suffix[1:]} alone": {"bitext": [], "text": text} for text in texts},
        "text in both": {"bitext": [], "text": texts},
        "text in both, all rows": {"bitext": [], "text": texts, "recipe": "calque"},
        "pairs and text in both": {"bitext": bitext, "text": texts},
    }


def split(name: str) -> tuple[Pairs, Pairs]:
    pairs = [(pair.source, pair.target) for pair in read_bitext(bitext_path(name))]
    random.Random(1).shuffle(pairs)
    seen = {side for pair in pairs[:TRAINING] for side in pair}
    held: Pairs = []
    for pair in pairs[TRAINING:]:
        if not seen & set(pair):
            seen |= set(pair)
            held.append(pair)
    return pairs[:TRAINING], held[:CANDIDATES]


def scores(model: calque.Model, held: Pairs, arguments: argparse.Namespace) -> list[str]:
    vectors = [model.encode([pair[side] for pair in held], normalize=True) for side in (0, 1)]
    ranks = np.concatenate([ranks_of(vectors[0], vectors[1]), ranks_of(vectors[1], vectors[0])])
    languages = arguments.bitext.partition(".")[2].split("-")
    names = [f"{language}-dev" for language in languages]
    similarity = calque.evaluate(model, "stsb", DATA / "eval" / "stsb", only=names, resamples=2)
    retrieval = calque.evaluate(model, "tatoeba", DATA / "eval" / "tatoeba", only=[arguments.tatoeba], resamples=2)
    figures = [100 * (ranks == 1).mean(), 100 * (1 / ranks).mean()]
    figures += [similarity[name].values["pearson"] for name in names]
    return [f"{figure:.1f}" for figure in [*figures, retrieval[arguments.tatoeba].values["accuracy"]]]


def ranks_of(queries: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    cosines = queries[:QUERIES] @ candidates.T
    own = cosines[np.arange(len(cosines)), np.arange(len(cosines))]
    return 1 + (cosines > own[:, None]).sum(axis=1)


if __name__ == "__main__":
    main()
