"""A model saved and opened again is the same model."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import calque
from calque.encoder import AverageEncoder, random_embeddings
from calque.errors import UsageError
from calque.model import Model, as_model, load, save
from calque.model.about import About, Score, signature
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary

TEXTS = ["The dog runs.", "A cat sleeps in the sun.", "Where is the house?"]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return build_vocabulary(VocabularySpec("word", 20), lambda: ((None, text) for text in TEXTS))


@pytest.fixture
def saved(vocabulary: Vocabulary, tmp_path: Path) -> Model:
    about = About(
        recipe="paper",
        languages=("en", "es"),
        data=("europarl.en-es:600000", "tatoeba.en-es:100"),
        epoch=7,
        seconds=12.34,
        version="0.1.0",
        development=Score("sts17:en-en", 250, 84.56),
        training={"seed": 3, "epochs": 10},
    )
    return save(tmp_path / "model", AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 24, seed=1)), about)


def test_a_saved_model_opens_with_the_same_vectors(saved: Model) -> None:
    again = load(saved.path)
    assert again.encode(TEXTS).tobytes() == saved.encode(TEXTS).tobytes()
    assert again.embeddings.tobytes() == random_embeddings(again.vocabulary.size, 24, seed=1).tobytes()
    assert again.checksum == saved.checksum


def test_a_saved_model_remembers_how_it_was_made(saved: Model) -> None:
    again = load(saved.path)
    assert again.about == saved.about
    assert again.languages == ("en", "es")
    assert again.about.development == Score("sts17:en-en", 250, 84.56)
    assert again.dimension == 24


def test_embeddings_are_mapped_into_memory(small_model: Model) -> None:
    base: Any = load(small_model.path).embeddings
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert Path(str(base.filename)).name == "model.safetensors"


def test_the_folder_holds_one_2d_tensor_for_other_tools(saved: Model) -> None:
    assert saved.path is not None
    tensors = safetensors.numpy.load_file(saved.path / "model.safetensors")
    assert {name: array.shape for name, array in tensors.items()} == {"embeddings": (saved.vocabulary.size, 24)}


def test_there_is_no_pickle_in_the_folder(small_model: Model) -> None:
    assert small_model.path is not None
    for path in small_model.path.iterdir():
        with pytest.raises((pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, AttributeError)):
            pickle.loads(path.read_bytes())


def test_a_model_is_not_written_over_another(saved: Model, vocabulary: Vocabulary) -> None:
    assert saved.path is not None
    with pytest.raises(UsageError, match="holds a model already"):
        save(saved.path, AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 8, seed=2)), About())
    assert load(saved.path).dimension == 24


def test_config_tells_what_the_folder_is(saved: Model) -> None:
    assert saved.path is not None
    config = json.loads((saved.path / "config.json").read_text(encoding="utf-8"))
    assert (config["format"], config["model_type"], config["encoder"]) == (1, "calque", "average")
    assert (config["rows"], config["dimension"], config["normalize"]) == (saved.vocabulary.size, 24, False)
    assert config["hashes"].keys() == {"model.safetensors", "vocab.txt"}


def test_a_signature_names_the_whole_recipe(saved: Model) -> None:
    assert saved.signature("sts17:en-en", 250) == (
        f"sts17:en-en|n:250|word:{saved.vocabulary.size}|dim:24|recipe:paper|"
        "data:europarl.en-es:600000+tatoeba.en-es:100|epochs:7|seed:3|v:0.1.0"
    )


def test_a_signature_is_one_line_of_names_and_values(small_model: Model) -> None:
    line = small_model.signature("stsb:dev", 1500)
    assert re.fullmatch(r"stsb:dev\|n:1500\|sp:1000\|dim:64\|recipe:calque\|data:[^|]+\|epochs:3\|seed:1\|v:\S+", line)
    assert "demo.en-es:920" in line


def test_a_signature_counts_bitexts_that_are_too_many_to_list(saved: Model) -> None:
    def signed(*data: str) -> str:
        return signature(About(data=data), saved.encoder, "stsb:dev", 1500).partition("|data:")[2].partition("|")[0]

    many = [f"tatoeba.en-{language}:100×0.3" for language in "abcdefghi"]
    assert signed(*many[:8]) == "+".join(many[:8])
    assert re.fullmatch(r"9-bitexts:900:[0-9a-f]{8}", signed(*many))
    assert signed(*many) != signed(*many[:8], "tatoeba.en-i:100×0.4")


def test_the_card_tells_data_recipe_and_score(saved: Model) -> None:
    assert saved.path is not None
    card = (saved.path / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlibrary_name: calque\n")
    for told in ("language: [en, es]", "europarl.en-es:600000", "| recipe | paper |", "24 dimensions", "pearson=84.6"):
        assert told in card
    assert saved.signature("sts17:en-en", 250) in card


def test_the_card_of_a_random_encoder_says_so(vocabulary: Vocabulary, tmp_path: Path) -> None:
    save(tmp_path / "random", AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 8, seed=1)), About())
    card = (tmp_path / "random" / "README.md").read_text(encoding="utf-8")
    assert "a random encoder" in card
    assert "no score yet" in card


def test_without_a_path_the_environment_names_the_model(saved: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALQUE_MODEL", str(saved.path))
    assert calque.load().checksum == saved.checksum


@pytest.mark.parametrize("environment", [None, ""])
def test_without_any_path_the_error_names_both_ways(monkeypatch: pytest.MonkeyPatch, environment: str | None) -> None:
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    if environment is not None:
        monkeypatch.setenv("CALQUE_MODEL", environment)
    with pytest.raises(UsageError, match="no model given") as problem:
        calque.load()
    assert "--model" in str(problem.value.hint)
    assert "CALQUE_MODEL" in str(problem.value.hint)


def test_a_model_or_whatever_names_one_is_taken_for_it(saved: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALQUE_MODEL", str(saved.path))
    assert as_model(saved) is saved
    assert [as_model(given).checksum for given in (saved.path, str(saved.path), None)] == [saved.checksum] * 3


def test_a_deep_copy_of_what_holds_a_model_shares_it(small_model: Model) -> None:
    assert copy.deepcopy({"model": [small_model]})["model"][0] is small_model


def test_a_model_shows_what_it_is(small_model: Model) -> None:
    assert "sp:1000 × 64" in repr(small_model)


def test_similarity_is_the_cosine_of_the_vectors(small_model: Model) -> None:
    one, two = small_model.encode(["The dog runs.", "El perro corre."])
    cosine = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    assert small_model.similarity("The dog runs.", "El perro corre.") == pytest.approx(cosine, abs=1e-6)
    assert small_model.similarity("The dog runs.", "The dog runs.") == pytest.approx(1, abs=1e-6)
    assert small_model.similarity("The dog runs.", "") == 0
