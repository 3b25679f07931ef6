"""A table of the paper with our figures beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .published import PublishedRow
from .workshop import Score


@dataclass(frozen=True)
class Row:
    label: str
    ours: Mapping[str, Score] = field(default_factory=dict)  # by column
    published: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def beside(cls, paper: PublishedRow, ours: Mapping[str, Score], **details: str) -> Row:
        """Ours beside one of the paper's; `details` say how ours was made, where that differs."""
        return cls(paper.label, ours, paper.values, paper.details | details)

    def as_line(self, digits: int = 1) -> str:
        """What is measured, with the paper's in brackets, before the table is whole."""
        cells = [f"{column} {cell_of(self, column, digits)}" for column in self.ours]
        return f"{', '.join([self.label, *filter(None, self.details.values())])}: {', '.join(cells)}"


@dataclass(frozen=True)
class Table:
    name: str  # table2
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    digits: int = 1
    pictures: tuple[str, ...] = ()  # names of files beside the table's

    @property
    def detail_names(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row.details))

    @property
    def legend(self) -> str:
        """How to read a cell."""
        return "Ours, and the paper's in brackets." if any(row.published for row in self.rows) else ""

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of words: ours, with the paper's in brackets."""
        header = ["", *self.detail_names, *self.columns]
        rows = []
        for row in self.rows:
            details = [row.details.get(name, "") for name in self.detail_names]
            rows.append([row.label, *details, *(cell_of(row, column, self.digits) for column in self.columns)])
        return header, rows

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [
                {
                    "label": row.label,
                    "details": dict(row.details),
                    "ours": {column: score.as_dict() for column, score in row.ours.items()},
                    "published": dict(row.published),
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
            "pictures": list(self.pictures),
        }

    def as_markdown(self, command: str = "", machine: str = "") -> str:
        header, rows = self.cells()
        first_number = len(header) - len(self.columns)
        lines = [f"# {self.title}", "", *([self.legend, ""] if self.legend else []), _line(header)]
        lines.append(_line(["---" if place < first_number else "---:" for place in range(len(header))]))
        lines += [_line(row) for row in rows]
        lines += ["", *(f"![{self.title}]({picture})\n" for picture in self.pictures if picture.endswith(".png"))]
        lines += [f"- {note}" for note in self.notes]
        if signatures := list(self._signatures()):
            sure = any(score.low is not None for row in self.rows for score in row.ours.values())
            lines += ["", f"Signatures{', with 95 % intervals in brackets' if sure else ''}:", ""]
            lines += [f"- `{each}`" for each in signatures]
        if command:
            lines += ["", f"Made by `{command}`{f' on {machine}' if machine else ''}."]
        return "\n".join(lines).replace("\n\n\n", "\n\n").rstrip() + "\n"

    def _signatures(self) -> Sequence[str]:
        found: dict[str, None] = {}
        for row in self.rows:
            for column in self.columns:
                if (score := row.ours.get(column)) and score.signature:
                    within = f" [{score.low:.1f}, {score.high:.1f}]" if score.low is not None else ""
                    value, bar, rest = score.signature.partition(" | ")
                    found.setdefault(f"{value}{within}{bar}{rest}")
        return list(found)


def cell_of(row: Row, column: str, digits: int) -> str:
    """Ours, with the paper's in brackets."""
    ours, theirs = row.ours.get(column), row.published.get(column)
    words = f"{ours.value:,.{digits}f}" if ours else ""
    return f"{words} ({theirs:,.{digits}f})".strip() if theirs is not None else words


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
