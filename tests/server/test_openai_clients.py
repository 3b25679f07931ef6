"""The clients that people already have get the same vectors as the library gives."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from running import Running, running

from calque.demo import sentences
from calque.model import Model

openai = pytest.importorskip("openai")

TEXTS = ["A dog runs.", "Un perro corre.", "", "漢字 😀 \x00"]


@pytest.fixture(scope="module")
def client(server: Running) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="unused", max_retries=0)


def test_the_openai_client_gets_the_vectors(client: openai.OpenAI, fluent_model: Model) -> None:
    """It asks for base64 unless told otherwise."""
    got = client.embeddings.create(input=TEXTS, model="model")
    assert [each.index for each in got.data] == list(range(len(TEXTS)))
    np.testing.assert_array_equal([each.embedding for each in got.data], fluent_model.encode(TEXTS, normalize=True))
    assert got.model == "model"


@pytest.mark.parametrize("format", ["float", "base64"])
def test_both_formats_hold_the_same_numbers(server: Running, fluent_model: Model, format: str) -> None:
    asked = {"input": "A dog runs.", "model": "model", "encoding_format": format}
    (got,) = server.post("/v1/embeddings", asked).json()["data"]
    given = got["embedding"]
    numbers = np.frombuffer(base64.b64decode(given), "<f4") if format == "base64" else np.float32(given)
    np.testing.assert_array_equal(numbers, fluent_model.encode(["A dog runs."], normalize=True)[0])


def test_a_single_text_is_a_list_of_one(client: openai.OpenAI) -> None:
    assert len(client.embeddings.create(input="A dog runs.", model="model").data) == 1


def test_usage_counts_the_pieces(client: openai.OpenAI, fluent_model: Model) -> None:
    tokens = fluent_model.vocabulary.encode(TEXTS)
    usage = client.embeddings.create(input=TEXTS, model="model").usage
    assert usage.prompt_tokens == usage.total_tokens == len(tokens.ids) > 0


def test_fewer_dimensions_are_the_first_ones_made_length_one(client: openai.OpenAI, fluent_model: Model) -> None:
    (got,) = client.embeddings.create(input="A dog runs.", model="model", dimensions=16).data
    first = fluent_model.encode(["A dog runs."])[0, :16]
    np.testing.assert_allclose(got.embedding, first / np.linalg.norm(first), rtol=1e-5)


def test_a_whole_number_may_have_a_point(server: Running) -> None:
    """As clients write it whose language has one kind of number."""
    (got,) = server.post("/v1/embeddings", {"input": "A dog runs.", "dimensions": 16.0}).json()["data"]
    assert len(got["embedding"]) == 16


def test_more_dimensions_than_there_are_is_an_error(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="the model has 64, not 65") as caught:
        client.embeddings.create(input="A dog runs.", model="model", dimensions=65)
    assert caught.value.param == "dimensions"


@pytest.mark.parametrize("tokens", [[1, 2, 3], [[1, 2], [3]]])
def test_token_numbers_are_refused_with_the_way_out(client: openai.OpenAI, tokens: list[int]) -> None:
    with pytest.raises(openai.BadRequestError, match=r"numbers of tokens.*check_embedding_ctx_length=False"):
        client.embeddings.create(input=tokens, model="model")


def test_the_model_goes_by_its_names_and_no_other(client: openai.OpenAI) -> None:
    assert [each.id for each in client.models.list().data] == ["model", "text-embedding-3-small"]
    assert client.models.retrieve("model").id == "model"
    assert client.embeddings.create(input="a", model="text-embedding-3-small").model == "text-embedding-3-small"
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-9' here, only model, text-embedding-3-small"):
        client.embeddings.create(input="a", model="gpt-9")
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-9")


async def many(server: Running, texts: list[str]) -> list[list[float]]:
    import asyncio

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="unused", max_retries=0) as client:
        calls = [client.embeddings.create(input=text, model="model") for text in texts]
        return [each.data[0].embedding for each in await asyncio.gather(*calls)]


def test_many_requests_at_once_do_not_mix(server: Running, fluent_model: Model) -> None:
    import asyncio

    texts = sentences()["en"][:200]
    got = asyncio.run(many(server, texts))
    np.testing.assert_allclose(got, fluent_model.encode(texts, normalize=True), atol=1e-6)


def test_the_token_is_the_api_key(fluent_model: Model) -> None:
    with running("--model", fluent_model.path, environment={"CALQUE_TOKEN": "s3cret"}) as server:
        for key in ("wrong", "s3cret2", "s3cre"):
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0)
            with pytest.raises(openai.AuthenticationError, match="Authorization: Bearer TOKEN"):
                client.embeddings.create(input="a", model="model")
        for header in (b"Bearer \xff", b"Basic s3cret", b"s3cret", b""):
            assert server.get("/v1/models", headers={"Authorization": header}).status_code == 401
        several = [("Authorization", "Bearer s3cret"), ("Authorization", "Bearer wrong")]
        for headers in (several, several[::-1], several[:1] * 2):
            assert server.post("/v1/embeddings", {"input": "a"}, headers=headers).status_code == 401
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="s3cret", max_retries=0)
        assert client.embeddings.create(input="a", model="model").data
        assert server.get("/v1/models").status_code == server.get("/metrics").status_code == 401
        assert server.get("/v1/models").headers["www-authenticate"] == "Bearer"
        assert server.get("/health").status_code == server.get("/").status_code == 200


def test_langchains_client_finds_translations(server: Running, fluent_model: Model) -> None:
    library = pytest.importorskip("langchain_openai")
    embeddings = library.OpenAIEmbeddings(
        base_url=f"{server.url}/v1", api_key="unused", model="model", check_embedding_ctx_length=False
    )
    texts = sentences()["es"][:50]
    documents = np.array(embeddings.embed_documents(texts))
    np.testing.assert_allclose(documents, fluent_model.encode(texts, normalize=True), atol=1e-6)
    english = [embeddings.embed_query(text) for text in sentences()["en"][:50]]
    assert ((np.array(english) @ documents.T).argmax(axis=1) == np.arange(50)).mean() > 0.9
