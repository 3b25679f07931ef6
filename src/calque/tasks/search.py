"""An index of files, and files of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..batches import batches
from ..corpus import STDIN, read_lines
from ..corpus.files import open_bytes
from ..errors import CorpusError, UsageError
from ..index import Hit, Index
from ..index.changes import Report
from ..model import Model
from ..model.familiarity import SEARCHING, Side, peeked, warn_of_languages
from .inputs import require_one_standard_input

LARGE = 2_000_000  # entries from which on approximate search is worth a thought

_BATCH = 2048  # queries answered together


class Answer(NamedTuple):
    number: int  # of the query, from 1
    query: str
    hits: list[Hit]


def build_index(
    corpora: Sequence[str],
    out: str | Path,
    model: Model | str | Path | None = None,
    *,
    language: str | None = None,
    approximate: bool = False,
    overwrite: bool = False,
    threads: int | None = None,
    report: Report = lambda lines: None,
) -> Index:
    """As Index.build, for several files; `-` is standard input."""
    return Index.build(
        _readable(corpora),
        out,
        model,
        language=language,
        approximate=approximate,
        overwrite=overwrite,
        threads=threads,
        report=report,
    )


def add_files(
    index: Index,
    files: Sequence[str],
    *,
    language: str | None = None,
    threads: int | None = None,
    report: Report = lambda lines: None,
) -> int:
    """Adds the lines of some files and returns how many entries are new."""
    return index.add(_readable(files), language=language, threads=threads, report=report)


def delete_entries(
    index: Index,
    ids: Sequence[int] = (),
    files: Sequence[str] = (),
    texts: Sequence[str] = (),
    threads: int | None = None,
) -> int:
    """Deletes the entries with these ids, with the ids that some files list, and with exactly these texts.

    Raises:
        UsageError: one of them is not there; nothing is deleted then.
    """
    wanted = [*ids, *(id for file in files for id in read_ids(file))]
    for text in texts:
        found = index.ids_of(text)
        if not found:
            raise UsageError(
                f"no entry has exactly the text {text!r}",
                hint=f"`calque search query {index.path} TEXT` finds what is like it; nothing was deleted",
            )
        wanted += found
    return index.delete(wanted, threads=threads)


def read_ids(path: str) -> Iterator[int]:
    """The first column of a file, so that what a query has printed can be given back with `cut`."""
    for number, line in enumerate(read_lines(path), start=1):
        cell = line.split("\t")[0].strip()
        if not cell:
            continue
        if not (cell.isascii() and cell.isdecimal()):
            raise CorpusError(f"{path}, line {number}: expected an id, got {cell!r}", hint="one id a line")
        yield int(cell)


def answer_file(
    index: Index, path: str, k: int = 10, *, language: str | None = None, threads: int | None = None
) -> Iterator[Answer]:
    """The hits of each line of a file, streamed; a blank line has none."""
    head, queries = peeked(read_lines(path))
    warn_of_languages(index.model, Side(path, language, head), expect=SEARCHING)
    numbered = enumerate(queries, start=1)
    for batch in batches(numbered, _BATCH):
        found = index.search([query for _, query in batch], k, language=language, threads=threads)
        for (number, query), hits in zip(batch, found, strict=True):
            yield Answer(number, query, hits)


def _readable(paths: Sequence[str]) -> list[Path]:
    """A file that is not there is found out before hours have gone into those before it.

    Raises:
        UsageError: it cannot be read, or standard input is named twice.
    """
    require_one_standard_input(paths)
    for path in paths:
        if path != STDIN:
            with open_bytes(path):
                pass
    return [Path(path) for path in paths]
