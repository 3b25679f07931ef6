"""Bitext to files, in the format and compression that their names say."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from ..atomic import writing_all
from ..errors import UsageError
from .files import COMPRESSED, STDIN
from .formats import MOSES, WRITABLE, format_named
from .formats.moses import write_parallel
from .pair import Languages, Pair

STDOUT = STDIN
_ENDINGS = {name: name for name in WRITABLE if name != MOSES} | {"txt": "tsv", "ndjson": "jsonl"}
_READ_ONLY = {  # endings of formats that are read and not written
    "po": "PO",
    "pot": "PO",
    "xlf": "XLIFF",
    "xliff": "XLIFF",
    "sdlxliff": "XLIFF",
    "mqxliff": "XLIFF",
    "arrow": "Arrow",
    "feather": "Arrow",
    "zip": "zip",
}


def output_format(outs: Sequence[str], format: str | None = None) -> str:
    """The format to write: as told, or as the names say; two files are Moses's.

    Raises:
        UsageError: it cannot be told, or cannot be written there.
    """
    if format is not None and format not in WRITABLE:
        raise UsageError(f"cannot write {format!r}", hint=f"one of {', '.join(WRITABLE)}")
    if len(outs) == 2:
        if format not in (None, MOSES) or STDOUT in outs:
            raise UsageError("two outputs are the two files of a parallel corpus", hint="or pass one -o")
        require_different(outs)
        return MOSES
    if len(outs) != 1:
        raise UsageError(
            f"expected one output, or two for a parallel corpus, got {len(outs)}",
            hint="like -o out.tsv, or -o out.en -o out.es",
        )
    chosen = format or _format_in_name(outs[0])
    if outs[0] == STDOUT and chosen in (MOSES, "parquet"):
        raise UsageError(f"{chosen} cannot be written to standard output", hint="name a file with -o")
    return chosen


def require_different(outs: Iterable[str]) -> None:
    """
    Raises:
        UsageError: two outputs that would go to the same place, or one where a folder is.
    """
    taken: set[str] = set()
    for out in outs:
        if out != STDOUT and os.path.isdir(out):
            raise UsageError(f"{out} is a folder", hint="name a file to write to")
        place = out if out == STDOUT else os.path.realpath(out)
        if place in taken:
            named = "standard output" if out == STDOUT else out
            raise UsageError(f"two outputs cannot both go to {named}", hint="give each a place of its own")
        taken.add(place)


def write_bitext(
    outs: Sequence[str], batches: Iterable[list[Pair]], languages: Languages | None = None, format: str | None = None
) -> list[str]:
    """Writes all pairs, and says where to; the files appear whole or not at all. `-` is standard output.

    Moses takes two files, or one name to which the languages are added: `corpus` becomes `corpus.en` and `corpus.es`.
    """
    paths = output_paths(outs, languages, format)
    with open_outputs(paths) as files:
        write_pairs(files, batches, languages, output_format(outs, format))
    return paths


def write_pairs(
    files: Sequence[IO[bytes]], batches: Iterable[list[Pair]], languages: Languages | None, format: str
) -> None:
    """As `write_bitext`, to files that somebody has opened: two for Moses, one for any other format."""
    if format == MOSES:
        first, second = files
        write_parallel(first, second, batches)
    else:
        (file,) = files
        format_named(format).write(file, batches, languages)


def output_paths(outs: Sequence[str], languages: Languages | None = None, format: str | None = None) -> list[str]:
    """Where `write_bitext` would write to."""
    if output_format(outs, format) == MOSES and len(outs) == 1:
        return list(_moses_names(outs[0], languages))
    return list(outs)


def _moses_names(prefix: str, languages: Languages | None) -> tuple[str, str]:
    if languages is None or languages[0] == languages[1]:
        raise UsageError(
            "parallel files are named by their two languages, which are not known", hint="--languages en es"
        )
    ending = re.search(rf"\.(?:{'|'.join(COMPRESSED)})$", prefix, re.IGNORECASE)
    stem = prefix[: ending.start()] if ending else prefix
    return f"{stem}.{languages[0]}{ending[0] if ending else ''}", f"{stem}.{languages[1]}{ending[0] if ending else ''}"


def _format_in_name(out: str) -> str:
    if out == STDOUT:
        return "tsv"
    name = re.sub(rf"(\.(?:{'|'.join(COMPRESSED)}))+$", "", Path(out).name.lower())
    ending = name.rpartition(".")[2]
    if ending in _READ_ONLY and "." in name:
        raise UsageError(
            f"{out}: Calque reads {_READ_ONLY[ending]} and does not write it",
            hint=f"name it *.tmx for translation tools, or pass --to with one of {', '.join(WRITABLE)}",
        )
    if ending not in _ENDINGS or "." not in name:
        raise UsageError(
            f"{out}: the name does not say which format to write", hint=f"pass --to with one of {', '.join(WRITABLE)}"
        )
    return _ENDINGS[ending]


@contextlib.contextmanager
def open_output(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, compressed if its name says so, that appears whole or not at all. `-` is standard output."""
    with open_outputs([path]) as (file,):
        yield file


@contextlib.contextmanager
def open_outputs(paths: Sequence[str]) -> Iterator[list[IO[bytes]]]:
    """As `open_output`, of files that belong together: either all of them appear or none."""
    with writing_all([path for path in paths if path != STDOUT]) as files, contextlib.ExitStack() as packing:
        named = iter(files)
        yield [
            sys.stdout.buffer if path == STDOUT else packing.enter_context(_compressed(next(named), path))
            for path in paths
        ]
        if STDOUT in paths:
            sys.stdout.buffer.flush()


def _compressed(file: IO[bytes], path: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    ending = Path(path).suffix.lower().lstrip(".")
    if ending == "gz":
        import gzip

        # No time of day inside: the same pairs give the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0))
    if ending == "bz2":
        import bz2

        return bz2.open(file, "wb")
    if ending == "xz":
        import lzma

        return lzma.open(file, "wb", preset=3)
    if ending == "zst":
        import zstandard

        return zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return contextlib.nullcontext(file)
