"""The paper's own figures, to stand beside what comes out here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ..errors import UsageError
from ..toml import loads


@dataclass(frozen=True)
class PublishedRow:
    """`values` by column: what the paper leaves out has no entry."""

    key: str  # like sp-20k-ep-300: stays the same, whatever the label
    label: str
    values: dict[str, float]
    details: dict[str, str]  # like {"data": "EP", "pairs": "2M", "dimension": "300"}


@dataclass(frozen=True)
class PublishedTable:
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def __getitem__(self, key: str) -> PublishedRow:
        return {row.key: row for row in self.rows}[key]


def published(name: str) -> PublishedTable:
    """table1 to table5 as printed; figure1 holds the correlations that only the text around it quotes.

    >>> published("table2")["sp-20k-ep-300"].values["es-en"]
    54.9

    Raises:
        UsageError: the paper has no such table.
    """
    tables = _document()
    if name not in tables or name == "citation":
        known = ", ".join(key for key in tables if key != "citation")
        raise UsageError(f"the paper has no {name}", hint=f"it has {known}")
    table = tables[name]
    rows = (PublishedRow(row["key"], row["label"], row["values"], row.get("details", {})) for row in table["rows"])
    return PublishedTable(table["title"], tuple(table["columns"]), tuple(rows))


def citation() -> str:
    cited: str = _document()["citation"]
    return cited.strip()


@lru_cache(maxsize=1)
def _document() -> dict[str, Any]:
    return loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))
