"""Reading and writing a format in memory, for tests."""

from __future__ import annotations

import io
from itertools import chain

from calque.corpus.formats import format_named
from calque.corpus.pair import Languages, Pair, Reading, Wanted


def opened(format: str, data: bytes | str, languages: Languages | None = None, name: str = "a.file") -> Reading:
    raw = io.BytesIO(data.encode("utf-8") if isinstance(data, str) else data)
    file = io.BufferedReader(raw, 1 << 16)  # type: ignore[type-var]
    return format_named(format).read(file, name, Wanted(languages))


def pairs_of(format: str, data: bytes | str, languages: Languages | None = None) -> list[Pair]:
    return list(chain.from_iterable(opened(format, data, languages).batches))


def written(format: str, pairs: list[Pair], languages: Languages | None = ("en", "es")) -> bytes:
    file = io.BytesIO()
    format_named(format).write(file, iter([pairs]), languages)
    return file.getvalue()
