"""A BLSTM in a model folder: what is written, what comes back, and what is wrong with a damaged one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.encoder import BlstmEncoder, random_parameters
from calque.errors import ModelError
from calque.model import Model, load, save
from calque.model.about import About, Score
from calque.safetensors import map_tensors, write_tensors

pytest.importorskip("torch")

TEXTS = ["A dog runs.", "Un perro corre.", ""]


@pytest.fixture(scope="module")
def saved(small_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Model:
    vocabulary = small_model.vocabulary
    about = About(
        recipe="paper",
        languages=("en", "es"),
        data=("demo.en-es:920",),
        epoch=2,
        development=Score("sts17:en-en", 250, 84.56),
        training={"seed": 1},
        version="0.1.0",
    )
    parameters = random_parameters("blstm", vocabulary.size, 12, seed=1, unknown=0)
    return save(tmp_path_factory.mktemp("blstm") / "model", BlstmEncoder(vocabulary, parameters), about)


@pytest.fixture
def folder(saved: Model, tmp_path: Path) -> Path:
    """A copy to break."""
    return Path(shutil.copytree(str(saved.path), tmp_path / "model"))


def rewrite(folder: Path, **changes: Any) -> None:
    """Some tensors replaced, or taken away where None, with a checksum that fits."""
    tensors = {name: np.array(array) for name, array in map_tensors(folder / "model.safetensors").tensors.items()}
    changed = {name: array for name, array in (tensors | changes).items() if array is not None}
    checksum = write_tensors(folder / "model.safetensors", changed, {})
    change_config(folder, hashes=config_of(folder)["hashes"] | {"model.safetensors": checksum})


def config_of(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return config


def change_config(folder: Path, **changes: Any) -> None:
    (folder / "config.json").write_text(json.dumps(config_of(folder) | changes), encoding="utf-8")


def test_a_model_that_was_saved_and_opened_gives_the_same_vectors(saved: Model, small_model: Model) -> None:
    parameters = random_parameters("blstm", small_model.vocabulary.size, 12, seed=1, unknown=0)
    expected = BlstmEncoder(small_model.vocabulary, parameters).encode(TEXTS)
    np.testing.assert_array_equal(load(saved.path).encode(TEXTS), expected)
    assert isinstance(saved.encoder, BlstmEncoder)
    assert not expected[2].any()


def test_the_folder_says_that_it_is_a_blstm_and_holds_nothing_that_others_would_misread(saved: Model) -> None:
    assert saved.path is not None
    assert {path.name for path in saved.path.iterdir()} == {
        "README.md",
        "config.json",
        "model.safetensors",
        "sentencepiece.model",
        "vocab.txt",
    }
    config = config_of(saved.path)
    assert (config["format"], config["encoder"], config["dimension"]) == (1, "blstm", 12)
    assert {name: array.shape for name, array in map_tensors(saved.path / "model.safetensors").tensors.items()} == {
        "embeddings": (1000, 12),
        "lstm.input_weights": (2, 12, 24),
        "lstm.recurrent_weights": (2, 6, 24),
        "lstm.biases": (2, 1, 24),
    }


def test_signature_card_and_name_say_what_it_is(saved: Model) -> None:
    assert saved.path is not None
    signature = saved.signature("sts17:en-en", 250)
    assert signature.startswith("sts17:en-en|n:250|blstm-sp:1000|dim:12|recipe:paper|")
    card = (saved.path / "README.md").read_text(encoding="utf-8")
    assert signature in card
    assert "means of a bidirectional LSTM's states over 1,000 learned vectors of 12 dimensions" in card
    assert "average" not in card
    assert "static" not in card
    assert "blstm-sp:1000" in repr(saved)


@pytest.mark.parametrize(
    ("name", "array", "got"),
    [
        ("lstm.biases", None, "none"),
        ("lstm.input_weights", np.zeros((2, 24, 12), np.float32), r"float32 \(2, 24, 12\)"),
        ("lstm.recurrent_weights", np.zeros((2, 6, 24), np.float16), r"float16 \(2, 6, 24\)"),
        ("embeddings", np.zeros((1000, 14), np.float32), r"float32 \(1000, 14\)"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named_beside_what_was_expected(
    folder: Path, name: str, array: Any, got: str
) -> None:
    rewrite(folder, **{name: array})
    with pytest.raises(ModelError, match=rf"expected float32 {name} of shape \([\d, ]+\), got {got}"):
        load(folder)


def test_a_tensor_that_nobody_knows_is_named(folder: Path) -> None:
    rewrite(folder, cake=np.zeros(3, np.float32))
    with pytest.raises(ModelError, match="no blstm has a tensor 'cake'"):
        load(folder)


def test_a_blstm_is_not_taken_for_an_average_nor_an_average_for_a_blstm(folder: Path, small_model: Model) -> None:
    change_config(folder, encoder="average")
    with pytest.raises(ModelError, match=r"no average has a tensor 'lstm\."):
        load(folder)
    other = Path(shutil.copytree(str(small_model.path), folder.parent / "other"))
    change_config(other, encoder="blstm")
    with pytest.raises(ModelError, match=r"expected float32 lstm\.input_weights of shape \(2, 64, 128\), got none"):
        load(other)


def test_an_odd_dimension_is_refused(folder: Path) -> None:
    change_config(folder, dimension=13)
    with pytest.raises(ModelError, match="expected an even `dimension` for a BLSTM, got 13"):
        load(folder)


def test_numbers_that_are_none_are_not_saved(saved: Model, tmp_path: Path) -> None:
    parameters = random_parameters("blstm", saved.vocabulary.size, 12, seed=1)
    parameters["lstm.biases"][0, 0, 3] = np.nan
    with pytest.raises(ModelError, match="not numbers"):
        save(tmp_path / "model", BlstmEncoder(saved.vocabulary, parameters), About())
    assert not (tmp_path / "model" / "config.json").exists()


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # as if it were not installed
from calque.cli import main
main(sys.argv[1:])
"""


def without_torch(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT_TORCH, *arguments], capture_output=True, text=True)


def test_without_torch_a_blstm_can_be_looked_at_but_not_used(saved: Model) -> None:
    looked = without_torch("info", str(saved.path))
    assert looked.returncode == 0, looked.stderr
    assert "blstm" in looked.stdout
    used = without_torch("similarity", "--model", str(saved.path), "A dog", "Un perro")
    assert (used.returncode, used.stdout) == (2, "")
    assert used.stderr == (
        "error: a BLSTM needs the package torch, which is not installed\n\nhint: pip install 'calque-nlp[lstm]'\n"
    )


def test_without_torch_a_training_leaves_nothing_behind(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    done = without_torch("train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "model"), "--encoder", "blstm")
    assert done.returncode == 2
    assert done.stderr.endswith("hint: pip install 'calque-nlp[lstm]'\n")
    assert not (tmp_path / "model").exists()
