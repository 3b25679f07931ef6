"""A model with codes for rows, in its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder, BlstmEncoder
from calque.errors import ModelError, UsageError
from calque.model import Model, load, save
from calque.model.quantise import quantised
from calque.safetensors import map_tensors, write_tensors

EVERY = [line for lines in sentences().values() for line in lines]


@pytest.fixture(scope="module", params=[8, 4, 3])
def opened(request: pytest.FixtureRequest, small_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Saved with so many bits, and opened again."""
    made = quantised(small_model, request.param)
    return save(tmp_path_factory.mktemp("quantised") / "model", made.encoder, made.about)


@pytest.fixture
def folder(opened: Model, tmp_path: Path) -> Path:
    """A copy, to break."""
    return Path(shutil.copytree(str(opened.path), tmp_path / "model"))


def config_of(folder: Path | None) -> dict[str, Any]:
    assert folder is not None
    described: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return described


def change_config(folder: Path, **changes: Any) -> None:
    changed = {name: value for name, value in (config_of(folder) | changes).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(changed), encoding="utf-8")


def replace_tensors(folder: Path, **changes: Any) -> None:
    tensors = {**map_tensors(folder / "model.safetensors").tensors, **changes}
    kept = {name: np.array(array) for name, array in tensors.items() if array is not None}
    checksum = write_tensors(folder / "model.safetensors", kept, {})
    change_config(folder, hashes=config_of(folder)["hashes"] | {"model.safetensors": checksum})


def test_it_opens_with_the_vectors_of_its_floats(opened: Model) -> None:
    floats = AverageEncoder(opened.vocabulary, np.array(opened.embeddings))
    assert opened.encode(EVERY).tobytes() == floats.encode(EVERY).tobytes()


def test_it_says_nearly_the_same_as_the_model_it_was_made_from(opened: Model, small_model: Model) -> None:
    one, two = (model.encode(EVERY, normalize=True) for model in (opened, small_model))
    assert np.einsum("ij,ij->i", one, two).mean() > (0.9999 if opened.encoder.bits == 8 else 0.99)


def test_the_folder_is_small_and_says_what_it_is(opened: Model, small_model: Model) -> None:
    bits, config = opened.encoder.bits, config_of(opened.path)
    assert (config["format"], config["bits"], config["dimension"], config["rows"]) == (2, bits, 64, 1000)
    assert opened.path is not None
    assert sorted(path.name for path in opened.path.iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
        "sentencepiece.model",
    ]
    size, before = ((Path(str(path)) / "model.safetensors").stat().st_size for path in (opened.path, small_model.path))
    assert size < before * (bits + 6) / 32
    assert f"{bits}-bit codes" in (opened.path / "README.md").read_text(encoding="utf-8")


def test_a_model_of_floats_keeps_the_first_format(small_model: Model) -> None:
    config = config_of(small_model.path)
    assert config["format"] == 1
    assert "bits" not in config


def test_codes_are_mapped_and_floats_made_only_when_asked_for(opened: Model) -> None:
    again = load(opened.path)
    again.encode(EVERY)
    rows: Any = again.encoder.__getstate__()["rows"]  # type: ignore[attr-defined]
    assert "floats" not in vars(rows)
    base = rows.codes
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert again.embeddings.dtype == np.float32
    assert again.embeddings is again.embeddings


def test_the_unknown_row_stays_zero(opened: Model) -> None:
    assert not opened.embeddings[opened.vocabulary.unknown].any()


def test_a_score_s_signature_says_the_bits(opened: Model) -> None:
    assert f"|dim:64|bits:{opened.encoder.bits}|recipe:" in opened.signature("stsb:dev", 5)


def test_a_copy_of_the_copy_is_the_same_bytes(opened: Model, tmp_path: Path) -> None:
    again = save(tmp_path / "again", opened.encoder, opened.about)
    assert again.checksum == opened.checksum
    assert config_of(again.path) == config_of(opened.path)


def test_it_explains_itself(opened: Model) -> None:
    explained = calque.explain("A dog runs.", "Un perro corre.", opened)
    assert explained.score == pytest.approx(opened.similarity("A dog runs.", "Un perro corre."), abs=1e-4)


