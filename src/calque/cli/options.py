"""Options and arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Columns(click.ParamType[Any]):
    """Two column numbers, from 1: `1,2`."""

    name = "N,N"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        try:
            first, second = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"expected two numbers like 1,2, got {value!r}", param, context)
        if min(first, second) < 1 or first == second:
            self.fail(f"expected two different columns, counted from 1, got {value}", param, context)
        return first, second


model: Decorator = click.option(
    "--model", "-m", envvar="CALQUE_MODEL", metavar="DIR", help="The model folder; else CALQUE_MODEL names it."
)
threads: Decorator = click.option("--threads", type=int, metavar="N", help="Threads to use.  [default: all cores]")
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
languages: Decorator = click.option(
    "--languages", nargs=2, metavar="L L", help="The languages of the two sides, if the file's name does not tell."
)
