"""A sentence is the average of its rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..errors import UsageError
from ..threads import resolve_threads
from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.sharing import SeparateVocabularies
from .protocol import Encoded, Parameters, Vectors
from .rows import FloatRows, Rows

_NARROWEST = 16  # columns the kernel can add up at once
_WORD_TABLE_BYTES = 256 << 20
_MOST_WORDS = 1 << 18
_FIRST_BATCH = 2048  # few at first: until the table knows the common words, most sentences are read twice
_LARGEST_BATCH = 1 << 17


class AverageEncoder:
    """Text in, mean of rows out. Vectors of text without any known piece are zero.

    Where pieces do not cross spaces, the sums of whole words are remembered (kernel/word_table.hpp) in 16-bit fixed
    point; ARCHITECTURE.md says how near that comes to the exact mean.
    """

    name = "average"

    def __init__(self, vocabulary: Vocabulary, rows: Vectors | Rows, normalizes: bool = False) -> None:
        self.vocabulary = vocabulary
        self.normalizes = normalizes
        self._rows: Rows = FloatRows(rows) if isinstance(rows, np.ndarray) else rows
        self.dimension = self._rows.dimension
        self.bits = self._rows.bits
        self._tables: dict[str | None, _kernel.WordTable] = {}
        self._process = os.getpid()  # that the tables are of

    @property
    def kind(self) -> str:
        return self.vocabulary.kind

    @property
    def embeddings(self) -> Vectors:
        return self._rows.floats

    def rows_of(self, ids: Sequence[int]) -> Vectors:
        return self._rows.take(np.asarray(ids, np.intp))

    @property
    def parameters(self) -> Parameters:
        return {"embeddings": self.embeddings}

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return self._rows.tensors

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    def encode(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vectors:
        """(len(texts), dimension) float32."""
        return self.encode_counting(texts, normalize, threads, language).vectors

    def encode_counting(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Encoded:
        if isinstance(texts, str):
            raise UsageError("encode takes a list of texts, got one str", hint="write encode([text])")
        texts = texts if isinstance(texts, list) else list(texts)
        normalize = normalize or self.normalizes
        count = resolve_threads(threads)
        if not texts:
            return Encoded(np.empty((0, self.dimension), np.float32), np.empty(0, np.uint32))
        if not self.vocabulary.splits_at_spaces:
            return self._encode_plainly(texts, normalize, count, language)
        out = Encoded(_kernel.matrix(len(texts), self.dimension), np.empty(len(texts), np.uint32))
        self._encode_words(texts, out, normalize, count, language)
        return out

    def _encode_words(
        self, texts: list[str], out: Encoded, normalize: bool, threads: int, language: str | None
    ) -> None:
        table = self._table(language)
        begin, size = 0, _LARGEST_BATCH if len(table) else _FIRST_BATCH
        if len(texts) <= size:  # slices cost about as much as a sentence
            self._encode_batch(table, texts, out, normalize, threads, language)
            return
        while begin < len(texts):
            end = min(begin + size, len(texts))
            part = Encoded(out.vectors[begin:end], out.pieces[begin:end])
            self._encode_batch(table, texts[begin:end], part, normalize, threads, language)
            begin, size = end, min(4 * size, _LARGEST_BATCH)

    def _encode_batch(
        self,
        table: _kernel.WordTable,
        texts: list[str],
        out: Encoded,
        normalize: bool,
        threads: int,
        language: str | None,
    ) -> None:
        which = np.arange(len(texts), dtype=np.uint64)
        missing, again, plain = table.encode(texts, which, *out, normalize, threads)
        if missing:
            words, tokens = self._steady(missing, self.vocabulary.encode(missing, language, threads), threads)
            rows, pieces = self._rows.table(tokens)
            table.add(words, pieces.ids, pieces.offsets, rows)
            # What the table cannot hold is still missing now, for want of room or because it is not steady: sentences
            # with such words are read whole.
            _, still, more = table.encode(texts, again, *out, normalize, threads)
            plain = np.concatenate([plain, still, more])
        if len(plain):
            read = self._encode_plainly([texts[at] for at in plain], normalize, threads, language)
            out.vectors[plain], out.pieces[plain] = read

    def _steady(self, words: list[str], tokens: Tokens, threads: int) -> tuple[list[str], Tokens]:
        if self.vocabulary.steady_words is None:
            return words, tokens
        steady = self.vocabulary.steady_words(words, tokens, threads)
        return [word for word, kept in zip(words, steady, strict=True) if kept], tokens.select(steady)

    def _encode_plainly(self, texts: list[str], normalize: bool, threads: int, language: str | None) -> Encoded:
        rows, tokens = self._rows.table(self.vocabulary.encode(texts, language=language, threads=threads))
        vectors = mean_vectors(rows, tokens, threads)
        return Encoded(unit(vectors) if normalize else vectors, tokens.lengths)

    def _table(self, language: str | None) -> _kernel.WordTable:
        if self._process != os.getpid():  # a fork copies locks, but not the threads of its parent that would open them
            self._tables, self._process = {}, os.getpid()
        # The same words have the same pieces in all languages, or else in all spellings of a language's code.
        language = self.vocabulary.member_for(language) if isinstance(self.vocabulary, SeparateVocabularies) else None
        if language not in self._tables:
            most = min(_MOST_WORDS, max(1024, _WORD_TABLE_BYTES // (2 * self.dimension)))
            seed = int.from_bytes(os.urandom(8), "little")
            self._tables[language] = _kernel.WordTable(self.dimension, most, self.vocabulary.folds_case, seed)
        return self._tables[language]

    def __getstate__(self) -> dict[str, object]:
        return {"vocabulary": self.vocabulary, "rows": self._rows, "normalizes": self.normalizes}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def unit(vectors: Vectors) -> Vectors:
    """Each row divided by its length; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    out: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return out


def mean_vectors(embeddings: Vectors, tokens: Tokens, threads: int) -> Vectors:
    """The mean of each sentence's rows, exactly as float32 adds up; zero where there are none."""
    dimension = embeddings.shape[1]
    if dimension < _NARROWEST:
        embeddings = np.pad(embeddings, ((0, 0), (0, _NARROWEST - dimension)))
    out = np.empty((len(tokens), embeddings.shape[1]), np.float32)
    _kernel.mean(embeddings, tokens.ids, tokens.offsets, out, threads)
    return np.ascontiguousarray(out[:, :dimension])