def test_training_starts_from_its_floats_and_ends_in_floats(
    opened: Model, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    unmoved = calque.train(demo_bitext["en-es"], tmp_path / "unmoved", init=opened.path, epochs=0, threads=1)
    assert config_of(unmoved.path)["format"] == 1
    assert unmoved.embeddings.tobytes() == opened.embeddings.tobytes()
    trained = calque.train(demo_bitext["en-es"], tmp_path / "trained", init=opened.path, epochs=1, threads=1)
    assert trained.encoder.bits == 32
    assert not np.array_equal(trained.embeddings, opened.embeddings)


@pytest.mark.parametrize("name", ["codes", "levels", "scales"])
def test_a_missing_tensor_is_named(folder: Path, name: str) -> None:
    replace_tensors(folder, **{name: None})
    with pytest.raises(ModelError, match=rf"expected \w+ {name} of shape .* got none"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "odd", "got"),
    [
        ("codes", np.zeros((1000, 63), np.uint8), r"uint8 \(1000, 63\)"),
        ("codes", np.zeros((999, 64), np.uint8), r"uint8 \(999, 64\)"),
        ("codes", np.zeros((1000, 64), np.int8), r"int8 \(1000, 64\)"),
        ("levels", np.zeros(17, np.float32), r"float32 \(17,\)"),
        ("scales", np.zeros((1000, 2), np.float32), r"float32 \(1000, 2\)"),
        ("scales", np.zeros(1000, np.float16), r"float16 \(1000,\)"),
    ],
)
def test_a_wrong_shape_or_type_is_named_beside_the_right_one(folder: Path, name: str, odd: Any, got: str) -> None:
    replace_tensors(folder, **{name: odd})
    with pytest.raises(ModelError, match=rf"expected (uint8|float32) {name} of shape \([^)]+\), got {got}"):
        load(folder)


def test_floats_beside_codes_are_refused(folder: Path) -> None:
    replace_tensors(folder, embeddings=np.zeros((1000, 64), np.float32))
    with pytest.raises(ModelError, match="no average has a tensor 'embeddings'"):
        load(folder)


@pytest.mark.parametrize("bits", [None, 0, 2, 16, 32, "8", 8.0, True, [4]])
def test_other_bits_are_refused(folder: Path, bits: Any) -> None:
    change_config(folder, bits=bits)
    with pytest.raises(ModelError, match="expected `bits` to be 8, 4 or 3, got"):
        load(folder)


def test_the_other_number_of_bits_does_not_fit_the_codes(folder: Path) -> None:
    change_config(folder, bits={8: 4, 4: 3, 3: 8}[config_of(folder)["bits"]])
    with pytest.raises(ModelError, match="expected uint8 codes of shape"):
        load(folder)


def test_bits_in_the_first_format_are_refused(folder: Path) -> None:
    change_config(folder, format=1)
    with pytest.raises(ModelError, match="format 1 holds floats"):
        load(folder)


def test_a_blstm_cannot_have_codes(folder: Path) -> None:
    change_config(folder, encoder="blstm")
    with pytest.raises(ModelError, match="the rows of an average can be codes, not those of a blstm"):
        load(folder)


@pytest.mark.parametrize("place", [0.3, 0.6, 0.999])
def test_a_changed_byte_is_noticed(folder: Path, place: float) -> None:
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[int(place * len(content))] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.safetensors has changed since it was written"):
        load(folder)


@pytest.mark.parametrize("bits", [0, 2, 16, 32])
def test_a_model_is_quantised_to_no_other_number_of_bits(small_model: Model, bits: int) -> None:
    with pytest.raises(UsageError, match=f"bits: expected 8, 4 or 3, got {bits}"):
        quantised(small_model, bits)


def test_a_blstm_is_not_quantised(small_model: Model) -> None:
    blstm = Model(BlstmEncoder(small_model.vocabulary, small_model.encoder.parameters), small_model.about)
    with pytest.raises(UsageError, match="only the rows of an average can be quantised, and this model is a BLSTM"):
        quantised(blstm)


def test_what_is_known_of_the_model_is_kept(opened: Model, small_model: Model) -> None:
    assert opened.about == small_model.about
    assert opened.vocabulary_checksum == small_model.vocabulary_checksum
