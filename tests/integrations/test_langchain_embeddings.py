"""CalqueEmbeddings in LangChain's own vector store."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from calque.demo import sentences
from calque.encoder import AverageEncoder
from calque.errors import ModelError, UsageError
from calque.model import Model

pytest.importorskip("langchain_core", reason="LangChain is not installed: pip install 'calque-nlp[langchain]'")

ENGLISH, SPANISH = sentences()["en"], sentences()["es"]


def made(*arguments: Any, **options: Any) -> Any:
    from calque.integrations.langchain import CalqueEmbeddings

    return CalqueEmbeddings(*arguments, **options)


def test_vectors_are_the_models_as_lists_of_floats(fluent_model: Model) -> None:
    embeddings = made(fluent_model.path)
    embedded = embeddings.embed_documents(ENGLISH[:9])
    assert embedded == fluent_model.encode(ENGLISH[:9], normalize=True).tolist()
    assert {type(value) for row in embedded for value in row} == {float}
    assert embeddings.embed_query(ENGLISH[3]) == embedded[3]
    assert embeddings.embed_documents([]) == []
    assert set(embeddings.embed_query("")) == {0.0}


def test_a_store_of_english_is_searched_in_spanish(fluent_model: Model) -> None:
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(made(fluent_model))
    store.add_texts(ENGLISH, metadatas=[{"at": at} for at in range(len(ENGLISH))])
    found = [store.similarity_search(query, k=1)[0].metadata["at"] for query in SPANISH[:40]]
    assert sum(at == own for own, at in enumerate(found)) >= 36


def test_asynchronous_calls_leave_the_loop_to_others_and_give_the_same(
    fluent_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, threads = AverageEncoder.encode, set()

    def noted(*arguments: Any) -> Any:
        threads.add(threading.get_ident())
        return encode(*arguments)

    monkeypatch.setattr(AverageEncoder, "encode", noted)
    embeddings = made(fluent_model)

    async def run() -> tuple[list[list[float]], list[float]]:
        return await embeddings.aembed_documents(ENGLISH), await embeddings.aembed_query(ENGLISH[0])

    embedded, query = asyncio.run(run())
    assert threads
    assert threading.get_ident() not in threads
    assert embedded == embeddings.embed_documents(ENGLISH)
    assert query == embedded[0]


def test_without_a_model_it_is_the_one_in_the_box(box: object, quantised_model: Model) -> None:
    assert made().embed_query("a dog") == quantised_model.encode(["a dog"], normalize=True)[0].tolist()
    assert made("box").model.path == quantised_model.path


def test_a_language_goes_to_models_that_need_it(separate_model: Model) -> None:
    spanish = made(separate_model, language="es")
    expected = separate_model.encode(["un perro"], normalize=True, language="es")
    assert spanish.embed_query("un perro") == expected[0].tolist()
    with pytest.raises(UsageError, match="a text's language is needed"):
        made(separate_model).embed_query("un perro")


def test_mistakes_are_told(tmp_path: Any, fluent_model: Model) -> None:
    with pytest.raises(ModelError, match="there is no model at"):
        made(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="got one str"):
        made(fluent_model).embed_documents("a dog")
