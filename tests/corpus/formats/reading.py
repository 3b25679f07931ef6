"""What is read from a file with some content, and what is written to one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from calque.corpus import Columns, Languages, Pair, find_bitexts
from calque.corpus.formats import format_named
from calque.corpus.pair import Wanted
from calque.errors import CorpusError


class Found(NamedTuple):
    languages: Languages | None
    pairs: list[Pair]


def read(
    path: Path,
    content: bytes | str,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
) -> Found:
    """As a command does it; blank sides included."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (bitext,) = find_bitexts([str(path)], languages, columns, format)
    return Found(bitext.languages, [pair for batch in bitext.batches() for pair in batch])


def error_of(
    path: Path,
    content: bytes | str,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
) -> CorpusError:
    with pytest.raises(CorpusError) as problem:
        read(path, content, languages, columns, format)
    return problem.value


def written(format: str, pairs: Iterable[tuple[str, str]], languages: Languages | None = None) -> bytes:
    file = io.BytesIO()
    made = [Pair(*pair) for pair in pairs]
    format_named(format).write(file, [made[:2], [], made[2:]], languages)
    return file.getvalue()


def read_back(format: str, content: bytes) -> Found:
    """By the format's own reader, without options."""
    reading = format_named(format).read(io.BufferedReader(io.BytesIO(content)), "written", Wanted())  # type: ignore[arg-type]
    return Found(reading.languages, [pair for batch in reading.batches for pair in batch])
