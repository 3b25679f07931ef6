"""Rows and their pieces as gensim reads them, bit by bit."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.encoder import AverageEncoder
from calque.errors import UsageError
from calque.exporting import write_word2vec
from calque.exporting.word2vec import keys
from calque.model import Model
from calque.vocabulary.sharing import SeparateVocabularies
from calque.vocabulary.trigrams import TrigramVocabulary
from calque.vocabulary.words import WordVocabulary

gensim = pytest.importorskip("gensim.models")

BOTH = pytest.mark.parametrize("binary", [False, True])


def written(model: Model, binary: bool) -> bytes:
    file = io.BytesIO()
    write_word2vec(model, file, binary)
    return file.getvalue()


def read(content: bytes, folder: Path, binary: bool) -> Any:
    (folder / "rows").write_bytes(content)
    return gensim.KeyedVectors.load_word2vec_format(str(folder / "rows"), binary=binary)


@BOTH
def test_every_piece_has_its_row(model: Model, tmp_path: Path, binary: bool) -> None:
    vectors = read(written(model, binary), tmp_path, binary)
    assert vectors.index_to_key == model.vocabulary.pieces[1:]
    assert vectors.vectors.tobytes() == model.embeddings[1:].tobytes()


@BOTH
def test_other_averages_have_theirs(odd_model: Model, tmp_path: Path, binary: bool) -> None:
    vectors = read(written(odd_model, binary), tmp_path, binary)
    vocabulary = odd_model.vocabulary
    left_out = vocabulary.unknown_rows if isinstance(vocabulary, SeparateVocabularies) else set()
    kept = [row for row in range(vocabulary.size) if row not in left_out]
    assert vectors.index_to_key == [keys(vocabulary)[row] for row in kept]
    assert vectors.vectors.tobytes() == odd_model.embeddings[kept].tobytes()
    assert not any("unk>" in key for key in vectors.index_to_key)


def test_text_is_one_line_a_piece_and_nothing_else(small_model: Model) -> None:
    first, *lines = written(small_model, binary=False).decode().split("\n")
    assert first == "999 64"
    assert lines.pop() == ""
    assert [len(line.split(" ")) for line in lines] == [65] * 999
    assert all(line.startswith(piece) for line, piece in zip(lines, small_model.vocabulary.pieces[1:], strict=True))


odd_words = st.lists(
    st.text(st.one_of(st.characters(), st.sampled_from(" \t\n\r\x0b\x1c\x85\xa0\u2028\u3000\u2581\\")), min_size=1),
    unique_by=lambda word: "".join(keys(WordVocabulary([word]))),
    min_size=1,
    max_size=6,
)


@given(odd_words, st.integers(1, 4), st.integers(0, 1 << 30), st.booleans())
def test_odd_pieces_cannot_break_the_file(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], dimension: int, seed: int, binary: bool
) -> None:
    vocabulary = WordVocabulary(pieces)
    rows = np.random.default_rng(seed).integers(0, 1 << 32, (len(pieces), dimension), np.uint32).view(np.float32)
    rows = np.where(np.isfinite(rows), rows, 0).astype(np.float32)
    model = Model(AverageEncoder(vocabulary, rows), None)  # type: ignore[arg-type]
    folder = tmp_path_factory.getbasetemp()
    vectors = read(written(model, binary), folder, binary)
    assert vectors.index_to_key == keys(vocabulary)
    np.testing.assert_array_equal(vectors.vectors, rows)
    assert all(len(key.split()) == 1 and key == key.strip() for key in vectors.index_to_key)


def test_white_space_in_a_piece_is_written_so_that_it_can_be_seen() -> None:
    assert keys(TrigramVocabulary([" a ", "a b", "\u3000bc"])) == ["▁a▁", "a▁b", "\\u3000bc"]


def test_two_pieces_that_would_have_one_key_are_refused() -> None:
    model = Model(AverageEncoder(TrigramVocabulary(["a b", "a▁b"]), np.ones((2, 3), np.float32)), None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two pieces of the vocabulary would both be called 'a▁b'"):
        written(model, binary=False)


def test_an_empty_piece_is_refused() -> None:
    model = Model(AverageEncoder(WordVocabulary(["a", ""]), np.ones((2, 3), np.float32)), None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="holds an empty piece"):
        written(model, binary=True)


def test_a_blstm_is_refused(blstm: Model) -> None:
    with pytest.raises(UsageError, match="a word2vec file holds a row for each piece and nothing else"):
        written(blstm, binary=False)
