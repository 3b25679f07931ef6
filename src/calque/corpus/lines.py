"""Lines of UTF-8 text, from a plain or compressed file or from standard input."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from .. import _kernel
from ..errors import CorpusError
from .files import open_bytes

LONGEST = 1 << 26  # bytes of a line: whatever has a longer one is no file of sentences
_BLOCK = 1 << 21
_BUFFERS = 3  # one is being filled, one looked through, and one turned into strings


class Block(NamedTuple):
    """The first `end` bytes of a buffer are some whole lines of a file."""

    buffer: bytearray
    end: int


def read_lines(path: str | Path) -> Iterator[str]:
    """Yields the lines of a text file without their ends. The file may be compressed; `-` is standard input.

    A line ends at a line feed, as in every command, and a carriage return before it goes too. `str.splitlines` would
    also end lines at U+0085 and the like, and shift every line that follows.

    Examples:
        >>> lines = list(calque.read_lines("en-es.tsv"))
        >>> len(lines), lines[0].partition("\\t")[0]
        (920, 'I have to take this letter to the post office.')

    Raises:
        CorpusError: bytes that are not UTF-8, with the line; a compressed file that is broken or cut short.
        UsageError: no such file.
    """
    with open_bytes(path) as file:
        yield from chain.from_iterable(line_batches(file, str(path)))


def line_batches(file: io.BufferedReader, name: str) -> Iterator[list[str]]:
    number = 0
    for block in blocks(file, name):
        lines, problem = _kernel.split_lines(block.buffer, block.end)
        yield lines
        if problem:
            raise not_utf8(name, number + problem.line + 1, problem.detail, problem.byte)
        number += len(lines)


def blocks(file: io.BufferedReader, name: str, size: int = _BLOCK) -> Iterator[Block]:
    """A file's bytes cut at line feeds, without the mark that some editors put first.

    A block's memory is used again for the block after the next but one.

    Raises:
        CorpusError: a line without end.
    """
    buffers = [bytearray(size) for _ in range(_BUFFERS)]
    filled = _fill(file, buffers[0], 0)
    start = _mark(bytes(buffers[0][:4]), name)
    if start:
        buffers[0][: filled - start] = buffers[0][start:filled]
        filled -= start
    while filled:
        buffer = buffers[0]
        end = buffer.rfind(b"\n", 0, filled) + 1
        full = filled == len(buffer)
        if not end and full:
            buffers[0] = _larger(buffer, name)
            filled = _fill(file, buffers[0], filled)
            continue
        end = end if full else filled  # a buffer that is not full ends the file
        rest = filled - end
        buffers.append(buffers.pop(0))
        if len(buffers[0]) < len(buffer):
            buffers[0] = bytearray(len(buffer))
        buffers[0][:rest] = memoryview(buffer)[end:filled]
        yield Block(buffer, end)
        filled = _fill(file, buffers[0], rest) if full else 0


def _fill(file: io.BufferedReader, buffer: bytearray, filled: int) -> int:
    with memoryview(buffer) as view:
        while filled < len(buffer):
            count = file.readinto(view[filled:])
            if not count:
                break
            filled += count
    return filled


def _larger(buffer: bytearray, name: str) -> bytearray:
    if len(buffer) >= LONGEST:
        raise CorpusError(
            f"{name}: a line of more than {len(buffer) >> 20} MB", hint="a text file holds one sentence a line"
        )
    return buffer + bytearray(len(buffer))


def _mark(start: bytes, name: str) -> int:
    if start.startswith(codecs.BOM_UTF8):
        return len(codecs.BOM_UTF8)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CorpusError(
            f"{name}, line 1: UTF-16, not UTF-8",
            hint="convert the file first: iconv -f utf-16 -t utf-8 OLD > NEW",
        )
    return 0


def not_utf8(name: str, line: int, position: int, byte: int) -> CorpusError:
    return CorpusError(
        f"{name}, line {line}: not UTF-8 (byte 0x{byte:02x} at position {position + 1})",
        hint="convert the file first, for instance: iconv -f cp1252 -t utf-8 OLD > NEW",
    )
