"""The component `calque` in spaCy's own pipelines."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.demo import sentences
from calque.errors import ModelError, UsageError
from calque.model import Model

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'calque-nlp[spacy]'")

ENGLISH, SPANISH = sentences()["en"], sentences()["es"]


def pipeline(model: Path | str | None, **config: Any) -> Any:
    import calque.integrations.spacy  # noqa: F401 (registers the component)

    nlp = spacy.blank("xx")
    nlp.add_pipe("calque", config={"model": None if model is None else str(model), **config})
    return nlp


def unit(model: Model, *texts: str) -> Any:
    return model.encode(list(texts), normalize=True)


def test_documents_spans_and_tokens_have_the_vectors_of_their_texts(fluent_model: Model) -> None:
    doc = pipeline(fluent_model.path)("The cat sleeps, and the dog runs.")
    for piece in (doc, doc[0:3], doc[1]):
        np.testing.assert_array_equal(piece.vector, unit(fluent_model, piece.text)[0])
        assert piece.vector_norm == pytest.approx(1)
        assert piece.has_vector
    assert doc[1:2].text == "cat"
    np.testing.assert_array_equal(doc[0:3].as_doc().vector, doc[0:3].vector)


def test_similarity_is_the_models_across_languages_and_without_warnings(fluent_model: Model) -> None:
    nlp = pipeline(fluent_model.path)
    one, two = nlp(ENGLISH[5]), nlp(SPANISH[5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert one.similarity(two) == pytest.approx(fluent_model.similarity(one.text, two.text), abs=1e-6)
        for piece in (one[0:2], one[1], nlp.vocab["perro"], spacy.blank("es")("perro")):
            expected = fluent_model.similarity(one.text, piece.text)
            assert one.similarity(piece) == pytest.approx(expected, abs=1e-6)
        assert one[1].similarity(two[1]) == pytest.approx(fluent_model.similarity(one[1].text, two[1].text), abs=1e-6)


def test_what_is_unknown_has_no_vector_and_resembles_nothing(fluent_model: Model) -> None:
    nlp = pipeline(fluent_model.path)
    for doc in (nlp(""), nlp("  ")):
        assert not doc.has_vector
        assert doc.vector_norm == 0
        assert not doc.vector.any()
        assert doc.vector.shape == (fluent_model.dimension,)
        assert doc.similarity(nlp("a dog")) == 0


def test_a_stream_is_encoded_in_batches(fluent_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline(fluent_model.path)
    component = nlp.get_pipe("calque")
    sizes: list[int] = []
    vectors = component._vectors
    monkeypatch.setattr(component, "_vectors", lambda texts: sizes.append(len(texts)) or vectors(texts))
    docs = list(nlp.pipe(ENGLISH[:250], batch_size=100))
    np.testing.assert_array_equal([doc.vector for doc in docs], unit(fluent_model, *ENGLISH[:250]))
    assert sizes == [100, 100, 50]


def test_a_pipeline_on_disk_names_the_models_folder(fluent_model: Model, tmp_path: Path) -> None:
    nlp = pipeline(fluent_model.path, threads=1)
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    np.testing.assert_array_equal(again("a dog").vector, nlp("a dog").vector)
    assert again.get_pipe("calque").model.path == fluent_model.path
    assert again.get_pipe("calque").threads == 1


def test_documents_from_bytes_get_their_vectors_again_from_the_component(fluent_model: Model) -> None:
    nlp = pipeline(fluent_model.path)
    doc = nlp("a dog")
    with pytest.warns(UserWarning, match="user hooks"):
        read = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert not read.has_vector
    again = nlp.get_pipe("calque")(read)
    np.testing.assert_array_equal(again.vector, doc.vector)
    assert again.similarity(doc) == pytest.approx(1)


def test_without_a_model_it_is_the_one_in_the_box(box: Path) -> None:
    assert pipeline(None).get_pipe("calque").model.path == box
    assert pipeline("box").get_pipe("calque").model.path == box


def test_a_language_goes_to_models_that_need_it(separate_model: Model) -> None:
    spanish = pipeline(separate_model.path, language="es")
    expected = separate_model.encode(["un perro"], normalize=True, language="es")
    np.testing.assert_array_equal(spanish("un perro").vector, expected[0])
    with pytest.raises(UsageError, match="a text's language is needed"):
        pipeline(separate_model.path)("un perro")


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model at"):
        pipeline(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="3 is not <class 'str'>"):
        pipeline("box", language=3)


def test_an_installed_calque_is_found_by_its_entry_point(fluent_model: Model, tmp_path: Path) -> None:
    metadata = tmp_path / "calque_entry-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: calque-entry\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[spacy_factories]\ncalque = calque.integrations.spacy:make_calque\n")
    code = f"""
import sys
sys.path.append({str(tmp_path)!r})
import spacy
nlp = spacy.blank("xx")
nlp.add_pipe("calque", config={{"model": {str(fluent_model.path)!r}}})
print(nlp("a dog").vector.shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"({fluent_model.dimension},)\n"
