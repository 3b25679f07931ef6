"""Evaluations as a table of words: the same cells on a terminal and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .bootstrap import Interval
from .evaluate import Evaluation, differences
from .result import Result
from .speed import MEASURES as MEASURES_OF_SPEED
from .suites import SUITES

SURE = 0.05  # below this p, a difference is marked


class Table(NamedTuple):
    header: list[str]
    rows: list[list[str]]
    means_begin: int  # rows from here on are means of those before
    note: str


def one_model(evaluation: Evaluation) -> Table:
    """A row a set: its size, every measure, and the first one's interval."""
    measures = SUITES[evaluation.suite].measures
    notes = [name for name in ("threshold", "threshold_from", "threads") if name in evaluation.results[0].notes]
    notes += ["tier"] if any(row.notes.get("tier") in ("weak", "unknown") for row in evaluation.results) else []
    header = ["set", "n", measures[0], *(["95 %"] if evaluation.results[0].intervals else []), *measures[1:], *notes]
    rows = []
    for row in evaluation.rows:
        within = [_between(row.interval(measures[0]))] if evaluation.results[0].intervals else []
        others = [_number(row, measure) for measure in measures[1:]]
        rows.append([row.name, f"{row.n:,}", _number(row, measures[0]), *within, *others, *_notes(row, notes)])
    note = "95 %: the bootstrap interval of the first measure." if evaluation.results[0].intervals else ""
    return Table([_title(name) for name in header], rows, len(evaluation.results), note)


def side_by_side(evaluations: Sequence[Evaluation]) -> Table:
    """A row a set, a column a model; each but the first with its difference from the first."""
    first, *others = evaluations
    measure = SUITES[first.suite].measures[0]
    apart = [differences(first, other) for other in others]
    header = ["set", "n", first.model]
    for other, found in zip(others, apart, strict=True):
        header += [other.model, *(["difference", "p"] if found else [])]
    rows = []
    for place, row in enumerate(first.rows):
        cells = [row.name, f"{row.n:,}", _number(row, measure)]
        for other, found in zip(others, apart, strict=True):
            cells.append(_number(other.rows[place], measure))
            if row.name in found:
                value, low, high, p = found[row.name]
                cells += [f"{value:+.1f} ({low:+.1f} … {high:+.1f}){' *' if p < SURE else ''}", f"{p:.3f}"]
            elif found:
                cells += ["", ""]
        rows.append(cells)
    note = (
        f"{_title(measure)}. * p < {SURE}, paired bootstrap test against {first.model}, not corrected for many tests."
    )
    return Table(header, rows, len(first.results), note if any(apart) else f"{_title(measure)}.")


def as_markdown(table: Table, evaluations: Sequence[Evaluation]) -> str:
    """The table, its note, and the signature of every score."""
    lines = [_line(map(_escaped, table.header)), _line(["---", *("---:" for _ in table.header[1:])])]
    for place, row in enumerate(table.rows):
        cells = [_escaped(cell) for cell in row]
        lines.append(_line([f"**{cell}**" if cell and place >= table.means_begin else cell for cell in cells]))
    if table.note:
        lines += ["", table.note]
    lines += ["", "Signatures:", ""]
    for evaluation in evaluations:
        measure = SUITES[evaluation.suite].measures[0]
        lines += [f"- `{measure}={_number(row, measure)} | {row.signature}`" for row in evaluation.rows]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(cell: str) -> str:
    """As Markdown that shows what the cell says: a bar would end it, a star would begin or spoil what is bold."""
    return re.sub(r"[|*\\]", r"\\\g<0>", cell)


def _number(row: Result, measure: str) -> str:
    """Empty where the row has no such score, as when no threshold could be told."""
    if measure not in row.values:
        return ""
    value = row.values[measure]
    return f"{value:,.0f}" if measure in MEASURES_OF_SPEED else f"{value:.1f}"


def _between(found: Interval | None) -> str:
    return f"{found.low:.1f} … {found.high:.1f}" if found else ""


def _notes(row: Result, names: Sequence[str]) -> list[str]:
    return ["" if row.notes.get(name) is None else str(row.notes[name]) for name in names]


def _title(name: str) -> str:
    return name.replace("_", " ")
