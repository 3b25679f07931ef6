"""A model of another library, written as a Calque folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.encoder import AverageEncoder
from calque.errors import ModelError, UsageError
from calque.model import Model, load, save
from calque.model.quantise import quantised
from foreign_folders import EVERY, assert_same_vectors, static_embedding, static_model
from test_architecture import modules_after

pytest.importorskip("model2vec")
pytest.importorskip("sentence_transformers")

TEXTS = [*(text for text in EVERY if len(text) < 120), "the 漢 dog", "", "MiXeD  cAsE ▁ x"]


@pytest.fixture(scope="module", params=["model2vec", "sentence-transformers"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("foreign") / "model"
    if request.param == "model2vec":
        static_model("bert", normalize=True).save_pretrained(folder)
    else:
        static_embedding("bert", folder)
    return load(folder)


@pytest.fixture(scope="module")
def saved(opened: Model, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return save(tmp_path_factory.mktemp("saved") / "model", opened.encoder, opened.about)


@pytest.fixture
def folder(saved: Model, tmp_path: Path) -> Path:
    """A copy, to break."""
    return Path(shutil.copytree(str(saved.path), tmp_path / "model"))


def config_of(model: Model) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((Path(str(model.path)) / "config.json").read_text(encoding="utf-8"))
    return described


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    changed = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({name: value for name, value in changed.items() if value is not None}))


def test_it_gives_the_same_vectors(opened: Model, saved: Model) -> None:
    np.testing.assert_array_equal(saved.encode(TEXTS), opened.encode(TEXTS))
    assert saved.encoder.normalizes == opened.encoder.normalizes
    assert saved.about == opened.about
    again = load(saved.path)
    np.testing.assert_array_equal(again.encode(TEXTS), opened.encode(TEXTS))


def test_its_format_is_one_that_older_versions_ask_to_be_upgraded_for(saved: Model) -> None:
    config = config_of(saved)
    assert config["format"] == 3
    assert config["normalize"] == saved.encoder.normalizes
    assert config["vocabulary"] == {
        "kind": "tokenizer",
        "sharing": "joint",
        "files": {"": "tokenizer.json"},
        "left_out": saved.vocabulary.unknown,
    }


def test_it_opens_in_the_library_that_it_comes_from(saved: Model) -> None:
    if saved.about.library == "model2vec":
        from model2vec import StaticModel

        assert_same_vectors(saved.encode(TEXTS), StaticModel.from_pretrained(saved.path).encode(TEXTS))
    from sentence_transformers import SentenceTransformer

    assert_same_vectors(saved.encode(TEXTS), SentenceTransformer(str(saved.path), device="cpu").encode(TEXTS))


def test_a_model_of_model2vec_that_does_not_normalize_differs_in_length_alone(tmp_path: Path) -> None:
    """The row of the unknown token is zero, and sentence-transformers counts it."""
    from sentence_transformers import SentenceTransformer

    static_model("bert").save_pretrained(tmp_path / "model2vec")
    model = load(tmp_path / "model2vec")
    saved = save(tmp_path / "saved", model.encoder, model.about)
    theirs = SentenceTransformer(str(saved.path), device="cpu").encode(TEXTS)
    units = theirs / np.linalg.norm(theirs, axis=1, keepdims=True).clip(1e-9)
    assert_same_vectors(saved.encode(TEXTS, normalize=True), units)


def test_a_quantised_copy_is_small_and_near(opened: Model, tmp_path: Path) -> None:
    # The tokenizer is trained anew each time, with other ties; the worst text at 4 bits is at 0.98, give or take 0.005.
    for bits, near in ((8, 0.9999), (4, 0.96)):
        made = quantised(opened, bits)
        small = save(tmp_path / str(bits), made.encoder, made.about)
        assert (config_of(small)["format"], config_of(small)["bits"]) == (3, bits)
        assert small.encoder.normalizes == opened.encoder.normalizes
        assert not (tmp_path / str(bits) / "modules.json").exists()
        one, two = (model.encode(TEXTS[:-2], normalize=True) for model in (small, opened))
        assert np.einsum("ij,ij->i", one, two).min() > near


@pytest.mark.parametrize("type", ["float16", "int8"])
def test_small_numbers_keep_their_values(tmp_path: Path, type: str) -> None:
    from model2vec import StaticModel

    static_model("bert").save_pretrained(tmp_path / "float")
    StaticModel.from_pretrained(tmp_path / "float", quantize_to=type).save_pretrained(tmp_path / type)
    model = load(tmp_path / type)
    again = save(tmp_path / "saved", model.encoder, model.about)
    np.testing.assert_array_equal(again.encode(TEXTS), model.encode(TEXTS))
    assert again.encoder.bits == {"float16": 32, "int8": 8}[type]
    assert (tmp_path / "saved" / "modules.json").exists() == (type == "float16")


def test_opening_it_waits_for_no_tokenizer(saved: Model) -> None:
    code = f"import calque; model = calque.load({str(saved.path)!r})"
    assert "tokenizers" not in modules_after(code)
    assert "tokenizers" in modules_after(f"{code}; model.encode(['a dog'])")


def test_its_card_says_where_it_comes_from(saved: Model) -> None:
    card = (Path(str(saved.path)) / "README.md").read_text(encoding="utf-8")
    assert f"made with {saved.about.library}" in card
    assert "trained" not in card
    assert "random" not in card


def test_training_does_not_start_from_it(
    opened: Model, saved: Model, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    for model in (opened, saved):
        with pytest.raises(UsageError, match=f"comes from {model.about.library}: training cannot go on from it"):
            calque.train(demo_bitext["en-es"], tmp_path / "out", init=model.path)


def test_a_changed_tokenizer_is_noticed(folder: Path) -> None:
    with open(folder / "tokenizer.json", "a") as file:
        file.write(" ")
    with pytest.raises(ModelError, match=r"tokenizer\.json has changed since it was written"):
        load(folder)


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_format_cannot_have_it(folder: Path, version: int) -> None:
    change_config(folder, format=version, bits={1: None, 2: 8}[version])
    with pytest.raises(ModelError, match=f"format {version} has neither a tokenizer"):
        load(folder)


def test_an_older_format_cannot_normalize(small_model: Model, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(str(small_model.path), tmp_path / "model"))
    change_config(folder, normalize=True)
    with pytest.raises(ModelError, match="format 1 has neither"):
        load(folder)
    change_config(folder, format=3)
    np.testing.assert_array_equal(load(folder).encode(EVERY[:50]), small_model.encode(EVERY[:50], normalize=True))


@pytest.mark.parametrize(("name", "value"), [("normalize", "yes"), ("normalize", 1), ("bits", 2), ("bits", "8")])
def test_odd_values_are_named(folder: Path, name: str, value: Any) -> None:
    change_config(folder, **{name: value})
    with pytest.raises(ModelError, match=f"expected `{name}` to be"):
        load(folder)


@pytest.mark.parametrize("left_out", ["missing", -1, "1", 1.0, True])
def test_an_odd_token_to_leave_out_is_refused(folder: Path, saved: Model, left_out: Any) -> None:
    described = {**config_of(saved)["vocabulary"], "left_out": left_out}
    if left_out == "missing":
        del described["left_out"]
    change_config(folder, vocabulary=described)
    with pytest.raises(ModelError, match="the vocabulary's description is not understood"):
        load(folder)


def test_a_normalizing_model_of_calque_s_own_is_of_the_newest_format_too(small_model: Model, tmp_path: Path) -> None:
    made = AverageEncoder(small_model.vocabulary, small_model.embeddings, normalizes=True)
    saved = save(tmp_path / "model", made, small_model.about)
    assert config_of(saved)["format"] == 3
    np.testing.assert_allclose(np.linalg.norm(saved.encode(EVERY[:50]), axis=1), 1, rtol=1e-5)
