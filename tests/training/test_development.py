"""The development set's score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.encoder.average import mean_vectors
from calque.errors import CorpusError
from calque.training import DevelopmentSet
from calque.vocabulary import Tokens

pearsonr = pytest.importorskip("scipy.stats").pearsonr


def development(gold: list[float], first: list[list[int]], second: list[list[int]]) -> DevelopmentSet:
    return DevelopmentSet("dev", np.array(gold), Tokens.from_lists(first, 20), Tokens.from_lists(second, 20))


def pearson(set: DevelopmentSet, embeddings: np.ndarray) -> float:
    return set.pearson(lambda tokens: mean_vectors(embeddings, tokens, threads=1))


def cosine(embeddings: np.ndarray, one: list[int], two: list[int]) -> float:
    first, second = embeddings[one].mean(axis=0), embeddings[two].mean(axis=0)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


@given(data=st.data(), pairs=st.integers(3, 20), dimension=st.sampled_from([3, 16, 40]))
def test_pearson_is_scipys(data: st.DataObject, pairs: int, dimension: int) -> None:
    sentences = st.lists(st.lists(st.integers(0, 19), min_size=1, max_size=6), min_size=pairs, max_size=pairs)
    first, second = data.draw(sentences), data.draw(sentences)
    gold = data.draw(st.permutations(np.linspace(0, 5, pairs).tolist()))
    embeddings = np.random.default_rng(pairs).standard_normal((20, dimension), dtype=np.float32)
    cosines = [cosine(embeddings, one, two) for one, two in zip(first, second, strict=True)]
    if np.ptp(cosines) < 1e-3:
        return
    found = pearson(development(gold, first, second), embeddings)
    assert found == pytest.approx(100 * pearsonr(cosines, gold).statistic, abs=0.01)


def test_a_score_of_equal_cosines_or_equal_judgements_is_zero() -> None:
    embeddings = np.eye(20, 16, dtype=np.float32)
    assert pearson(development([1, 2, 3], [[0]] * 3, [[1]] * 3), embeddings) == 0
    assert pearson(development([2, 2, 2], [[0]] * 3, [[0], [1], [2]]), embeddings) == 0


def test_a_sentence_without_known_pieces_has_cosine_zero() -> None:
    embeddings = np.eye(20, 16, dtype=np.float32)
    found = pearson(development([0, 1, 2], [[], [0], [0, 1]], [[1], [0], [0, 1]]), embeddings)
    assert found == pytest.approx(100 * pearsonr([0, 1, 1], [0, 1, 2]).statistic, abs=1e-3)


def test_a_file_is_read_with_its_name(small_model: calque.Model, tmp_path: Path) -> None:
    path = tmp_path / "sts.en-es.tsv"
    path.write_text("5\tThe dog runs.\tEl perro corre.\n0\tThe dog runs.\tHace frío.\n", encoding="utf-8")
    read = DevelopmentSet.read(path, small_model.vocabulary)
    assert read.name == "sts.en-es"
    assert read.gold.tolist() == [5, 0]
    assert read.second[0].tolist() == small_model.vocabulary.encode(["El perro corre."])[0].tolist()
    assert pearson(read, small_model.embeddings) == pytest.approx(100)


@pytest.mark.parametrize("line", ["high\ta\tb", "nan\ta\tb", "1\ta", "1\ta\tb\tc"])
def test_a_line_that_is_no_scored_pair_is_an_error_with_its_place(
    small_model: calque.Model, tmp_path: Path, line: str
) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(f"1\ta\tb\n2\tc\td\n{line}\n")
    with pytest.raises(CorpusError, match=r"dev\.tsv, line 3"):
        DevelopmentSet.read(path, small_model.vocabulary)


def test_its_digest_tells_scores_sentences_and_where_they_end() -> None:
    sets = [
        development([1, 2], [[1, 2], [3]], [[4], [5]]),
        development([1, 3], [[1, 2], [3]], [[4], [5]]),
        development([1, 2], [[1], [2, 3]], [[4], [5]]),
        development([1, 2], [[1, 2], [3]], [[4], [6]]),
    ]
    assert len({each.digest for each in sets}) == len(sets)
    assert development([1, 2], [[1, 2], [3]], [[4], [5]]).digest == sets[0].digest
