"""Trains the paper's recipe on Europarl and writes europarl.md: STS 2017 beside the paper's Europarl and random rows.

    .venv/bin/python docs/results/europarl.py [--epochs 10]

The last epoch is reported; no set chose it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from common import DATA, bitext_path, machine

import calque
from calque.cli.progress import duration
from calque.corpus import read_scored_pairs
from calque.encoder import AverageEncoder, random_embeddings
from calque.model import Model
from calque.tasks.train import Watcher
from calque.training import Progress

TRACKS = {"es-es": "track3.es-es", "es-en": "track4a.es-en", "en-en": "track5.en-en"}
PAPER = {
    "trained": {"es-es": 78.6, "es-en": 54.9, "en-en": 79.1},
    "random": {"es-es": 68.8, "es-en": 6.5, "en-en": 67.0},
}
RANDOM_SEEDS = (1, 2, 3, 4, 5)

PAGE = """\
# The paper's recipe on Europarl

STS 2017, Pearson × 100: SentencePiece 20,000, 300 dimensions, Europarl English–Spanish. Made by
`python docs/results/europarl.py --epochs {epochs}` on {machine}; {pairs} pairs, {time} of training.

| | es-es | es-en | en-en |
|---|---:|---:|---:|
{rows}

Signatures:

{signatures}

The paper trains on 2 million Europarl pairs and chooses the epoch on en-en; here there are {pairs}, and the last
epoch is reported. That es-en is the one furthest below the paper may be owed to the smaller bitext; not tested.

Random encoders depend on the pieces: with pieces from everyday text, as the paper's are, es-es and en-en come near the
paper's. A likely reason is that Europarl's pieces cut everyday words into more parts, so that more of them coincide.
Ours are means of {seeds} seeds, which range over {spread} with Europarl's pieces.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=10)
    arguments = parser.parse_args()
    bitext = bitext_path("europarl.en-es")
    with tempfile.TemporaryDirectory() as folder:
        model = calque.train(
            bitext, f"{folder}/model", recipe="paper", epochs=arguments.epochs, watcher=Watcher(progress=show)
        )
        ours = scores(model)
        random = random_scores(model)
        everyday = random_scores(
            calque.train(bitext_path("tatoeba.en-es"), f"{folder}/everyday", recipe="paper", epochs=0)
        )
        rows = [
            row("Calque", ours),
            row("the paper, Europarl 2M", PAPER["trained"]),
            row("Calque, random, pieces from Europarl", mean(random)),
            row("Calque, random, pieces from Tatoeba", mean(everyday)),
            row("the paper, random, pieces from OpenSubtitles", PAPER["random"]),
        ]
        signatures = [f"- `pearson={ours[track]:.1f} | {model.signature(f'sts17:{track}', 250)}`" for track in TRACKS]
        page = PAGE.format(
            epochs=arguments.epochs,
            machine=machine(),
            pairs=f"{int(model.about.data[0].rsplit(':', 1)[1]):,}",
            time=duration(model.about.seconds),
            rows="\n".join(rows),
            signatures="\n".join(signatures),
            seeds=len(RANDOM_SEEDS),
            spread=", ".join(spread(random, track) for track in TRACKS),
        )
    (Path(__file__).parent / "europarl.md").write_text(page, encoding="utf-8")
    print(page)


def random_scores(model: Model) -> list[dict[str, float]]:
    return [scores(untrained(model, seed)) for seed in RANDOM_SEEDS]


def mean(each: list[dict[str, float]]) -> dict[str, float]:
    return {track: float(np.mean([values[track] for values in each])) for track in TRACKS}


def untrained(model: Model, seed: int) -> Model:
    vocabulary = model.vocabulary
    embeddings = random_embeddings(vocabulary.size, model.dimension, seed, vocabulary.unknown)
    return Model(AverageEncoder(vocabulary, embeddings), model.about)


def scores(model: Model) -> dict[str, float]:
    return {track: pearson(model, DATA / "eval" / "sts17" / f"{file}.tsv") for track, file in TRACKS.items()}


def pearson(model: Model, path: Path) -> float:
    pairs = read_scored_pairs(path)
    cosines = model.similarities([pair.first for pair in pairs], [pair.second for pair in pairs])
    return float(100 * np.corrcoef(cosines, [pair.score for pair in pairs])[0, 1])


def spread(random: list[dict[str, float]], track: str) -> str:
    values = [each[track] for each in random]
    return f"{min(values):.1f} to {max(values):.1f} ({track})"


def row(name: str, values: dict[str, float]) -> str:
    return f"| {name} | " + " | ".join(f"{values[track]:.1f}" for track in TRACKS) + " |"


def show(progress: Progress) -> None:
    if progress.ends_epoch:
        print(
            f"epoch {progress.epoch}: loss {progress.loss:.4f}, {progress.pairs_per_second:,.0f} pairs/s",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
