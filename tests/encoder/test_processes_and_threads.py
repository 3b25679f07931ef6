"""Encoders that are copied, forked and shared."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder, random_embeddings
from calque.vocabulary import VocabularySpec, build_vocabulary

EVERY = [line for lines in sentences().values() for line in lines]


@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_a_pickled_encoder_gives_the_same_vectors(kind: str) -> None:
    vocabulary = build_vocabulary(VocabularySpec(kind, 800), lambda: [(None, line) for line in EVERY])  # type: ignore[arg-type]
    encoder = AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 32, seed=1))
    vectors = encoder.encode(EVERY[:500])
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.encode(EVERY[:500]), vectors)
    np.testing.assert_array_equal(again.embeddings, encoder.embeddings)


def _encode_in_child(encoder: AverageEncoder, texts: list[str], threads: int, path: str) -> None:
    np.save(path, encoder.encode(texts, threads=threads))


def encoded_by_a_child(encoder: AverageEncoder, texts: list[str], threads: int, folder: os.PathLike[str]) -> np.ndarray:
    path = os.path.join(folder, "vectors.npy")
    child = multiprocessing.get_context("fork").Process(target=_encode_in_child, args=(encoder, texts, threads, path))
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()
        pytest.fail("the child hangs")
    assert child.exitcode == 0
    vectors: np.ndarray = np.load(path)
    return vectors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_encodes_after_its_parent_used_threads(
    small_model: calque.Model, threads: int, tmp_path: os.PathLike[str]
) -> None:
    encoder = AverageEncoder(small_model.vocabulary, small_model.embeddings)
    expected = encoder.encode(EVERY, threads=3)
    texts = [*EVERY, "words that the parent has never met, zyxomma"]
    np.testing.assert_array_equal(encoded_by_a_child(encoder, texts, threads, tmp_path)[:-1], expected)
    np.testing.assert_array_equal(encoder.encode(EVERY, threads=3), expected)  # the parent goes on


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_is_forked_amid_its_parents_work_encodes(
    small_model: calque.Model, tmp_path: os.PathLike[str]
) -> None:
    encoder = AverageEncoder(small_model.vocabulary, small_model.embeddings)
    expected = encoder.encode(EVERY)
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            encoder.encode(EVERY, threads=2)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    try:
        for _ in range(5):
            texts = [*EVERY, "zyxomma"]  # which has to be written into a table that the workers are reading from
            np.testing.assert_array_equal(encoded_by_a_child(encoder, texts, 2, tmp_path)[:-1], expected)
    finally:
        stopped.set()
        for worker in workers:
            worker.join()


def test_several_python_threads_share_one_cold_encoder(small_model: calque.Model) -> None:
    expected = AverageEncoder(small_model.vocabulary, small_model.embeddings).encode(EVERY, threads=1)
    for _ in range(5):
        shared = AverageEncoder(small_model.vocabulary, small_model.embeddings)

        def part(number: int, encoder: AverageEncoder = shared) -> np.ndarray:
            return encoder.encode(EVERY[number::8], threads=1 + number % 3)

        with ThreadPoolExecutor(8) as pool:
            for number, vectors in enumerate(pool.map(part, range(8))):
                np.testing.assert_array_equal(vectors, expected[number::8])


def test_python_threads_that_overfill_a_small_table_all_get_their_vectors(
    small_model: calque.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = AverageEncoder(small_model.vocabulary, small_model.embeddings).encode(EVERY, threads=1)
    monkeypatch.setattr("calque.encoder.average._MOST_WORDS", 200)
    monkeypatch.setattr("calque.encoder.average._WORD_TABLE_BYTES", 0)
    shared = AverageEncoder(small_model.vocabulary, small_model.embeddings)
    with ThreadPoolExecutor(6) as pool:
        for vectors in pool.map(lambda _: shared.encode(EVERY, threads=2), range(12)):
            np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
