"""Table 3: mining bitext. The paper scores by cosine; margins, and our own recipe, stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..errors import UsageError
from .library import Corpus
from .measures import bucc
from .published import published
from .table import Row, Table
from .workshop import Experiment, Score, Workshop

_PAIRS = {"en-de": "de", "en-fr": "fr"}
_SCORINGS = {"cosine": "cosine", "ratio": "margin (ratio, k = 4)", "distance": "margin (distance, k = 4)"}
_PUBLISHED_PAIRS = 2_000_000
_FOR_MINING = {"margin": 0.4, "mega_batch": 60}
_SIZES = ("vocabulary_size", "dimension")


class _Setting(NamedTuple):
    key: str  # of the paper's row
    recipe: str
    options: Mapping[str, float]
    epochs: int = 10

    @property
    def title(self) -> str:
        """The recipe, and where it was left."""
        changed = [f"{name.replace('_', '-')} {self.options[name]}" for name in self.options if name not in _SIZES]
        return ", ".join([self.recipe, *changed])


_SETTINGS = (
    _Setting("sp-20k", "paper", {"vocabulary_size": 20_000}),
    _Setting("sp-40k", "paper", {"vocabulary_size": 40_000}),
    _Setting("sp-20k", "calque", {"vocabulary_size": 20_000}),
    _Setting("sp-40k", "calque", {"vocabulary_size": 40_000}),
    _Setting("sp-40k", "calque", {"vocabulary_size": 40_000, "dimension": 1024}),
    # Chosen on BUCC's sample: the paper's own margin and mega-batches, at our rate, for half its epochs.
    _Setting("sp-40k", "calque", {"vocabulary_size": 40_000, **_FOR_MINING}, epochs=5),
    _Setting("sp-40k", "calque", {"vocabulary_size": 40_000, "dimension": 1024, **_FOR_MINING}, epochs=5),
)


def check(workshop: Workshop) -> None:
    """Raises what would end the experiment."""
    found = _splits(workshop)
    wanted = [language for language in _PAIRS.values() if f"{language}-en" in found]
    if not wanted:
        raise UsageError(
            f"{workshop.library.evaluation}: table3 needs BUCC's de-en or fr-en, got {', '.join(found)}",
            hint="calque corpus download bucc18 fetches them",
        )
    if not any(workshop.library.corpus("Europarl", language) for language in wanted):
        workshop.library.require("Europarl", wanted[0])


def _splits(workshop: Workshop) -> dict[str, str]:
    """By pair, the split that is reported: the training split only where there is no other."""
    sets = [name.partition(".") for name in workshop.library.sets("bucc").names]
    return {pair: split for pair, _, split in sorted(sets, key=lambda each: each[2] != "training")}


def table3(workshop: Workshop) -> Table:
    paper = published("table3")
    splits = _splits(workshop)
    rows = [Row.beside(paper["schwenk-2018"], {})]
    corpora = {
        column: corpus
        for column, language in _PAIRS.items()
        if f"{language}-en" in splits and (corpus := workshop.library.corpus("Europarl", language))
    }
    for setting in _SETTINGS:
        scores = {column: _scores(workshop, setting, column, corpus) for column, corpus in corpora.items()}
        epochs = dict.fromkeys(str(_epochs(workshop, setting, corpus)) for corpus in corpora.values())
        for scoring, title in _SCORINGS.items():
            ours = {column: each[scoring] for column, each in scores.items() if scoring in each}
            same_as_paper = setting.recipe == "paper" and scoring == "cosine"
            details = {
                "dimension": str(setting.options.get("dimension", 300)),
                "recipe": setting.title,
                "epochs": ", ".join(epochs),
                "score": title,
            }
            row = paper[setting.key]
            rows.append(Row(row.label, ours, row.values if same_as_paper else {}, details))
        workshop.rows_done(rows[-len(_SCORINGS) :])
    measured = {column: splits.get(f"{language}-en", "") for column, language in _PAIRS.items()}
    notes = [
        f"{column}: BUCC's {split} split; {_threshold(rows, column)}" if split else f"{column}: no BUCC data at hand."
        for column, split in measured.items()
    ]
    notes.append("The last epoch is reported. The paper trains on some 2 million pairs of Europarl.")
    notes.append("The changes to the recipe calque, and its fewer epochs, were chosen on BUCC's de-en sample.")
    return Table("table3", paper.title, paper.columns, tuple(rows), tuple(notes))


def _scores(workshop: Workshop, setting: _Setting, column: str, corpus: Corpus) -> dict[str, Score]:
    wide = f" {setting.options['dimension']}" if "dimension" in setting.options else ""
    experiment = Experiment(
        f"table3 {setting.key} {setting.title}{wide} {column}",
        corpus,
        workshop.scale.at_most(_PUBLISHED_PAIRS),
        {"recipe": setting.recipe, "epochs": _epochs(workshop, setting, corpus), **setting.options},
    )
    pair = f"{_PAIRS[column]}-en"
    return workshop.scores(experiment, lambda model: bucc(model, workshop.library, pair), "bucc")


def _epochs(workshop: Workshop, setting: _Setting, corpus: Corpus) -> int:
    pairs = min(workshop.scale.at_most(_PUBLISHED_PAIRS), workshop.size(corpus))
    return workshop.scale.epochs_of(pairs, setting.epochs)


def _threshold(rows: list[Row], column: str) -> str:
    for row in rows:
        if column in row.ours:
            return f"threshold: {row.ours[column].notes.get('threshold_from')}."
    return "no Europarl at hand, so not measured."
