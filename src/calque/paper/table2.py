"""Table 2: similarity within and across languages, for random and trained encoders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .library import Corpus, stand_in_notes
from .measures import TRACKS, sts17
from .published import PublishedTable, published
from .table import Row, Table
from .workshop import Experiment, Score, Workshop

# Which of the paper's columns a model of English and this language can fill; en-en goes to the model with most text.
_COLUMNS = {"es": ("es-es", "es-en", "en-en"), "ar": ("ar-ar", "ar-en"), "tr": ("tr-en",)}
_EVERYDAY = ("tatoeba", "tatoeba-pivot", "libreoffice")


class _Setting(NamedTuple):
    options: Mapping[str, Any]
    epochs: int  # the paper's: 20 on a million pairs of subtitles, 0 for random encoders
    most: int  # pairs, in the paper


_SUBTITLES = {
    "random-trigram": _Setting({"vocabulary": "trigram", "dimension": 300}, 0, 1_000_000),
    "random-sp-20k": _Setting({"vocabulary_size": 20_000, "dimension": 300}, 0, 1_000_000),
    "random-sp-40k": _Setting({"vocabulary_size": 40_000, "dimension": 300}, 0, 1_000_000),
    "sp-20k-os-300": _Setting({"vocabulary_size": 20_000, "dimension": 300}, 20, 1_000_000),
    "trigram-os-300": _Setting({"vocabulary": "trigram", "dimension": 300}, 20, 1_000_000),
    "sp-80k-os-1024": _Setting({"vocabulary_size": 80_000, "dimension": 1024}, 10, 10_000_000),
}
_PARLIAMENT = {
    "sp-20k-ep-300": _Setting({"vocabulary_size": 20_000, "dimension": 300}, 10, 2_000_000),
    "sp-20k-ep-1024": _Setting({"vocabulary_size": 20_000, "dimension": 1024}, 10, 2_000_000),
}


def check(workshop: Workshop) -> None:
    """Raises what would end the experiment."""
    workshop.library.require("Europarl", "es")
    workshop.require_sets("sts17")


def table2(workshop: Workshop) -> Table:
    paper, library = published("table2"), workshop.library
    everyday = {language: library.corpus("OpenSubtitles", language, _EVERYDAY) for language in _COLUMNS}
    parliament = {"es": library.require("Europarl", "es")}
    rows = [_row(workshop, paper, key, setting, everyday) for key, setting in _SUBTITLES.items()]
    rows += [_row(workshop, paper, key, setting, parliament) for key, setting in _PARLIAMENT.items()]
    trained = {*_SUBTITLES, *_PARLIAMENT}
    rows += [Row.beside(row, {}) for row in paper.rows if row.key not in trained]
    missing = [column for column in paper.columns if column not in rows[0].ours]
    notes = [
        "`data` and `pairs` are the paper's; the signatures give ours: as many pairs as there are, up to the paper's"
        + (f" or to {workshop.scale.pairs:,}." if workshop.scale.pairs else "."),
        *stand_in_notes(corpus for corpus in everyday.values() if corpus),
        *([f"No bitext or no evaluation set at hand for {', '.join(missing)}."] if missing else []),
        "Each language has a model of its own with English; en-en is that of the Spanish one.",
        "A language with little text is gone through more often than in the paper: the signatures say how often.",
        "The last epoch is reported: choosing it on en-en, as the paper does, would use a column of this very table.",
        "A vocabulary is as large as the row says or as the text supports; the signatures give its size.",
    ]
    return Table("table2", paper.title, paper.columns, tuple(rows), tuple(notes))


def _row(
    workshop: Workshop, paper: PublishedTable, key: str, setting: _Setting, corpora: Mapping[str, Corpus | None]
) -> Row:
    ours: dict[str, Score] = {}
    for language, corpus in corpora.items():
        columns = [column for column in _COLUMNS[language] if TRACKS[column] in workshop.library.sets("sts17").names]
        if corpus is None or not columns:
            continue
        pairs = workshop.scale.at_most(setting.most)
        seen = min(pairs, workshop.size(corpus))
        epochs = workshop.scale.epochs_of(seen, setting.epochs) if setting.epochs else 0
        experiment = Experiment(
            f"table2 {key} {language}",
            corpus,
            pairs,
            {"recipe": "paper", "epochs": epochs, **setting.options},
        )
        ours |= workshop.scores(
            experiment,
            lambda model, columns=columns: sts17(model, workshop.library, columns),  # type: ignore[misc]
            "sts17",
        )
    row = Row.beside(paper[key], ours)
    workshop.rows_done([row])
    return row
