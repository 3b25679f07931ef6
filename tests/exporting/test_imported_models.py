"""A model that came from another library goes on to the next with the same vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_onnx_folder import encoder

import calque
from calque.demo import sentences
from calque.model import Model
from foreign_folders import assert_same_vectors, static_embedding, static_model
from other_libraries import ODD

pytest.importorskip("model2vec")
pytest.importorskip("sentence_transformers")
pytest.importorskip("onnxruntime")

TEXTS = [*sentences()["en"][:50], *sentences()["de"][:50], *ODD, ""]


@pytest.fixture(scope="module", params=["model2vec", "normalising", "int8", "sentence-transformers"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder: Path = tmp_path_factory.mktemp("imported") / "model"
    if request.param == "sentence-transformers":
        static_embedding("bert", folder)
    else:
        made = static_model("bert", normalize=request.param == "normalising")
        if request.param == "int8":
            made.embedding = (np.clip(made.embedding, -4, 4) * 30).astype(np.int8)
        made.save_pretrained(folder)
    return calque.load(folder)


def test_to_onnx(imported: Model, tmp_path: Path) -> None:
    calque.export(imported, to="onnx", out=tmp_path / "onnx")
    assert_same_vectors(imported.encode(TEXTS), encoder(tmp_path / "onnx")(TEXTS))


def test_to_sentence_transformers(imported: Model, tmp_path: Path) -> None:
    """Unknown pieces are counted there or not, which changes lengths only: such rows are zero."""
    from sentence_transformers import SentenceTransformer

    calque.export(imported, to="sentence-transformers", out=tmp_path / "folder")
    theirs = SentenceTransformer(str(tmp_path / "folder"), device="cpu").encode(TEXTS)
    lengths = 1e-4 if imported.encoder.normalizes or imported.vocabulary.unknown is None else 1e9
    assert_same_vectors(imported.encode(TEXTS), theirs, lengths)
    np.testing.assert_allclose(calque.load(tmp_path / "folder").encode(TEXTS), imported.encode(TEXTS), atol=1e-5)


def test_to_a_quantised_folder(imported: Model, tmp_path: Path) -> None:
    calque.export(imported, to="quantised", out=tmp_path / "small", bits=4)
    small = calque.load(tmp_path / "small")
    assert small.encoder.bits == 4
    cosines = np.einsum("ij,ij->i", *(each.encode(TEXTS[:100], normalize=True) for each in (imported, small)))
    assert cosines.mean() > 0.98


def test_to_word2vec(imported: Model, tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    calque.export(imported, to="word2vec", out=tmp_path / "rows.bin", binary=True)
    vectors = keyed.load_word2vec_format(str(tmp_path / "rows.bin"), binary=True)
    row = imported.vocabulary.pieces.index("the")
    np.testing.assert_array_equal(vectors["the"], imported.encoder.rows_of([row])[0])
