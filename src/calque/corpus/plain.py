"""Plain text: sentences of one language, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import CorpusError
from .bitext import language_of_file, without_endings
from .files import HEAD, open_bytes
from .formats.detect import TEXT, detect
from .languages import require_code
from .pair import Languages, Pair
from .texts import read_texts


@dataclass(frozen=True)
class PlainText:
    """PlainText("news.es.txt.gz", "es")"""

    path: str
    language: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    @property
    def languages(self) -> Languages | None:
        return (self.language, self.language) if self.language else None

    @property
    def name(self) -> str:
        """The file's name without its endings, as signatures have it."""
        return without_endings(self.path)

    def texts(self) -> Iterator[str]:
        """The lines that hold more than white space, streamed."""
        return (text for text in read_texts(self.path) if text.strip())

    def pairs(self) -> Iterator[Pair]:
        """Each line twice."""
        return (Pair(text, text) for text in self.texts())


def find_texts(paths: Sequence[str], language: str | None = None) -> list[PlainText]:
    """Plain texts; `language` is that of files whose names tell none.

    Raises:
        UsageError: no language code.
        CorpusError: a file that holds no sentences, or not one a line.
    """
    known = None if language is None else require_code(language)
    return [PlainText(_checked(path), language_of_file(path) or known) for path in paths]


def _checked(path: str) -> str:
    with open_bytes(path) as file:
        head = file.peek(HEAD)
        format = detect(head, path)
    if not head:
        raise CorpusError(f"{path} is empty", hint="plain text holds sentences, one a line")
    if format != TEXT:
        raise CorpusError(
            f"{path}: expected plain text, one sentence a line, got {format}",
            hint="name a bitext without --text; for one side of it: "
            f"calque corpus convert {path} -o side.en -o side.es",
        )
    return path
