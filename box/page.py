"""The packed model's card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import calque
from calque.evaluation.result import Result
from calque.model.about import pairs_in
from calque.model.quality import USABLE
from judge import DEVELOPMENT, SUITES, Report

_CARD = """\
---
library_name: calque
tags: [sentence-similarity, static-embeddings, multilingual]
language: [{codes}]
---
# The model in the box

Sentence embeddings in {count} languages that are averages of {rows:,} learned vectors of {dimension} dimensions, {bits}
bits a number. The model lies in the package `calque-nlp`: `calque.load()` opens it, and so does every command
without `--model`.

```python
import calque

model = calque.load()
model.similarity("A dog runs.", "Un perro corre.")
```

Made by `make box` from the bitexts below; `box/recipe.toml` says how. Signature of every score:
`{signature}`

## Quality

Pearson × 100 for similarity. A year's figure is the mean of its sets' correlations, as papers have it; `pooled` is the
correlation over all of a year's pairs, as MTEB has it. F1 for BUCC, at the threshold that is best on this very set, an
oracle's, which no user has, and at the automatic one, which `calque mine --threshold auto` takes from the two texts.
Development sets chose the recipe, and BUCC's sample is one. Test sets chose nothing, but had been measured on one
earlier model of this kind.

{tests}

Exact rows in place of codes of {bits} bits would reach, on the development sets: {exact}.

## Languages

Pairs that training had; STS-B dev, translated by machine, with both sentences in the language, and with one of them
in English; Tatoeba, a test, both ways. **Weak**: fewer than {weak:.0f} of 100 sentences of Tatoeba find their
translation, or there is no test.

{languages}

## Data and licences

{data}

The model is Apache-2.0, as Calque is. It credits Europarl, Tatoeba and LibreOffice, as their licences ask.
"""


def card(model: calque.Model, recipe: dict[str, Any], report: Report) -> str:
    return _CARD.format(
        codes=", ".join(model.languages),
        count=len(_rows(recipe)),
        rows=model.vocabulary.size,
        dimension=model.dimension,
        bits=recipe["rows"]["bits"],
        signature=model.signature("SET", 0).partition("|n:")[2].partition("|")[2],
        tests=_tests(report),
        exact=_exact(report),
        weak=USABLE,
        languages=_languages(model, recipe, report),
        data=_data(model, recipe),
    )


def _tests(report: Report) -> str:
    shown = [("sts17", name) for name in ("track5.en-en", "track3.es-es", "track4a.es-en", "track4b.es-en")]
    shown += [("sts17", name) for name in ("track1.ar-ar", "track2.ar-en", "track6.tr-en")]
    shown += [("sts", row.name.partition(":")[2]) for row in report.packed["sts"].means]
    shown += [("bucc", row.name.partition(":")[2]) for row in report.packed["bucc"].results]
    lines = ["| set | n | score | 95 % interval |", "|---|---:|---:|---|"]
    for suite, name in shown:
        row, measure = report.packed[suite][name], SUITES[suite][1]
        ends = row.interval(measure)
        between = f"{ends[0]:.1f} … {ends[1]:.1f}" if ends else ""
        score = f"{row.values[measure]:.1f}" if measure in row.values else "cannot tell"
        lines.append(f"| {_told(row)} | {row.n:,} | {score} | {between} |")
    return "\n".join(lines)


def _told(row: Result) -> str:
    """A row's name, and where its threshold comes from."""
    source = row.notes.get("threshold_from", "").partition(":")[0].partition(",")[0]
    return f"{row.name.removesuffix(':auto')}, {source} threshold" if source else row.name


def _exact(report: Report) -> str:
    told = []
    for suite in DEVELOPMENT:
        measure = SUITES[suite][1]
        packed, exact = ([row.values[measure] for row in each[suite].results] for each in (report.packed, report.exact))
        told.append(f"{suite} {sum(exact) / len(exact):.2f} (packed: {sum(packed) / len(packed):.2f})")
    return ", ".join(told)


def _rows(recipe: dict[str, Any]) -> dict[str, list[str]]:
    """Languages with what their other names in the bitexts bring, by those that have a test set, and English."""
    return {code: names for code, names in recipe["languages"].items() if len(names) > 1 or code == "en"}


def _languages(model: calque.Model, recipe: dict[str, Any], report: Report) -> str:
    same = {"zh-CN": "zh", "no": "nb", "pes": "fa"}
    pairs = _pairs(model, lambda source, language: same.get(language, language))
    lines = ["| | | pairs | STS-B | with English | Tatoeba | |", "|---|---|---:|---:|---:|---:|---|"]
    for code, (name, *test) in _rows(recipe).items():
        found = report.score("tatoeba", f"{test[0]}-eng") if test else None
        weak = "weak" if test and (found is None or found < USABLE) else ""
        numbers = [report.score("stsb", f"{code}-dev"), report.across.get(code), found]
        cells = " | ".join("" if number is None else f"{number:.1f}" for number in numbers)
        lines.append(f"| {code} | {name} | {pairs[code]:,} | {cells} | {weak} |")
    return "\n".join(lines)


def _data(model: calque.Model, recipe: dict[str, Any]) -> str:
    sources = _pairs(model, lambda source, language: source)
    lines = ["| source | pairs | licence |", "|---|---:|---|"]
    lines += [f"| {source} | {count:,} | {recipe['licences'][source]} |" for source, count in sources.items()]
    return "\n".join(lines)


def _pairs(model: calque.Model, group: Callable[[str, str], str]) -> dict[str, int]:
    """What training had, from names like europarl.en-es:600000×0.3, by what the source and the language belong to."""
    pairs: dict[str, int] = {}
    for each in model.about.data:
        source, _, language = each.partition(":")[0].partition(".en-")
        key = group(source, language)
        pairs[key] = pairs.get(key, 0) + pairs_in(each)
    return pairs
