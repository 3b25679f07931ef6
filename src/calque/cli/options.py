"""Options and arguments that several commands take."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from .doubts import doubt_languages
from .places import FILE, MODEL, one_of
from .visible import harmless_there

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Columns(click.ParamType[Any]):
    """Two columns: numbers from 1 (`1,2`), or names of a header (`en,es`) where there can be one."""

    name = "A,B"

    def __init__(self, named: bool = True) -> None:
        self.named = named

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        columns = tuple(int(part) if part.isdecimal() else part for part in parts)
        if len(columns) != 2 or not all(parts) or not (self.named or all(isinstance(each, int) for each in columns)):
            like = "two numbers like 1,2" + (", or two names like en,es" if self.named else "")
            self.fail(f"expected {like}, got {value!r}", param, context)
        if columns[0] == columns[1] or 0 in columns:
            self.fail(f"expected two different columns, counted from 1, got {value}", param, context)
        return columns


class Column(click.ParamType[Any]):
    """One column: a number from 1, or a name."""

    name = "C"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        column = int(value) if str(value).isdecimal() else str(value)
        if column in (0, ""):
            self.fail(f"expected a name, or a number from 1, got {value!r}", param, context)
        return column


class Threshold(click.ParamType[Any]):
    """A number, or `auto`."""

    name = "T"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if value == "auto":
            return value
        with contextlib.suppress(ValueError):
            if not math.isnan(threshold := float(value)):
                return threshold
        self.fail(f"expected a number or auto, got {value!r}", param, context)


class Bytes(click.ParamType[Any]):
    """A number of bytes: `2G`, `500M`."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", str(value).strip(), re.IGNORECASE)
        if not found or not (size := int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))):
            self.fail(f"expected a size like 2G or 500M, got {value!r}", param, context)
        return size


def as_json_text(described: Any) -> str:
    """JSON that can be encoded: a lone surrogate, which UTF-8 has no bytes for, becomes a question mark."""
    text = json.dumps(described, ensure_ascii=False, indent=2)
    return harmless_there(text.encode("utf-8", "replace").decode())


model: Decorator = click.option(
    "--model",
    "-m",
    envvar="CALQUE_MODEL",
    type=MODEL,
    metavar="DIR",
    help="The model folder, or box for the model in the box; else CALQUE_MODEL, else the model in the box.",
)
threads: Decorator = click.option("--threads", type=int, metavar="N", help="Threads to use.  [default: all cores]")
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
languages: Decorator = click.option(
    "--languages",
    nargs=2,
    metavar="L L",
    callback=lambda context, param, given: given or (),
    help="The languages of the two sides: names them, and picks them from a file that holds more.",
)
columns: Decorator = click.option(
    "--columns",
    type=Columns(),
    help="Which columns hold source and target, by number or by name.  [default: the only two]",
)
format: Decorator = click.option(
    "--format",
    metavar="F",
    shell_complete=one_of("tsv", "csv", "moses", "zip", "tmx", "xliff", "po", "jsonl", "parquet", "arrow"),
    help="The input's format, if its content does not tell: tsv, csv, moses (two files), zip, tmx, xliff, po, jsonl, "
    "parquet or arrow.",
)


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """What must be known to read a bitext; the functions behind the commands take them under the same names."""

    @wraps(command)
    def doubting(*arguments: Any, **given: Any) -> Any:
        files = given["corpus"] if "corpus" in given else given["bitext"]  # beside a corpus: whether it is one
        doubt_languages(files, given["languages"])
        return command(*arguments, **given)

    return languages(columns(format(doubting)))


bitext: Decorator = click.argument("bitext", nargs=-1, required=True, metavar="BITEXT...", type=FILE)
outs: Decorator = click.option(
    "--output",
    "-o",
    "outs",
    multiple=True,
    required=True,
    type=FILE,
    metavar="OUT",
    help="Where to write; its name says the format and compression; twice for parallel files; - is standard output.",
)
column: Decorator = click.option(
    "--column", type=Column(), metavar="C", help="The column of a TSV or Parquet file, by number or name."
)
to: Decorator = click.option(
    "--to",
    metavar="F",
    shell_complete=one_of("tsv", "csv", "moses", "tmx", "jsonl", "parquet"),
    help="The format to write: tsv, csv, moses, tmx, jsonl or parquet.  [default: by OUT's name]",
)
