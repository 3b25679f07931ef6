"""A BLSTM gives the mean of its states, whatever else is encoded with a sentence."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calque
from calque.demo import sentences
from calque.encoder import BlstmEncoder, random_parameters
from calque.encoder.blstm import blstm_vectors
from calque.encoder.packing import LONGEST, pack, packs
from calque.encoder.pytorch import torch_crew
from calque.errors import UsageError
from calque.vocabulary import Tokens
from lstm_twin import blstm_vector
from strategies import id_lists, texts

torch = pytest.importorskip("torch")

EVERY = [line for lines in sentences().values() for line in lines]


def encode(parameters: Any, ids: list[list[int]], threads: int = 1) -> Any:
    with torch_crew(threads) as crew:
        return blstm_vectors(parameters, Tokens.from_lists(ids, len(parameters["embeddings"])), crew)


@pytest.fixture(scope="module")
def encoder(small_model: calque.Model) -> BlstmEncoder:
    vocabulary = small_model.vocabulary
    return BlstmEncoder(vocabulary, random_parameters("blstm", vocabulary.size, 24, seed=1, unknown=0))


@given(ids=id_lists(rows=30), dimension=st.sampled_from([2, 6, 24]), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_vectors_are_those_of_the_twin(ids: list[list[int]], dimension: int, seed: int) -> None:
    parameters = random_parameters("blstm", 30, dimension, seed)
    expected = np.array([blstm_vector(parameters, sentence) for sentence in ids]).reshape(len(ids), dimension)
    np.testing.assert_allclose(encode(parameters, ids), expected, rtol=0, atol=1e-6)


@given(ids=id_lists(rows=30, longest=40))
@settings(max_examples=60)
def test_neighbours_do_not_change_a_vector(ids: list[list[int]]) -> None:
    parameters = random_parameters("blstm", 30, 16, seed=1)
    alone = [encode(parameters, [sentence])[0] for sentence in ids]
    np.testing.assert_allclose(encode(parameters, ids), np.array(alone).reshape(-1, 16), rtol=0, atol=1e-6)


def test_order_matters_to_it() -> None:
    parameters = random_parameters("blstm", 30, 16, seed=1)
    one, two = encode(parameters, [[1, 2, 3], [3, 2, 1]])
    assert np.abs(one - two).max() > 0.01


@given(ids=id_lists(rows=30, longest=9), most=st.integers(1, 40))
def test_packing_keeps_every_token_and_reads_each_sentence_both_ways(ids: list[list[int]], most: int) -> None:
    tokens = Tokens.from_lists(ids, 30)
    seen: dict[int, tuple[list[int], list[int]]] = {}
    for packed in packs(tokens, most):
        assert len(packed) <= most or len(packed.sentences) == 1
        begins = np.cumsum([0, *packed.alive])
        for column, sentence in enumerate(packed.sentences):
            places = [begin + column for begin, alive in zip(begins, packed.alive, strict=False) if column < alive]
            forward = tokens.ids[packed.places[places]].tolist()
            backward = tokens.ids[packed.places[packed.mirror[places]]].tolist()
            assert int(sentence) not in seen
            seen[int(sentence)] = forward, backward
    assert seen == {number: (list(each), list(each)[::-1]) for number, each in enumerate(ids) if each}


def test_packing_puts_like_lengths_together() -> None:
    tokens = Tokens.from_lists([[1] * length for length in (1, 9, 2, 8, 1, 9)], 30)
    assert [packed.lengths.tolist() for packed in packs(tokens, 20)] == [[9, 9], [8, 2, 1, 1]]
    assert pack(tokens, np.array([0, 1, 2])).alive == [3, 2, 1, 1, 1, 1, 1, 1, 1]


def test_many_distinct_tokens_are_encoded_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = random_parameters("blstm", 500, 16, seed=1)
    ids = [list(range(begin, begin + 5)) for begin in range(490)]
    expected = encode(parameters, ids)
    monkeypatch.setattr("calque.encoder.blstm._MOST_ROWS", 100)
    monkeypatch.setattr("calque.encoder.blstm._MOST_TOKENS", 64)
    np.testing.assert_allclose(encode(parameters, ids), expected, rtol=0, atol=1e-6)


def test_each_text_has_a_row_of_float32(encoder: BlstmEncoder) -> None:
    vectors = encoder.encode(["A dog runs.", "Un perro corre.", ""])
    assert vectors.shape == (3, 24)
    assert vectors.dtype == np.float32
    assert encoder.encode([]).shape == (0, 24)


@pytest.mark.parametrize("text", ["", " ", " \t\n\u3000", "\u200b"], ids=repr)
def test_text_without_a_known_piece_is_zero(encoder: BlstmEncoder, text: str) -> None:
    assert not encoder.encode([text, "A dog."])[0].any()
    assert not encoder.encode([text], normalize=True)[0].any()


def test_one_str_is_refused_with_the_way_out(encoder: BlstmEncoder) -> None:
    with pytest.raises(UsageError, match=r"got one str\n\nhint: write encode\(\[text\]\)"):
        encoder.encode("A dog runs.")


def test_less_than_one_thread_is_refused(encoder: BlstmEncoder) -> None:
    with pytest.raises(UsageError, match="threads: expected 1 or more, got 0"):
        encoder.encode(["A dog."], threads=0)


@given(text=texts)
def test_any_text_has_a_finite_vector_and_a_direction(encoder: BlstmEncoder, text: str) -> None:
    vector, unit = encoder.encode([text])[0], encoder.encode([text], normalize=True)[0]
    assert np.isfinite(vector).all()
    if vector.any():
        np.testing.assert_allclose(unit, vector / np.linalg.norm(vector), rtol=0, atol=1e-5)
    else:
        assert not unit.any()


def test_the_number_of_threads_does_not_matter(encoder: BlstmEncoder) -> None:
    expected = encoder.encode(EVERY, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(encoder.encode(EVERY, threads=threads), expected)


def test_vectors_are_the_same_each_time(encoder: BlstmEncoder) -> None:
    np.testing.assert_array_equal(encoder.encode(EVERY[:50]), encoder.encode(EVERY[:50]))


def test_pytorchs_own_threads_are_left_as_they_were(encoder: BlstmEncoder) -> None:
    before = torch.get_num_threads()
    encoder.encode(["A dog."], threads=before + 2)
    assert torch.get_num_threads() == before


def test_of_a_line_of_ten_megabytes_the_beginning_is_read(encoder: BlstmEncoder) -> None:
    line = "A dog runs fast. " * (10_000_000 // 17)
    ids = encoder.vocabulary.encode([line])[0]
    assert len(ids) > 10 * LONGEST
    vectors = encoder.encode([line, "A dog."])
    expected = encode(encoder.parameters, [ids[:LONGEST].tolist()])[0]
    np.testing.assert_allclose(vectors[0], expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(vectors[1], encoder.encode(["A dog."])[0], rtol=0, atol=1e-6)


def test_an_encoder_that_was_pickled_encodes_as_before(encoder: BlstmEncoder) -> None:
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.encode(EVERY[:50]), encoder.encode(EVERY[:50]))


def test_the_start_is_the_average_s_rows_and_an_lstm_s_weights() -> None:
    parameters = random_parameters("blstm", 50, 32, seed=3, unknown=0)
    np.testing.assert_array_equal(
        parameters["embeddings"], random_parameters("average", 50, 32, seed=3, unknown=0)["embeddings"]
    )
    for name, array in parameters.items():
        assert array.dtype == np.float32
        if name != "embeddings":
            assert 0.24 < np.abs(array).max() <= 0.25  # 1 / √16
    assert not np.array_equal(*parameters["lstm.recurrent_weights"])
