"""POST /v1/search: the entries of the index that mean the same as a query."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..errors import too_many
from ..messages import as_list
from ..service import Service
from .route import Route

MOST_HITS = 1000
_MOST_IN_ALL = 100_000


class SearchRequest(msgspec.Struct, forbid_unknown_fields=True):
    query: str | Annotated[list[str], msgspec.Meta(min_length=1)]
    k: Annotated[int, msgspec.Meta(ge=1, le=MOST_HITS)] = 10
    model: str | None = None


class SearchHit(msgspec.Struct, frozen=True):
    """An entry of the index; `file` and `line` are null for one that came from no file."""

    score: float
    id: int
    text: str
    file: str | None
    line: int | None


class SearchAnswer(msgspec.Struct, frozen=True):
    """One list for each query, the nearest first."""

    results: list[list[SearchHit]]
    model: str


def answer(service: Service, asked: SearchRequest) -> SearchAnswer:
    name = service.require_model(asked.model)
    queries = as_list(asked.query)
    service.require_texts(queries, "query")
    if len(queries) * asked.k > _MOST_IN_ALL:
        raise too_many(
            "query", f"{asked.k:,} hits for each of {len(queries):,} queries are more than {_MOST_IN_ALL:,} in all"
        )
    found = service.current_index().search(queries, asked.k, threads=service.settings.threads)
    return SearchAnswer([[SearchHit(*hit) for hit in hits] for hits in found], name)


# A large index is read from end to end for each query.
ROUTE = Route(
    "POST",
    "/v1/search",
    "What in the index means the same",
    answer,
    SearchRequest,
    SearchAnswer,
    long=True,
    errors=(404,),
)
