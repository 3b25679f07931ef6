"""The rows with their pieces in word2vec's formats, text and binary, as gensim and many others read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

import numpy as np

from ..batches import batches
from ..errors import UsageError
from ..model import Model
from ..vocabulary import Vocabulary
from ..vocabulary.sentencepiece import SPACE
from ..vocabulary.sharing import SeparateVocabularies
from .requirements import require_average

_ROWS = 1000  # written at a time
_NO_KEYS = "export it --to sentence-transformers or onnx, which go by numbers"


def write_word2vec(
    model: Model, file: IO[bytes], binary: bool = False, report: Callable[[int], None] = lambda rows: None
) -> None:
    """
    A line `rows dimension`, then for each piece its key, a space and its numbers: as decimals that give the same
    float32 back, or as little-endian float32. The unknown piece is left out. `keys` says what a piece is called.

    Raises:
        UsageError: the model is no average, or two pieces cannot be told apart by their keys.
    """
    require_average(model, "a word2vec file")
    names = keys(model.vocabulary)
    rows = [row for row in range(len(names)) if row not in _unknown_rows(model.vocabulary)]
    _require_distinct([names[row] for row in rows])
    pattern = "%s" + " %.9g" * model.dimension + "\n"
    file.write(f"{len(rows)} {model.dimension}\n".encode())
    written = 0
    for some in batches(rows, _ROWS):
        vectors = np.asarray(model.encoder.rows_of(some), "<f4")
        for row, vector in zip(some, vectors, strict=True):
            if binary:
                file.write(f"{names[row]} ".encode() + vector.tobytes() + b"\n")
            else:
                file.write((pattern % (names[row], *vector.tolist())).encode())
        written += len(some)
        report(written)


def keys(vocabulary: Vocabulary) -> list[str]:
    """The pieces as they are, but for white space, which would end a key: a space becomes U+2581, as SentencePiece has
    it, and any other kind its escape in Python.

    "a b" of a trigram is a▁b, and U+0085 is \\x85.
    """
    return ["".join(map(_visible, piece)) for piece in vocabulary.pieces]


def _visible(character: str) -> str:
    if character == " ":
        return SPACE
    if character.isspace() or "\ud800" <= character <= "\udfff":
        return character.encode("unicode_escape").decode()
    return character


def _unknown_rows(vocabulary: Vocabulary) -> set[int]:
    if isinstance(vocabulary, SeparateVocabularies):
        return vocabulary.unknown_rows
    return set() if vocabulary.unknown is None else {vocabulary.unknown}


def _require_distinct(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name:
            raise UsageError("the vocabulary holds an empty piece, which a word2vec file cannot name", hint=_NO_KEYS)
        if name in seen:
            raise UsageError(
                f"two pieces of the vocabulary would both be called {name!r} in a word2vec file", hint=_NO_KEYS
            )
        seen.add(name)
