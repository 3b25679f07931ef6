"""Tries changes of the recipe and judges each by the development sets.

python box/trials.py DATA OUT [NAME...]: all of trials.toml, or some of it. OUT keeps the models and trials.jsonl, so
that a run that was stopped goes on. A trial of all languages takes some ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import calque
from calque.tasks.trained import trained
from calque.toml import loads
from plan import HERE, corpora, read_recipe, weights
from scores import Scores, measured

BASE = "the recipe"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("names", nargs="*", metavar="NAME")
    chosen = parser.parse_args()
    listed = loads((HERE / "trials.toml").read_text(encoding="utf-8"))
    recipe, trials = changed(read_recipe(), listed["base"]), listed["trial"]
    if unknown := sorted(set(chosen.names) - {trial["name"] for trial in trials}):
        raise SystemExit(f"trials.toml has no trial {unknown[0]!r}")
    base = judged({"name": BASE}, recipe, chosen.data, chosen.out)
    tell(chosen.out, BASE, base, base)
    for trial in trials:
        if not chosen.names or trial["name"] in chosen.names:
            tell(chosen.out, trial["name"], judged(trial, recipe, chosen.data, chosen.out), base)


def judged(trial: dict[str, Any], base: dict[str, Any], data: Path, out: Path) -> Scores:
    recipe = changed(base, trial)
    bitexts = corpora(data / "bitext", recipe)
    training = dict(recipe["training"])
    size, sharing = training.pop("vocabulary_size"), training.pop("sharing")
    alone = "only" in trial and "vocabulary_size" in trial.get("training", {})
    source = out / (f"vocabulary-{size}-{'-'.join(trial['only'])}" if alone else f"vocabulary-{size}")
    of = [each for each in bitexts if each.language in trial["only"]] if "only" in trial else bitexts
    words = [str(each.path) for each in (of if alone else bitexts)]
    trained(source, lambda: calque.train(words, source, vocabulary_size=size, sharing=sharing, dimension=1, epochs=0))
    folder = out / "".join(letter if letter.isalnum() else "-" for letter in trial["name"])
    options = {"weights": weights(of, recipe), "vocabulary_from": source, **training}
    return measured(
        trained(folder, lambda: calque.train([str(each.path) for each in of], folder, **options)), data / "eval"
    )


def changed(recipe: dict[str, Any], trial: dict[str, Any]) -> dict[str, Any]:
    """The recipe with a trial's values, table by table. They come last, since the last pattern of a name counts."""
    tables = {name: value for name, value in trial.items() if name not in ("name", "only")}
    kept = {name: {key: each for key, each in recipe[name].items() if key not in tables[name]} for name in tables}
    return recipe | {name: kept[name] | value for name, value in tables.items()}


def tell(out: Path, name: str, scores: Scores, base: Scores) -> None:
    gained, low, high = scores.difference(base)
    line = {"trial": name, **{key: round(value, 2) for key, value in scores.row.items()}}
    line |= {"mean's difference": [round(each, 2) for each in (gained, low, high)]}
    print(json.dumps(line, ensure_ascii=False), flush=True)
    with (out / "trials.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
