"""Table 3: mining bitext. The paper scores by cosine; margins, and our own recipe, stand beside it."""

from __future__ import annotations

from ..evaluation.sets.bucc import find_bucc
from .library import Corpus
from .measures import bucc
from .published import published
from .table import Row, Table
from .workshop import Experiment, Score, Workshop

_PAIRS = {"en-de": "de", "en-fr": "fr"}
_SIZES = {"sp-20k": 20_000, "sp-40k": 40_000}
_SCORINGS = {"cosine": "cosine", "ratio": "margin (ratio, k = 4)"}
_PUBLISHED_PAIRS = 2_000_000


def table3(workshop: Workshop) -> Table:
    paper = published("table3")
    splits = {each.pair: each.split for each in find_bucc(workshop.library.evaluation)}
    rows = [Row.beside(paper["schwenk-2018"], {})]
    for key, size in _SIZES.items():
        for recipe in ("paper", "calque"):
            scores = {
                column: _scores(workshop, f"table3 {key} {recipe} {column}", corpus, size, recipe, f"{language}-en")
                for column, language in _PAIRS.items()
                if f"{language}-en" in splits and (corpus := workshop.library.corpus("Europarl", language))
            }
            for scoring, title in _SCORINGS.items():
                ours = {column: each[scoring] for column, each in scores.items() if scoring in each}
                same_as_paper = recipe == "paper" and scoring == "cosine"
                values = paper[key].values if same_as_paper else {}
                rows.append(Row(paper[key].label, ours, values, {"recipe": recipe, "score": title}))
    measured = {column: splits.get(f"{language}-en", "") for column, language in _PAIRS.items()}
    notes = [
        f"{column}: the {split} split; {_threshold(rows, column)}" if split else f"{column}: no BUCC data at hand."
        for column, split in measured.items()
    ]
    notes.append("The last epoch is reported. The paper trains on some 2 million pairs of Europarl.")
    return Table("table3", paper.title, paper.columns, tuple(rows), tuple(notes))


def _scores(workshop: Workshop, name: str, corpus: Corpus, size: int, recipe: str, pair: str) -> dict[str, Score]:
    pairs = None if workshop.scale.is_whole else workshop.scale.at_most(_PUBLISHED_PAIRS)
    options = {
        "recipe": recipe,
        "vocabulary_size": size,
        "epochs": workshop.scale.epochs_of(pairs or workshop.size(corpus)),
    }
    experiment = Experiment(name, corpus, pairs, options)
    return workshop.scores(experiment, lambda model: bucc(model, workshop.library, pair), "bucc")


def _threshold(rows: list[Row], column: str) -> str:
    for row in rows:
        if column in row.ours:
            return f"threshold: {row.ours[column].notes.get('threshold_from')}."
    return "not measured."
