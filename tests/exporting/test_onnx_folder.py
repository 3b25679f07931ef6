"""A graph whose vectors are the model's, with nothing but a tokenizer and a runtime."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder
from calque.encoder.quantise import quantised_rows
from calque.errors import UsageError
from calque.exporting import onnx as writer
from calque.exporting import write_onnx
from calque.model import Model
from calque.surrogates import without_surrogates
from other_libraries import ODD, cosines
from strategies import id_lists
from strategies import texts as odd_texts

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Run = Callable[[Ids, Ids], Floats]

EVERY = [line for lines in sentences().values() for line in lines]


def runner(folder: Path) -> Run:
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))

    def run(ids: Ids, mask: Ids) -> Floats:
        (vectors,) = session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask})
        return np.asarray(vectors)

    return run


def encoder(folder: Path) -> Callable[[list[str]], Floats]:
    """As the folder's README does it."""
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    run = runner(folder)

    def encode(texts: list[str]) -> Floats:
        encoded = tokenizer.encode_batch(texts)
        ids, mask = [text.ids for text in encoded], [text.attention_mask for text in encoded]
        return run(np.array(ids, np.int64), np.array(mask, np.int64))

    return encode


@pytest.fixture(scope="module")
def folder(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "onnx"
    write_onnx(model, out)
    return out


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return runner(folder)


@pytest.fixture(scope="module")
def encode(folder: Path) -> Callable[[list[str]], Floats]:
    return encoder(folder)


def test_the_graph_is_sound_and_old_enough_for_older_runtimes(folder: Path) -> None:
    made = onnx.load(folder / "model.onnx")
    onnx.checker.check_model(made, full_check=True)
    assert made.ir_version <= 10  # onnxruntime 1.18
    assert [operators.version <= 21 for operators in made.opset_import] == [True]


def test_sentences_and_odd_text_have_the_same_vectors(model: Model, encode: Callable[[list[str]], Floats]) -> None:
    for texts in (EVERY[:500], EVERY[500:], ODD):
        np.testing.assert_allclose(cosines(model.encode(texts), encode(texts)), 1, atol=1e-5)


@given(texts=st.lists(odd_texts.map(without_surrogates), min_size=1, max_size=8))
def test_any_text_has_the_same_vector(model: Model, encode: Callable[[list[str]], Floats], texts: list[str]) -> None:
    # Words are remembered in 16-bit fixed point, rows are not.
    np.testing.assert_allclose(encode(texts), model.encode(texts), atol=1e-3 * np.abs(model.embeddings).max())


@given(sentences=id_lists(1000), pad=st.integers(0, 999), more=st.integers(0, 3))
def test_vectors_are_means_of_the_known_rows_whatever_fills_the_rest(
    model: Model, run: Run, sentences: list[list[int]], pad: int, more: int
) -> None:
    length = max(map(len, sentences), default=0) + more
    ids = np.full((len(sentences), length), pad, np.int64)
    mask = np.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        mask[row, : len(sentence)] = 1
    means = [
        model.embeddings[[id for id in sentence if id]].mean(axis=0) if any(sentence) else np.zeros(model.dimension)
        for sentence in sentences
    ]
    got = run(ids, mask)
    assert got.shape == (len(sentences), model.dimension)
    np.testing.assert_allclose(got, np.reshape(means, got.shape), atol=1e-5 * np.abs(model.embeddings).max())


def test_text_of_nothing_gets_zeros(encode: Callable[[list[str]], Floats], run: Run) -> None:
    assert not encode(["", "dog", " ", "\ufffd"])[[0, 2, 3]].any()
    assert encode(["", ""]).tolist() == np.zeros((2, 64)).tolist()
    assert not run(np.array([[5, 6]]), np.array([[0, 0]])).any()
    assert not run(np.array([[0, 0]]), np.array([[1, 1]])).any()


def test_padding_changes_nothing(encode: Callable[[list[str]], Floats]) -> None:
    alone, among = encode(["A dog runs."]), encode(["A dog runs.", "The dog runs. " * 50])
    np.testing.assert_allclose(alone[0], among[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize("dimension", [1, 3, 17])
def test_odd_dimensions_leave_nothing_over(small_model: Model, tmp_path: Path, dimension: int, bits: int) -> None:
    rows = quantised_rows(np.array(small_model.embeddings[:, :dimension]), bits)
    coded = Model(AverageEncoder(small_model.vocabulary, rows), small_model.about)
    write_onnx(coded, tmp_path / "out")
    np.testing.assert_allclose(encoder(tmp_path / "out")(EVERY[:50]), coded.encode(EVERY[:50]), atol=1e-3)


def test_codes_stay_codes(model: Model, folder: Path) -> None:
    bits = model.encoder.bits
    size = (folder / "model.onnx").stat().st_size
    assert size < model.vocabulary.size * (model.dimension * bits / 8 + 4) + 6000


def test_the_example_in_the_readme_runs(model: Model, folder: Path) -> None:
    example = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    assert len(example.strip().splitlines()) <= 12
    done = subprocess.run([sys.executable, "-c", example], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shape, cosine = re.fullmatch(r"(\(.*\)) (.*)\n", done.stdout).groups()  # type: ignore[union-attr]
    assert shape == "(2, 64)"
    assert float(cosine) == pytest.approx(model.similarity("A dog runs.", "Un perro corre."), abs=1e-4)


def test_the_readme_asks_for_tokenizers_that_encode_as_its_example_does(folder: Path) -> None:
    """From 1.0 on, a tokenizer must be compiled first."""
    assert "pip install onnxruntime 'tokenizers<1'" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_folder_holds_three_files(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "model.onnx", "tokenizer.json"]


def test_the_model_in_the_box_is_the_same_there(real_box: Path, tmp_path: Path) -> None:
    box = calque.load()
    write_onnx(box, tmp_path / "box")
    texts = EVERY[::10]
    np.testing.assert_allclose(cosines(box.encode(texts), encoder(tmp_path / "box")(texts)), 1, atol=1e-5)
    assert sum(path.stat().st_size for path in (tmp_path / "box").iterdir()) < 20_000_000


def test_other_vocabularies_and_blstms_are_refused(odd_model: Model, blstm: Model, tmp_path: Path) -> None:
    for model in (odd_model, blstm):
        with pytest.raises(UsageError, match="an ONNX graph "):
            write_onnx(model, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_model_too_large_for_one_file_is_refused(
    small_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_MOST_BYTES", 255_999)
    with pytest.raises(UsageError, match="holds up to 2 GB") as raised:
        write_onnx(small_model, tmp_path / "out")
    assert "--to quantised" in str(raised.value.hint)


def test_without_the_package_the_way_to_install_it_is_told(
    small_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UsageError, match="writing ONNX graphs needs the package onnx") as raised:
        write_onnx(small_model, tmp_path / "out")
    assert raised.value.hint == "pip install 'calque-nlp[onnx]'"
    assert not list(tmp_path.iterdir())
