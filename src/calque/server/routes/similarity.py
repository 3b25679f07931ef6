"""POST /v1/similarity: how alike texts mean, each with each."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..messages import as_list, numbers
from ..service import Service
from .route import Route

MOST_ROWS = 128  # an answer has a number for each pair, so that short texts in great numbers would make a long one


class SimilarityRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Each text of `first` is compared with each of `second`; without `second`, with each other."""

    first: str | Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_ROWS)]
    second: str | Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    model: str | None = None


class Similarities(msgspec.Struct, frozen=True):
    """A row for each text of `first`, of its cosines with the texts of `second`, −1 to 1."""

    similarities: list[list[float]]
    model: str


def answer(service: Service, asked: SimilarityRequest) -> Similarities:
    name = service.require_model(asked.model)
    first = as_list(asked.first)
    second = first if asked.second is None else as_list(asked.second)
    service.require_texts(first, "first")
    service.require_texts(second, "second")
    threads = service.settings.threads
    one = service.model.encode(first, normalize=True, threads=threads)
    two = one if second is first else service.model.encode(second, normalize=True, threads=threads)
    return Similarities(numbers(one @ two.T), name)


ROUTE = Route(
    "POST", "/v1/similarity", "How alike texts mean, in any languages",
    answer, SimilarityRequest, Similarities, errors=(404,),
)  # fmt: skip
