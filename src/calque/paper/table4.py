"""Table 4: how fast sentences are encoded, beside other libraries with the same vectors on the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..evaluation.sentences import MOST as SENTENCES
from ..evaluation.speed import measure_speed
from ..evaluation.subject import PEERS, Subject, of_model, open_subject
from ..model import Model
from .bars import speed_bars
from .library import Corpus
from .published import published
from .table import Row, Table
from .workshop import SPEED, Experiment, Score, Scores, Workshop, pairs_of

TITLE = "Sentences encoded a second"
COLUMN = "Sentences/Sec."
_VOCABULARY_FROM = 50_000  # pairs
_CALQUE = "Calque"

# Speed does not depend on what was learnt, so none of these are trained.
_MODELS: dict[str, dict[str, Any]] = {
    "sp-20k-300": {"dimension": 300},
    "sp-20k-1024": {"dimension": 1024},
    "blstm-sp-20k-300": {"dimension": 300, "encoder": "blstm"},
}


def check(workshop: Workshop) -> None:
    """Raises what would end the experiment."""
    workshop.library.require("Europarl", "es")


def table4(workshop: Workshop) -> Table:
    paper = published("table4")
    corpus = workshop.library.require("Europarl", "es")
    rows = [Row.beside(row, {}) for row in paper.rows if row.key not in _MODELS]
    missing: dict[str, None] = {}
    unmeasured: list[str] = []
    threads = None
    for key, options in _MODELS.items():
        recurrent = "encoder" in options
        experiment = Experiment(f"table4 {key}", corpus, _VOCABULARY_FROM, {"recipe": "paper", "epochs": 0, **options})
        label = "BLSTM-SP (20k)" if recurrent else "SP (20k)"
        try:
            scores = workshop.scores(experiment, lambda model: _speeds(model, corpus), SPEED)
        except UsageError as problem:  # not installed
            unmeasured.append(f"{label} is not measured: {problem.message}.")
            continue
        details = {"dimension": str(options["dimension"])}
        for library, score in scores.items():
            values = paper[key].values if library == _CALQUE and not recurrent else {}
            rows.append(Row(label, {COLUMN: score}, values, details | {"with": library}))
            threads = score.notes.get("threads", threads)
        workshop.rows_done(rows[-len(scores) :] if scores else [], digits=0)
        if not recurrent:
            missing |= dict.fromkeys(library for library in PEERS if library not in scores)
    notes = [
        "The paper's figures are from a graphics processor, in batches of 128; ours are from raw strings on "
        f"{threads} threads of a processor. Other libraries open the very same folder.",
        f"{SENTENCES:,} English sentences of Europarl, or as many as three seconds allow; the median of five passes "
        "over the same text, whose words Calque remembers.",
        *(f"Not installed, and so not measured: {library}." for library in missing),
        *unmeasured,
    ]
    pictures = workshop.draw(lambda: _draw(rows, workshop.out / "table4"))
    return Table("table4", TITLE, paper.columns, tuple(rows), tuple(notes), digits=0, pictures=pictures)


def _draw(rows: Sequence[Row], out: Path) -> list[Path]:
    """Every figure, the paper's too."""
    bars, ours = {}, set()
    for row in rows:
        title = f"{row.label}, {row.details['dimension']}"
        if COLUMN in row.ours:
            name = f"{title}, {row.details['with']}"
            bars[name] = row.ours[COLUMN].value
            if row.details["with"] == _CALQUE:
                ours.add(name)
        if COLUMN in row.published:
            bars[f"{title}, the paper’s"] = row.published[COLUMN]
    return speed_bars(bars, out, TITLE, ours)


def _speeds(model: Model, corpus: Corpus) -> Scores:
    texts = _english(corpus)
    subjects: dict[str, Subject] = {_CALQUE: of_model(model)}
    if model.path and (model.path / "modules.json").exists():
        for library in PEERS:
            try:
                subjects[library] = open_subject(f"{library}:{model.path}", lambda: texts)
            except UsageError:  # not installed
                continue
    results = {name: measure_speed(subject, "speed:encode", texts) for name, subject in subjects.items()}
    return {name: Score.of(result, "sentences_per_second") for name, result in results.items()}


def _english(corpus: Corpus) -> list[str]:
    return [pair.source for pair in islice(pairs_of(corpus.paths, corpus.languages), SENTENCES)]
