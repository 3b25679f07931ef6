"""Text to measure speed on: sentences from files of any kind, as many as the paper took."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..corpus import read_lines
from ..errors import UsageError

MOST = 128_000  # the paper's number
_NO_TEXT = {".gold", ".json", ".md", ".npy", ".py", ".safetensors", ".zip"}


def find_sentences(path: str | Path) -> list[str]:
    """The longest cell of each line of a file, or of the files of a folder one after another."""
    sentences = list(islice(_sentences(Path(path)), MOST))
    if not sentences:
        raise UsageError(f"no text in {path}", hint="--data is a file of sentences, or a folder of such files")
    return sentences


def _sentences(path: Path) -> Iterator[str]:
    for file in _files(path):
        for line in read_lines(file):
            cell = max(line.split("\t"), key=len)
            if cell.strip():
                yield cell


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.is_file())
    return [file for file in found if file.suffix not in _NO_TEXT and not file.name.startswith((".", "README"))]
