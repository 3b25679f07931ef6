"""Tab-separated values: a line a pair, no quoting; perhaps a header that names the columns."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO

from ... import _kernel
from ..fields import Chosen, by_number, choose_fields, is_header, wrong_width
from ..lines import Block, blocks, not_utf8
from ..pair import Languages, Pair, Reading, Wanted

_BATCH = 1024  # pairs; so few that their strings stay in the processor's cache


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    pieces = blocks(file, name)
    first = next(pieces, None)
    if first is None:
        return Reading(wanted.languages, iter(()))
    cells = _first_line(first, name).split("\t")
    if is_header(cells, wanted, codes=len(cells) > 2):  # two codes may be a pair of words
        chosen, skip = choose_fields(cells, wanted, f"{name}, line 1"), 1
    else:
        chosen, skip = by_number(cells, wanted, f"{name}, line 1"), 0
    exactly = 0 if wanted.columns or skip else 2
    return Reading(chosen.languages, _rows(chain([first], pieces), chosen, exactly, skip, name))


def _first_line(block: Block, name: str) -> str:
    end = block.buffer.find(b"\n", 0, block.end)
    lines, problem = _kernel.split_lines(block.buffer, end + 1 if end >= 0 else block.end)
    if problem:
        raise not_utf8(name, 1, problem.detail, problem.byte)
    return lines[0]


def _rows(pieces: Iterable[Block], chosen: Chosen, exactly: int, skip: int, name: str) -> Iterator[list[Pair]]:
    splitter = _kernel.RowSplitter(Pair, [chosen.first, chosen.second], exactly)
    number = 0  # of lines before the block whose rows are taken
    for block in chain(pieces, [Block(bytearray(), 0)]):
        splitter.push(block.buffer, block.end)
        while batch := splitter.take(_BATCH):
            yield batch[skip:] if skip else batch
            skip = 0
        problem = splitter.problem
        if problem:
            line = number + problem.line + 1
            if problem.utf8:
                raise not_utf8(name, line, problem.detail, problem.byte)
            last = max(chosen.first, chosen.second)
            raise wrong_width(f"{name}, line {line}", problem.detail, last, exactly, "columns are separated by one tab")
        number += splitter.lines


_BREAKS = str.maketrans("\t\n\r", "   ")


def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None = None) -> None:
    """One pair a line; a tab or a line's end inside a text becomes a space."""
    for batch in batches:
        write_rows(file, batch)


def write_rows(file: IO[bytes], rows: Sequence[tuple[str, ...]]) -> None:
    """Write one row a line; a tab or a line's end inside a cell becomes a space."""
    if not rows:
        return
    text = "\n".join(map("\t".join, rows))
    between = sum(map(len, rows)) - len(rows)
    # Replacing characters in every cell takes far longer than counting them in all.
    if text.count("\t") != between or text.count("\n") != len(rows) - 1 or "\r" in text:
        text = "\n".join("\t".join(cell.translate(_BREAKS) for cell in row) for row in rows)
    file.write(text.encode("utf-8", "replace") + b"\n")
