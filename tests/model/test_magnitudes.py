"""Numbers of which no vector can be made are refused when a model is opened, whatever holds them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bare_tensors import write_bare
from calque.errors import ModelError
from calque.model import Model, load, save
from calque.model.magnitudes import LARGEST, largest_magnitude
from calque.model.quantise import quantised
from calque.safetensors import map_tensors, write_tensors

BAD = [np.nan, -np.nan, np.inf, -np.inf]
HUGE = [1e30, -3e38, 2 * LARGEST]


@pytest.fixture
def folder(small_model: Model, tmp_path: Path) -> Path:
    return Path(shutil.copytree(str(small_model.path), tmp_path / "model"))


@pytest.fixture
def quantised_folder(small_model: Model, tmp_path: Path) -> Path:
    made = quantised(small_model, 8)
    save(tmp_path / "quantised", made.encoder, made.about)
    return tmp_path / "quantised"


def forge(folder: Path, name: str, place: Any, value: float) -> None:
    """Put a number into a tensor and make the checksums right again."""
    path = folder / "model.safetensors"
    file = map_tensors(path)
    tensors = {each: np.array(array) for each, array in file.tensors.items()}
    about = dict(file.about)
    del file
    tensors[name][place] = value
    checksum = write_tensors(path, tensors, about)
    config = json.loads((folder / "config.json").read_text())
    if "hashes" in config:
        config["hashes"]["model.safetensors"] = checksum
        (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("place", [(0, 0), (999, 63), (500, 31)])
def test_rows_that_are_not_finite_are_refused(folder: Path, place: tuple[int, int], value: float) -> None:
    forge(folder, "embeddings", place, value)
    with pytest.raises(ModelError, match=r"model\.safetensors: `embeddings` holds values that are not numbers"):
        load(folder)


@pytest.mark.parametrize("value", HUGE)
def test_rows_whose_sums_overflow_are_refused(folder: Path, value: float) -> None:
    forge(folder, "embeddings", (7, 7), value)
    with pytest.raises(ModelError, match=r"too large to add up: expected at most 1e\+09, got [23]|got 1e\+30"):
        load(folder)


@pytest.mark.parametrize("value", [*BAD, *HUGE])
@pytest.mark.parametrize("name", ["scales", "levels"])
def test_codes_with_such_scales_or_levels_are_refused(quantised_folder: Path, name: str, value: float) -> None:
    forge(quantised_folder, name, 5, value)
    with pytest.raises(ModelError, match=f"`{name}` holds values that are"):
        load(quantised_folder)


def test_scales_and_levels_that_are_too_large_together_are_refused(quantised_folder: Path) -> None:
    forge(quantised_folder, "scales", 5, 1e8)
    forge(quantised_folder, "levels", 5, -1e8)
    with pytest.raises(ModelError, match=r"`scales` times `levels` holds values that are too large"):
        load(quantised_folder)


def foreign(folder: Path, tensors: dict[str, Any]) -> Path:
    """Turn a folder of Calque's into one of model2vec with these tensors."""
    (folder / "config.json").write_text('{"model_type": "model2vec", "normalize": true}')
    write_bare(folder / "model.safetensors", tensors)
    return folder


@pytest.mark.parametrize("value", [*BAD, *HUGE])
@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
def test_such_rows_of_another_library_are_refused(folder: Path, type: str, value: float) -> None:
    with np.errstate(over="ignore"):
        rows = np.ones((1000, 16), type)
        rows[3, 3] = value  # infinite in half precision
    with pytest.raises(ModelError, match=r"`rows` holds values that are"):
        load(foreign(folder, {"embeddings": rows}))


@pytest.mark.parametrize("value", [*BAD, *HUGE])
def test_such_weights_of_another_library_are_refused(folder: Path, value: float) -> None:
    tensors = {"embeddings": np.ones((1000, 16), np.int8), "weights": np.ones(1000)}
    assert load(foreign(folder, tensors)).dimension == 16
    tensors["weights"][9] = value
    with pytest.raises(ModelError, match=r"`weights` holds values that are"):
        load(foreign(folder, tensors))


def test_rows_and_weights_of_another_library_that_are_too_large_together_are_refused(folder: Path) -> None:
    tensors = {"embeddings": np.full((1000, 16), 60_000, np.float16), "weights": np.full(1000, 1e8)}
    with pytest.raises(ModelError, match=r"`rows` times `weights` holds values that are too large"):
        load(foreign(folder, tensors))


def test_the_largest_numbers_that_are_allowed_still_give_vectors(folder: Path) -> None:
    before = load(folder)
    words = "A dog runs in the park and the cat sleeps on the old chair. " * 2000
    ids = before.vocabulary.encode([words])
    forge(folder, "embeddings", ids.ids.tolist(), LARGEST * 0.99)
    model = load(folder)
    assert model.similarity(words, words) == pytest.approx(1, abs=1e-3)
    assert np.isfinite(model.encode([words, "A dog"])).all()


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
@pytest.mark.parametrize("numbers", [[0.0, -0.0], [1.5, -2.5], [-1e-7], [3.0, -2.0], []])
def test_the_largest_magnitude_is_that_of_numpy(type: str, numbers: list[float]) -> None:
    array = np.array(numbers, type)
    assert largest_magnitude(array) == np.abs(array).max(initial=0)


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
@pytest.mark.parametrize("value", BAD)
def test_the_largest_magnitude_of_many_is_not_finite_if_one_is_not(type: str, value: float) -> None:
    array = np.ones(600_000, type)
    array[-1] = value
    assert not np.isfinite(largest_magnitude(array))
    assert not np.isfinite(largest_magnitude(array[::-1]))
