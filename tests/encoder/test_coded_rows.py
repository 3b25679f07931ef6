"""Rows as codes: the floats they stand for, and an encoder that cannot tell the difference."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder, CodedRows, random_embeddings
from calque.encoder.quantise import quantised_rows
from calque.vocabulary import Tokens, Vocabulary, VocabularySpec, build_vocabulary
from strategies import texts

EVERY = [line for lines in sentences().values() for line in lines]
UNSPACED = ["子供が公園で遊んでいる。" * 9, "犬跑了" * 40, "dog" * 100 + "子供"]  # the plain path


def decoded(rows: CodedRows) -> npt.NDArray[np.float32]:
    """The slow twin: one number after another."""
    out = np.zeros((len(rows.scales), rows.dimension), np.float32)
    for row, scale in enumerate(rows.scales):
        for column in range(rows.dimension):
            if rows.bits == 3:
                level = rows.levels[rows.codes[row, column // 3], column % 3]
            else:
                byte = int(rows.codes[row, column * rows.bits // 8])
                level = rows.levels[byte if rows.bits == 8 else (byte >> 4 if column % 2 else byte & 15)]
            out[row, column] = level * scale
    return out


@st.composite
def coded(draw: st.DrawFn) -> CodedRows:
    bits, size, dimension = draw(st.sampled_from([8, 4, 3])), draw(st.integers(1, 6)), draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    width = -(-dimension // 3) if bits == 3 else (dimension * bits + 7) // 8
    codes = random.integers(0, 256, (size, width), dtype=np.uint8)
    levels = random.standard_normal((256, 3) if bits == 3 else 1 << bits, dtype=np.float32)
    return CodedRows(codes, levels, random.standard_normal(size, dtype=np.float32), dimension)


@given(rows=coded())
def test_a_row_is_its_levels_times_its_scale(rows: CodedRows) -> None:
    assert rows.floats.tobytes() == decoded(rows).tobytes()
    assert rows.floats.flags.c_contiguous


@given(rows=coded(), data=st.data())
def test_some_rows_are_those_of_all(rows: CodedRows, data: st.DataObject) -> None:
    ids = np.array(data.draw(st.lists(st.integers(0, len(rows.scales) - 1), max_size=9)), np.int64)
    assert rows.take(ids).tobytes() == rows.floats[ids].tobytes()


@pytest.mark.parametrize("times", [1, 100])
@given(rows=coded(), data=st.data())
def test_a_table_gives_each_sentence_its_own_rows(times: int, rows: CodedRows, data: st.DataObject) -> None:
    ids = st.lists(st.integers(0, len(rows.scales) - 1), min_size=1, max_size=4)
    tokens = Tokens.from_lists(times * data.draw(st.lists(ids, min_size=times // 25, max_size=4)), len(rows.scales))
    table = rows.table(tokens)
    assert len(table.tokens) == len(tokens)
    for sentence in range(len(tokens)):
        np.testing.assert_array_equal(table.rows[table.tokens[sentence]], rows.floats[tokens[sentence]])
    assert len(table.rows) == (len(tokens.ids) if times == 1 else len(np.unique(tokens.ids)))


@pytest.mark.parametrize("bits", [8, 4, 3])
def test_more_rows_than_16_bits_can_name(bits: int) -> None:
    size = (1 << 16) + 10
    rows = quantised_rows(random_embeddings(size, 16, seed=1), bits)
    ids = np.arange(size)[::-1].tolist()
    table = rows.table(Tokens.from_lists([ids], size))
    assert table.rows[table.tokens[0]].tobytes() == rows.floats[ids].tobytes()


@pytest.fixture(scope="module", params=[8, 4, 3])
def pair(request: pytest.FixtureRequest, small_model: calque.Model) -> tuple[AverageEncoder, AverageEncoder]:
    """An encoder of codes and one of the floats that they stand for."""
    rows = quantised_rows(small_model.embeddings, request.param)
    return AverageEncoder(small_model.vocabulary, rows), AverageEncoder(small_model.vocabulary, rows.floats)


def test_codes_encode_to_the_same_bits_as_their_floats(pair: tuple[AverageEncoder, AverageEncoder]) -> None:
    several = EVERY + UNSPACED
    for normalize in (False, True):
        vectors = [encoder.encode(several, normalize=normalize) for encoder in pair]
        assert vectors[0].tobytes() == vectors[1].tobytes()


@given(text=texts)
@settings(max_examples=100)
def test_any_text_has_the_same_bits_from_codes(pair: tuple[AverageEncoder, AverageEncoder], text: str) -> None:
    coded, floats = pair
    assert coded.encode([text]).tobytes() == floats.encode([text]).tobytes()


@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize(("kind", "dimension"), [("word", 7), ("trigram", 20), ("trigram", 33)])
def test_other_vocabularies_and_odd_dimensions_too(kind: str, dimension: int, bits: int) -> None:
    lines = [(None, line) for line in EVERY]
    vocabulary: Vocabulary = build_vocabulary(VocabularySpec(kind, 800), lambda: lines)  # type: ignore[arg-type]
    rows = quantised_rows(random_embeddings(vocabulary.size, dimension, seed=1), bits)
    one, two = AverageEncoder(vocabulary, rows), AverageEncoder(vocabulary, rows.floats)
    assert one.encode(EVERY[:300]).tobytes() == two.encode(EVERY[:300]).tobytes()
    assert one.dimension == dimension


def test_a_pickled_encoder_keeps_its_codes(pair: tuple[AverageEncoder, AverageEncoder]) -> None:
    again = pickle.loads(pickle.dumps(pair[0]))
    assert again.bits == pair[0].bits
    assert again.encode(EVERY[:50]).tobytes() == pair[0].encode(EVERY[:50]).tobytes()


def test_an_encoder_gives_floats_to_whoever_asks(pair: tuple[AverageEncoder, AverageEncoder]) -> None:
    coded, floats = pair
    assert coded.parameters.keys() == {"embeddings"}
    assert coded.embeddings.tobytes() == floats.embeddings.tobytes()
    assert coded.rows_of([5, 3, 5]).tobytes() == floats.rows_of([5, 3, 5]).tobytes()
    assert coded.rows_of([]).shape == (0, coded.dimension)
