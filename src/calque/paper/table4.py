"""Table 4: how fast sentences are encoded, beside other libraries with the same vectors on the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..corpus import Bitext
from ..errors import UsageError
from ..evaluation.speed import measure_speed
from ..evaluation.subject import Subject, of_model, open_subject
from ..model import Model
from .library import Corpus
from .published import published
from .table import Row, Table
from .workshop import Experiment, Score, Scores, Workshop

COLUMN = "Sentences/Sec."
_SENTENCES = 128_000  # the paper's number
_DIMENSIONS = (300, 1024)
_PEERS = ("model2vec", "sentence-transformers")
_VOCABULARY_FROM = 50_000  # pairs


def table4(workshop: Workshop) -> Table:
    paper = published("table4")
    corpus = workshop.library.require("Europarl", "es")
    texts: list[str] = []
    rows = [Row.beside(row, {}) for row in paper.rows if row.key not in ("sp-20k-300", "sp-20k-1024")]
    missing: list[str] = []

    def sentences() -> list[str]:
        if not texts:
            texts.extend(_english(corpus))
        return texts

    for dimension in _DIMENSIONS:
        ours = _measured(workshop, corpus, dimension, sentences, missing)
        details = {"dimension": str(dimension)}
        rows.append(Row(f"SP (20k), Calque", {COLUMN: ours["calque"]}, paper[f"sp-20k-{dimension}"].values, details))
        rows += [
            Row(f"the same vectors, {peer}", {COLUMN: ours[peer]}, {}, details) for peer in _PEERS if peer in ours
        ]
    recurrent = _recurrent(workshop, corpus, sentences, missing)
    if recurrent:
        rows.append(Row("BLSTM-SP (20k), Calque", {COLUMN: recurrent}, {}, {"dimension": "300"}))
    notes = [
        "The paper's figures are from a graphics processor, from ready ids, in batches of 128; ours from strings, on "
        f"{next(iter(rows[2].ours.values())).notes.get('threads')} threads of a processor.",
        f"{_SENTENCES:,} English sentences of Europarl, or as many as take three seconds; the median of five passes.",
        *(f"Not measured, as it is not installed: {name}." for name in dict.fromkeys(missing)),
    ]
    return Table("table4", paper.title, paper.columns, tuple(rows), tuple(notes), digits=0)


def _english(corpus: Corpus) -> list[str]:
    pairs = (pair for path in corpus.paths for pair in Bitext((str(path),), corpus.languages).pairs())
    return [pair.source for pair in islice(pairs, _SENTENCES)]
