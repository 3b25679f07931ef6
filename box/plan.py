"""recipe.toml, and the bitexts and weights that follow from it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calque.tasks.weights import weight_of
from calque.toml import loads

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Corpus:
    """One bitext: `europarl.en-es` is the source europarl in the language es."""

    path: Path
    pairs: int

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".xz").removesuffix(".tsv")

    @property
    def source(self) -> str:
        return self.name.partition(".en-")[0]

    @property
    def language(self) -> str:
        return self.name.partition(".en-")[2]


def read_recipe() -> dict[str, Any]:
    return loads((HERE / "recipe.toml").read_text(encoding="utf-8"))


def corpora(folder: Path, recipe: dict[str, Any]) -> list[Corpus]:
    """Those of the folder in the recipe's languages; a source without a licence in the recipe may not be used."""
    with (folder / "COUNTS.tsv").open(encoding="utf-8") as file:
        every = [Corpus(folder / f"{name}.tsv.xz", int(pairs)) for name, pairs, _ in csv.reader(file, delimiter="\t")]
    chosen = [each for each in every if each.language in recipe["languages"] and each.name not in recipe["held_out"]]
    for each in chosen:
        if each.source not in recipe["licences"]:
            raise SystemExit(f"{each.path}: the recipe knows no licence of {each.source}")
    return chosen


def weights(chosen: list[Corpus], recipe: dict[str, Any]) -> dict[str, float]:
    """How often an epoch sees each bitext's pairs."""
    first = {each.name: weight_of(each.name, recipe["weights"]) for each in chosen}
    pairs: dict[str, float] = {}
    for each in chosen:
        pairs[each.language] = pairs.get(each.language, 0) + first[each.name] * each.pairs
    enough, power = recipe["balance"]["pairs"], recipe["balance"]["power"]
    boost = {
        language: max(1, enough / count) ** power * recipe["emphasis"].get(language, 1)
        for language, count in pairs.items()
    }
    return {each.name: round(first[each.name] * boost[each.language], 2) for each in chosen}
