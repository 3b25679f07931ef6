"""CalqueEmbedding in LlamaIndex's own index."""

from __future__ import annotations

import asyncio
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from calque.demo import sentences
from calque.encoder import AverageEncoder
from calque.errors import ModelError, UsageError
from calque.model import Model

pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed: pip install 'calque-nlp[llama-index]'")

ENGLISH, SPANISH = sentences()["en"], sentences()["es"]


def made(*arguments: Any, **options: Any) -> Any:
    from calque.integrations.llama_index import CalqueEmbedding

    return CalqueEmbedding(*arguments, **options)


def vectors(model: Model, texts: list[str]) -> list[list[float]]:
    return model.encode(texts, normalize=True).tolist()


def test_an_index_of_english_is_searched_in_spanish(fluent_model: Model) -> None:
    from llama_index.core import Document, VectorStoreIndex

    documents = [Document(text=text, id_=str(at)) for at, text in enumerate(ENGLISH)]
    index = VectorStoreIndex.from_documents(documents, embed_model=made(fluent_model.path))
    retriever = index.as_retriever(similarity_top_k=1)
    found = [retriever.retrieve(query)[0] for query in SPANISH[:40]]
    assert sum(node.text == ENGLISH[own] for own, node in enumerate(found)) >= 36
    assert found[0].score == pytest.approx(fluent_model.similarity(SPANISH[0], found[0].text), abs=1e-5)


def test_embeddings_are_the_models_whichever_method_is_asked(fluent_model: Model) -> None:
    embedding = made(fluent_model)
    expected = vectors(fluent_model, ENGLISH[:3])
    assert embedding.get_text_embedding_batch(ENGLISH[:3]) == expected
    assert embedding.get_text_embedding(ENGLISH[0]) == embedding.get_query_embedding(ENGLISH[0]) == expected[0]

    async def asynchronous() -> list[Any]:
        return [
            await embedding.aget_text_embedding_batch(ENGLISH[:3]),
            await embedding.aget_text_embedding(ENGLISH[1]),
            await embedding.aget_query_embedding(ENGLISH[2]),
        ]

    assert asyncio.run(asynchronous()) == [expected, expected[1], expected[2]]
    assert set(embedding.get_text_embedding("")) == {0.0}


def test_a_batch_is_encoded_at_once_and_out_of_the_loops_way(
    fluent_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, calls = AverageEncoder.encode, []

    def noted(encoder: AverageEncoder, texts: list[str], *rest: Any) -> Any:
        calls.append((len(texts), threading.get_ident() == here))
        return encode(encoder, texts, *rest)

    here = threading.get_ident()
    monkeypatch.setattr(AverageEncoder, "encode", noted)
    embedding = made(fluent_model)
    embedding.get_text_embedding_batch(ENGLISH)
    asyncio.run(embedding.aget_text_embedding_batch(ENGLISH))
    asyncio.run(embedding.aget_query_embedding(ENGLISH[0]))
    assert calls == [(len(ENGLISH), True), (len(ENGLISH), False), (1, False)]


def test_it_is_saved_by_the_name_of_the_folder(fluent_model: Model, box: object) -> None:
    from calque.integrations.llama_index import CalqueEmbedding

    embedding = made(fluent_model, embed_batch_size=64, threads=1)
    saved = json.loads(embedding.to_json())
    assert saved["model"] == saved["model_name"] == str(fluent_model.path)
    assert saved["class_name"] == "CalqueEmbedding"
    for again in (CalqueEmbedding.from_dict(saved), pickle.loads(pickle.dumps(embedding)), embedding.model_copy()):
        assert (again.model, again.embed_batch_size, again.threads) == (str(fluent_model.path), 64, 1)
        assert again.get_text_embedding("a dog") == embedding.get_text_embedding("a dog")
    default = CalqueEmbedding.from_dict(made().to_dict())
    assert (default.model, default.model_name) == (None, "box")


def test_a_language_goes_to_models_that_need_it(separate_model: Model) -> None:
    spanish = made(separate_model, language="es")
    expected = separate_model.encode(["un perro"], normalize=True, language="es")
    assert spanish.get_text_embedding("un perro") == expected[0].tolist()
    with pytest.raises(UsageError, match="a text's language is needed"):
        made(separate_model).get_text_embedding("un perro")


def test_mistakes_are_told(fluent_model: Model, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model at"):
        made(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="lies in no folder"):
        made(Model(fluent_model.encoder, fluent_model.about))
    with pytest.raises(ValueError, match="less than or equal to 2048"):
        made(fluent_model, embed_batch_size=5000)
