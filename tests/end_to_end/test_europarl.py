"""Real bitext in, real scores out: what a small training on two corpora must reach."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.corpus import read_lines, read_scored_pairs
from calque.encoder import AverageEncoder, random_embeddings
from calque.model.about import About

pytestmark = pytest.mark.data

PAIRS = 40_000  # of each corpus
OPTIONS = {"vocabulary_size": 20_000, "dimension": 128, "seed": 1}


@dataclass(frozen=True)
class Scores:
    pearson: float  # × 100, on the STS benchmark's development set
    to_spanish: float  # × 100, English sentences of FLORES whose nearest Spanish one is their translation
    to_english: float


@pytest.fixture(scope="module")
def bitexts(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("bitext")
    paths = []
    for name in ("europarl.en-es.tsv", "tatoeba.en-es.tsv"):
        lines = islice(read_lines(real_data / "bitext" / f"{name}.xz"), PAIRS)
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths.append(folder / name)
    return paths


def measure(model: calque.Model, data: Path) -> Scores:
    pairs = read_scored_pairs(data / "eval" / "stsb" / "en-dev.tsv")
    cosines = model.similarities([pair.first for pair in pairs], [pair.second for pair in pairs])
    english, spanish = (
        model.encode(list(read_lines(data / "eval" / "flores200-dev" / f"{name}.txt")), normalize=True)
        for name in ("eng_Latn", "spa_Latn")
    )
    products = english @ spanish.T
    right = np.arange(len(products))
    return Scores(
        pearson=100 * float(np.corrcoef(cosines, [pair.score for pair in pairs])[0, 1]),
        to_spanish=100 * float(np.mean(products.argmax(axis=1) == right)),
        to_english=100 * float(np.mean(products.argmax(axis=0) == right)),
    )


@pytest.fixture(scope="module")
def model(bitexts: list[Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    return calque.train(bitexts, tmp_path_factory.mktemp("trained") / "model", epochs=3, **OPTIONS)


@pytest.fixture(scope="module")
def trained(model: calque.Model, real_data: Path) -> Scores:
    return measure(model, real_data)


@pytest.fixture(scope="module")
def untrained(model: calque.Model, real_data: Path) -> Scores:
    """The same vocabulary with the rows that training started from."""
    vocabulary = model.vocabulary
    rows = random_embeddings(vocabulary.size, model.dimension, seed=1, unknown=vocabulary.unknown)
    return measure(calque.Model(AverageEncoder(vocabulary, rows), About()), real_data)


def test_similarity_of_english_sentences_agrees_with_people(trained: Scores, untrained: Scores) -> None:
    assert trained.pearson > 69
    assert trained.pearson > untrained.pearson + 10


def test_translations_are_found_in_both_directions(trained: Scores, untrained: Scores) -> None:
    assert trained.to_spanish > 85
    assert trained.to_english > 85
    assert trained.to_spanish > untrained.to_spanish + 60
    assert trained.to_english > untrained.to_english + 60


def test_the_untrained_encoder_measures_shared_words(untrained: Scores) -> None:
    assert 50 < untrained.pearson < 65
    assert min(untrained.to_spanish, untrained.to_english) > 3
    assert max(untrained.to_spanish, untrained.to_english) < 20


def test_the_model_names_its_data(model: calque.Model) -> None:
    signature = model.signature("stsb:en-dev", 1500)
    assert "|data:europarl.en-es:40000+tatoeba.en-es:40000|" in signature
    assert model.languages == ("en", "es")
