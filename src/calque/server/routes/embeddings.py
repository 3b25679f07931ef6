"""POST /v1/embeddings, as OpenAI's clients speak it."""

from __future__ import annotations

import base64
import re
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from ...encoder import Vectors
from ...encoder.average import unit
from ..errors import ApiError
from ..messages import as_list, numbers
from ..service import Service
from .route import Route


class EmbeddingsRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A text, or a list of texts. Text in which the model knows nothing, such as an empty one, gets zeros.

    `dimensions` asks for the first so many numbers of each vector, made a vector of length 1 again.
    """

    input: str | Annotated[list[str], msgspec.Meta(min_length=1)]
    model: str | None = None
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, msgspec.Meta(ge=1)] | None = None
    user: str | None = None  # whom the request is for; clients may send it, and nothing is done with it


class Embedding(msgspec.Struct, frozen=True):
    """Numbers, or their float32 bytes, little end first, as base64."""

    index: int
    embedding: list[float] | str
    object: Literal["embedding"] = "embedding"


class Usage(msgspec.Struct, frozen=True):
    """The pieces that the model has read."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(msgspec.Struct, frozen=True):
    data: list[Embedding]
    model: str
    usage: Usage
    object: Literal["list"] = "list"


def answer(service: Service, asked: EmbeddingsRequest) -> Embeddings:
    name = service.require_model(asked.model)
    texts = as_list(asked.input)
    service.require_texts(texts, "input")
    encoded = service.model.encoder.encode_counting(texts, normalize=True, threads=service.settings.threads)
    vectors = _shortened(encoded.vectors, asked.dimensions)
    written = _as_base64 if asked.encoding_format == "base64" else numbers
    pieces = sum(encoded.pieces.tolist())  # a request is small, and numpy's sum takes longer than its encoding
    data = [Embedding(index, written(vector)) for index, vector in enumerate(vectors)]
    return Embeddings(data, name, Usage(pieces, pieces))


def _of_tokens(problem: str) -> str | None:
    """Some clients cut the text themselves, for models whose pieces they know, and send the pieces' numbers."""
    if not re.match(r"input\[\d+\]: expected `str`, got `(int|array)`", problem):
        return None
    return (
        "input: expected text, got numbers of tokens, which mean nothing to this model; "
        "LangChain's OpenAIEmbeddings sends text with check_embedding_ctx_length=False"
    )


def _as_base64(vector: Vectors) -> Any:
    return base64.b64encode(vector.astype("<f4", copy=False).tobytes()).decode()


def _shortened(vectors: Vectors, dimensions: int | None) -> Vectors:
    """The first ones do as well as any: turning the vectors first, to have the most in those, gained nothing."""
    if dimensions is None or dimensions == vectors.shape[1]:
        return vectors
    if dimensions > vectors.shape[1]:
        raise ApiError(400, f"dimensions: the model has {vectors.shape[1]}, not {dimensions}", param="dimensions")
    return unit(np.ascontiguousarray(vectors[:, :dimensions]))


ROUTE = Route(
    "POST", "/v1/embeddings", "Vectors of texts, as OpenAI's clients ask for them",
    answer, EmbeddingsRequest, Embeddings, advice=_of_tokens, errors=(404,),
)  # fmt: skip
