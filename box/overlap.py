"""No sentence that the model is judged by may be in the text it learns from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from calque.corpus import read_bitext, read_lines
from plan import Corpus

_NOT_LETTERS = re.compile(r"[\W_]+")
_SHORTEST = 4  # letters and digits: "Ja!" is a sentence in many languages, and the same in several


def require_no_overlap(chosen: Iterable[Corpus], evaluation: Path) -> int:
    """How many distinct sentences of the evaluation sets were looked for.

    Raises:
        SystemExit: one of them is a side of a training pair.
    """
    judged = {found for path in sorted(evaluation.rglob("*")) if path.is_file() for found in _keys(path)}
    for corpus in chosen:
        for number, pair in enumerate(read_bitext(corpus.path), start=1):
            if key(pair.source) in judged or key(pair.target) in judged:
                raise SystemExit(f"{corpus.path}, line {number}: this pair holds a sentence of an evaluation set")
    return len(judged)


def _keys(path: Path) -> Iterator[str]:
    """Every column may be a sentence: scores and numbers of lines are no text that anything learns from."""
    for line in read_lines(path):
        for column in line.split("\t"):
            found = key(column)
            if len(found) >= _SHORTEST and any(character.isalpha() for character in found):
                yield found


def key(text: str) -> str:
    """Letters and digits, without case."""
    return _NOT_LETTERS.sub("", text.casefold())
