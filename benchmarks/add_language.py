"""A language added to a model: what it learns, and what happens to the languages that the model knows.

Beside it: the same bitext with the model's own vocabulary and all rows learning, and, with --joint, a model that was
trained on everything from the start. Accuracies are those of Tatoeba's test sets, correlations those of STS-B dev.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import DATA, machine, print_table

import calque
from calque.corpus.languages import best_fit
from calque.vocabulary.sentencepiece import SentencePieceVocabulary

TATOEBA, STSB = DATA / "eval" / "tatoeba", DATA / "eval" / "stsb"


class Scores(NamedTuple):
    tatoeba: dict[str, float]
    stsb: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="the model to add to")
    parser.add_argument("--bitext", nargs="+", required=True, help="files of the new language beside a known one")
    parser.add_argument("--language", required=True, help="the new language")
    parser.add_argument("--joint", help="a model trained on everything from the start")
    parser.add_argument("--epochs", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as work:
        compare(arguments, Path(work))


def compare(arguments: argparse.Namespace, work: Path) -> None:
    before = calque.load(arguments.model)
    new = sets(TATOEBA, [arguments.language])
    if not new:
        raise SystemExit(f"Tatoeba has no test set of {arguments.language}")
    old, stsb = sets(TATOEBA, before.languages), sets(STSB, before.languages)
    options = {"init": arguments.model, "epochs": arguments.epochs, "threads": arguments.threads}
    begun = time.perf_counter()
    added = calque.train(arguments.bitext, work / "added", add_languages=[arguments.language], **options)
    seconds = time.perf_counter() - begun
    all_rows = calque.train(arguments.bitext, work / "all-rows", recipe="calque", **options)
    models = {"before": before, f"`--add-language {arguments.language}`": added, "`--recipe calque`": all_rows}
    if arguments.joint:
        models["all from the start"] = calque.load(arguments.joint)
    reached = {label: scores(model, new + old, stsb) for label, model in models.items()}
    rows = [
        [label, f"{model.vocabulary.size:,}", *cells(reached["before"], reached[label], new, old)]
        for label, model in models.items()
    ]
    columns = ["", "rows", f"new: {', '.join(new)}", f"old: mean of {len(old)}", "worst change"]
    print_table(
        f"Accuracy both ways on Tatoeba; Pearson's r on STS-B dev. Adding took {seconds:.0f} s.",
        [*columns, f"STS-B dev: mean of {len(stsb)}", "worst change"],
        rows,
    )
    print(f"\nOld words that are cut anew, of all in Tatoeba's test sets: {cut_anew(before, added, old)}\n")
    for model in models.values():
        print(f"- `{model.signature(f'tatoeba:{new[0]}', len(lines(new[0])))}`")


def sets(folder: Path, languages: Sequence[str]) -> list[str]:
    """Names of the sets in these languages: fra-eng, de-dev; English's training part is none."""
    names = sorted(path.stem for path in folder.glob("*.tsv") if not path.stem.endswith("-train"))
    return [name for name in names if best_fit(name.partition("-")[0], languages) is not None]


def scores(model: calque.Model, tatoeba: list[str], stsb: list[str]) -> Scores:
    retrieval = calque.evaluate(model, "tatoeba", TATOEBA, only=tatoeba, resamples=2)
    similarity = calque.evaluate(model, "stsb", STSB, only=stsb, resamples=2)
    return Scores(
        {name: retrieval[name].values["accuracy"] for name in tatoeba},
        {name: similarity[name].values["pearson"] for name in stsb},
    )


def cells(first: Scores, now: Scores, new: list[str], old: list[str]) -> list[str]:
    known = {name: now.tatoeba[name] for name in old}
    return [f"{now.tatoeba[new[0]]:.1f}", *mean_and_worst(first.tatoeba, known), *mean_and_worst(first.stsb, now.stsb)]


def mean_and_worst(before: dict[str, float], now: dict[str, float]) -> list[str]:
    changes = {name: now[name] - before[name] for name in now}
    worst = min(changes, key=lambda name: changes[name])
    return [f"{np.mean(list(now.values())):.1f}", f"{changes[worst]:+.1f} ({worst})" if any(changes.values()) else ""]


def lines(name: str) -> list[str]:
    return list(calque.read_lines(TATOEBA / f"{name}.tsv"))


def cut_anew(before: calque.Model, after: calque.Model, names: list[str]) -> str:
    told = []
    for name in names:
        words = [word for line in lines(name) for word in line.split("\t")[0].split()]
        cuts = []
        for model in (before, after):
            assert isinstance(model.vocabulary, SentencePieceVocabulary)
            cuts.append(model.vocabulary.cuts(words))
        told.append(f"{name} {np.mean([one != two for one, two in zip(*cuts, strict=True)]):.2%}")
    return ", ".join(told)


if __name__ == "__main__":
    main()
