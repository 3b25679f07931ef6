"""A folder that is no model, or no longer the one that was written, is an error that says what is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.encoder import AverageEncoder, random_embeddings
from calque.errors import ModelError
from calque.model import Model, load, save
from calque.model.about import About
from calque.safetensors import write_tensors
from calque.vocabulary import VocabularySpec, build_vocabulary


@pytest.fixture
def folder(small_model: Model, tmp_path: Path) -> Path:
    """A copy of a good model, to break."""
    return Path(shutil.copytree(str(small_model.path), tmp_path / "model"))


def change_config(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    change(config)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def replace_embeddings(folder: Path, embeddings: Any, name: str = "embeddings") -> None:
    checksum = write_tensors(folder / "model.safetensors", {name: embeddings}, {})
    change_config(folder, lambda config: config["hashes"].update({"model.safetensors": checksum}))


def test_a_copy_opens_as_well_as_the_original(folder: Path, small_model: Model) -> None:
    assert load(folder).similarity("A dog", "Un perro") == small_model.similarity("A dog", "Un perro")


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model at .*nowhere") as problem:
        load(tmp_path / "nowhere")
    assert "calque train" in str(problem.value.hint)


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not a model folder: there is no config\.json"):
        load(tmp_path)


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(ModelError, match="is not a model folder"):
        load(tmp_path / "file")


def test_an_unfinished_training_tells_how_to_resume(folder: Path) -> None:
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match="training has not been finished") as problem:
        load(folder)
    assert problem.value.hint == f"calque train --resume {folder}"


def test_a_newer_format_asks_for_an_upgrade(folder: Path) -> None:
    change_config(folder, lambda config: config.update(format=4))
    with pytest.raises(ModelError, match="has format 4, and this version of Calque reads up to 3") as problem:
        load(folder)
    assert problem.value.hint == "upgrade calque"


def test_an_unknown_encoder_asks_for_an_upgrade(folder: Path) -> None:
    change_config(folder, lambda config: config.update(encoder="telepathy"))
    with pytest.raises(ModelError, match="no encoder 'telepathy'"):
        load(folder)


@pytest.mark.parametrize("config", ["{}", "[]", "5", "null", '"calque"'])
def test_a_config_of_something_else_is_not_taken_for_a_model(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(ModelError, match="is not a Calque model"):
        load(tmp_path)


@pytest.mark.parametrize("config", [b"", b"{", b"\xff\xfe", b"[" * 100_000], ids=["empty", "cut", "binary", "deep"])
def test_a_config_that_is_not_json_is_an_error_that_names_it(tmp_path: Path, config: bytes) -> None:
    (tmp_path / "config.json").write_bytes(config)
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["format", "encoder", "dimension", "rows", "vocabulary", "about", "hashes"])
@pytest.mark.parametrize("value", [None, [], "text", -1, 3.5])
def test_a_config_entry_of_the_wrong_kind_is_an_error(folder: Path, name: str, value: Any) -> None:
    change_config(folder, lambda config: config.update({name: value}))
    with pytest.raises(ModelError):
        load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "sentencepiece.model"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"cannot read .*{name}: No such file"):
        load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "sentencepiece.model"])
@pytest.mark.parametrize("place", [0.5, 0.999])
def test_a_changed_byte_is_noticed(folder: Path, name: str, place: float) -> None:
    content = bytearray((folder / name).read_bytes())
    content[int(place * len(content))] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=f"{name} has changed since it was written") as problem:
        load(folder)
    assert problem.value.hint == "copy or make the model again"


def test_embeddings_of_another_model_are_noticed(folder: Path) -> None:
    write_tensors(folder / "model.safetensors", {"embeddings": random_embeddings(1000, 64, seed=9)}, {})
    with pytest.raises(ModelError, match=r"model\.safetensors does not belong to this config\.json"):
        load(folder)


@pytest.mark.parametrize(
    ("embeddings", "got"),
    [
        (np.zeros((1000, 63), np.float32), r"float32 \(1000, 63\)"),
        (np.zeros((999, 64), np.float32), r"float32 \(999, 64\)"),
        (np.zeros((64, 1000), np.float32), r"float32 \(64, 1000\)"),
        (np.zeros(64000, np.float32), r"float32 \(64000,\)"),
        (np.zeros((1000, 64), np.float16), r"float16 \(1000, 64\)"),
    ],
)
def test_a_wrong_shape_is_named_beside_the_right_one(folder: Path, embeddings: Any, got: str) -> None:
    replace_embeddings(folder, embeddings)
    with pytest.raises(ModelError, match=rf"expected float32 embeddings of shape \(1000, 64\), got {got}"):
        load(folder)


def test_a_file_without_embeddings_says_so(folder: Path) -> None:
    replace_embeddings(folder, np.zeros((1000, 64), np.float32), name="weights")
    with pytest.raises(ModelError, match=r"expected float32 embeddings .* got none"):
        load(folder)


def test_a_vocabulary_of_another_size_is_named_with_both_numbers(folder: Path) -> None:
    replace_embeddings(folder, np.zeros((999, 64), np.float32))
    change_config(folder, lambda config: config.update(rows=999))
    opened = load(folder)  # SentencePiece waits for the first text
    with pytest.raises(ModelError, match="the vocabulary has 1000 pieces, but there are 999 rows"):
        opened.encode(["A dog"])


@pytest.mark.parametrize("inside_hashes", [True, False])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_file_outside_the_folder_is_refused(tmp_path: Path, absolute: bool, inside_hashes: bool) -> None:
    vocabulary = build_vocabulary(VocabularySpec("word", 20), lambda: [(None, "the dog runs")])
    folder = tmp_path / "model"
    save(folder, AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 8, seed=1)), About())
    (folder / "vocab.txt").rename(tmp_path / "vocab.txt")
    elsewhere = str(tmp_path / "vocab.txt") if absolute else "../vocab.txt"

    def point_outside(config: dict[str, Any]) -> None:
        config["vocabulary"]["files"] = {"": elsewhere}
        checksum = config["hashes"].pop("vocab.txt")
        if inside_hashes:
            config["hashes"][elsewhere] = checksum

    change_config(folder, point_outside)
    with pytest.raises(ModelError, match="not the name of a file in this folder"):
        load(folder)


def test_a_vocabulary_that_no_hash_vouches_for_is_refused(folder: Path) -> None:
    change_config(folder, lambda config: config["hashes"].pop("sentencepiece.model"))
    with pytest.raises(ModelError):
        load(folder)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def another_folder(small_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(str(small_model.path), tmp_path_factory.mktemp("another") / "model"))


@given(st.data())
def test_any_config_is_a_model_or_an_error(another_folder: Path, small_model: Model, data: st.DataObject) -> None:
    config = json.loads((Path(str(small_model.path)) / "config.json").read_text(encoding="utf-8"))
    at: Any = config
    name = data.draw(st.sampled_from(sorted(at)))
    while isinstance(at[name], dict) and at[name] and data.draw(st.booleans()):
        at = at[name]
        name = data.draw(st.sampled_from(sorted(at)))
    at[name] = data.draw(json_values)
    (another_folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    try:
        opened = load(another_folder)
    except ModelError:
        return
    assert opened.encode(["A dog"]).tobytes() == small_model.encode(["A dog"]).tobytes()


@pytest.mark.parametrize("name", ["a\0", "\ud800"])
def test_a_file_name_that_no_system_takes_is_an_error(folder: Path, name: str) -> None:
    change_config(folder, lambda config: config["hashes"].update({name: ""}))
    with pytest.raises(ModelError, match="cannot read"):
        load(folder)


@pytest.mark.parametrize("files", [{}, [["", "sentencepiece.model"]]])
def test_a_vocabulary_without_files_is_an_error(folder: Path, files: Any) -> None:
    change_config(folder, lambda config: config["vocabulary"].update(files=files, sharing="separate"))
    with pytest.raises(ModelError, match="the vocabulary's description names no files"):
        load(folder)


@pytest.mark.parametrize(
    "change",
    [
        *({"data": [1]}, {"data": ["demo"]}, {"training": 5}, {"training": {"library": []}}, {"recipe": None}),
        *({"languages": "en"}, {"development": {"name": "dev"}}, {"epoch": True}),
    ],
)
def test_what_a_model_says_of_itself_is_of_the_kind_that_was_written(folder: Path, change: dict[str, Any]) -> None:
    change_config(folder, lambda config: config["about"].update(change))
    with pytest.raises(ModelError, match="`about` is not understood"):
        load(folder)


@pytest.mark.parametrize("dimension", [0, 8193])
def test_vectors_that_the_kernel_cannot_add_up_are_refused(folder: Path, dimension: int) -> None:
    replace_embeddings(folder, np.zeros((1000, dimension), np.float32))
    change_config(folder, lambda config: config.update(dimension=dimension))
    with pytest.raises(ModelError, match="expected a `dimension` of 1 to 8192"):
        load(folder)
