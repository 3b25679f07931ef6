"""Warnings of what is allowed but seldom meant: told at once, since a long run would only show it in the end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice

from .manner import note, warn

_LOOKED_AT = 20  # lines
_FEW = 20_000  # pairs


def doubt_lines(*paths: str, columns: bool = False) -> None:
    """A table where a sentence is expected on each line; a pipe is not looked into, as it can be read once only.

    With `columns`, one of Parquet's columns can be read instead.

    Raises:
        UsageError: a file whose lines are no sentences at all, such as a translation memory.
    """
    from ..corpus import read_lines
    from ..corpus.texts import PARQUET, require_lines

    for path in paths:
        if os.path.isfile(path):
            if require_lines(path, columns) == PARQUET:
                continue
            tabs = [line.count("\t") for line in islice(read_lines(path), _LOOKED_AT)]
            if len(tabs) > 1 and len(set(tabs)) == 1 and tabs[0]:
                warn(
                    f"{path} has {tabs[0] + 1} columns, and each line is taken for one sentence; "
                    + ("--column 1 takes the first" if columns else "cut -f 1 would take the first column")
                )


def doubt_languages(bitext: Iterable[str], languages: Sequence[str]) -> None:
    """A file whose name tells other languages than --languages."""
    from ..corpus.bitext import languages_in_name
    from ..corpus.languages import is_swapped, require_standard

    for path in bitext if languages else ():
        in_name = languages_in_name(path)
        if in_name and is_swapped(require_standard(languages), *in_name) is None:
            warn(f"{path} is {' and '.join(in_name)} by its name, but --languages says {' and '.join(languages)}")


def doubt_size(pairs: int) -> None:
    """A bitext that is better used to adapt the model in the box."""
    from ..model.box import has_box

    if pairs < _FEW and has_box():
        note(f"{pairs:,} pairs are few: with --init box, training starts from what the model in the box knows")
