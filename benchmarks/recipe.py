"""What each change to the recipe brings, on development sets.

Trains on English–Spanish text, once by the recipe and once for every change, and prints how far each lies from the
recipe: STS-B dev in English, in Spanish, and with one sentence in each, with the interval of their mean's difference,
for which pairs are drawn anew; and how many sentences of FLORES dev find their translation.

A run takes about a minute on two cores; OUT keeps the models, so that a stopped run goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from common import bitext_path, machine, print_table
from development import COLUMNS, TITLE, judged, row

import calque
from calque.tasks.trained import trained
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary

BITEXTS = ("tatoeba.en-es", "tatoeba-pivot.en-es", "europarl.en-es")
BASE: dict[str, Any] = {
    "dimension": 256,
    "epochs": 3,
    "weights": {"europarl.en-es": 0.25},  # as many pairs as the others have
}
CHANGES: dict[str, dict[str, Any]] = {
    "the recipe again, another seed": {"seed": 2},
    "no inverse frequency": {"inverse_frequency": 0.0},
    "inverse frequency 0.002": {"inverse_frequency": 0.002},
    "inverse frequency 0.05": {"inverse_frequency": 0.05},
    "learning rate 0.01": {"learning_rate": 0.01},
    "learning rate 0.03": {"learning_rate": 0.03},
    "learning rate 0.1": {"learning_rate": 0.1},
    "no decay": {"decay": False},
    "margin 0.4": {"margin": 0.4},
    "margin 0.8": {"margin": 0.8},
    "dropout 0.15": {"dropout": 0.15},
    "dropout 0.3": {"dropout": 0.3},
    "mega-batch 5": {"mega_batch": 5},
    "mega-batch 60": {"mega_batch": 60},
    "mini-batch 64, mega-batch 40": {"batch_size": 64, "mega_batch": 40},
    "mini-batch 1,024, mega-batch 5, rate 0.1": {"batch_size": 1024, "mega_batch": 5, "learning_rate": 0.1},
    "negatives of both languages": {"negatives": "monolingual"},
    "repeats may be negatives": {"exclude_repeats": False},
    "8 epochs": {"epochs": 8},
    "128 dimensions": {"dimension": 128},
    "512 dimensions": {"dimension": 512},
    "1,024 dimensions": {"dimension": 1024},
    "10,000 pieces": {"vocabulary_size": 10_000},
    "40,000 pieces": {"vocabulary_size": 40_000},
    "80,000 pieces": {"vocabulary_size": 80_000},
    "20,000 pieces, merged": {"vocabulary_size": 20_000, "sharing": "merged"},
    "no Europarl, 6 epochs": {"weights": {"europarl.en-es": 0.0}, "epochs": 6},
    "all of Europarl, 1 epoch": {"weights": {}, "epochs": 1},
    "the paper's recipe, 10 epochs": {"recipe": "paper", "epochs": 10},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--only", nargs="*", help="changes, by their names")
    arguments = parser.parse_args()
    with same_text_same_vocabulary():
        measure(arguments.out, arguments.only)


def measure(out: Path, only: list[str] | None) -> None:
    base = judged(changed_model(out / "base", {}))
    rows = [row("the recipe", base)]
    for number, (name, change) in enumerate(CHANGES.items()):
        if only and name not in only:
            continue
        rows.append(row(name, judged(changed_model(out / f"{number:02}", change)), base))
        print(rows[-1], flush=True)
    print(machine())
    print_table(TITLE, COLUMNS, rows)


@contextmanager
def same_text_same_vocabulary() -> Iterator[None]:
    """To learn the text's pieces takes longer than to learn their vectors, and few changes need others."""
    learnt: dict[VocabularySpec, Vocabulary] = {}

    def build(spec: VocabularySpec, text: Any) -> Vocabulary:
        if spec not in learnt:
            learnt[spec] = build_vocabulary(spec, text)
        return learnt[spec]

    with patch("calque.tasks.train.build_vocabulary", build):
        yield


def changed_model(folder: Path, change: dict[str, Any]) -> calque.Model:
    bitexts = [str(bitext_path(name)) for name in BITEXTS]
    return trained(folder, lambda: calque.train(bitexts, folder, **BASE | change))


if __name__ == "__main__":
    main()
