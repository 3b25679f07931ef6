"""POST /v1/explain: what each piece of one text and each piece of the other add to their similarity."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from ...explanation import Part
from ...tasks.explain import explain
from ..errors import too_long
from ..messages import numbers
from ..service import Service
from .route import Route

LONGEST = 2000  # characters; a page of text, and a table of all its pieces that can still be looked at


class ExplainRequest(msgspec.Struct, forbid_unknown_fields=True):
    first: str
    second: str
    by: Literal["word", "piece"] = "word"
    model: str | None = None


class ExplainedPart(msgspec.Struct, frozen=True):
    """A word or a piece; what is not known to the model adds nothing."""

    text: str
    known: bool
    word: int  # the word of the text that it belongs to, counted from 0


class Explained(msgspec.Struct, frozen=True):
    """contributions[i][j] is what first[i] and second[j] add; all of them make up the score."""

    score: float
    by: str
    first: list[ExplainedPart]
    second: list[ExplainedPart]
    contributions: list[list[float]]
    unknown: list[str]
    model: str


def answer(service: Service, asked: ExplainRequest) -> Explained:
    name = service.require_model(asked.model)
    for param, text in (("first", asked.first), ("second", asked.second)):
        if len(text) > LONGEST:
            raise too_long(
                param, f"{len(text):,} characters are more than the {LONGEST:,} that are explained; take a sentence"
            )
    explained = explain(asked.first, asked.second, service.model)
    shown = explained.by_word() if asked.by == "word" else explained
    table = numbers(np.ascontiguousarray(shown.contributions, np.float32))
    first, second = ([_part(part) for part in parts] for parts in (shown.first, shown.second))
    return Explained(shown.score, asked.by, first, second, table, list(shown.unknown), name)


def _part(part: Part) -> ExplainedPart:
    return ExplainedPart(part.text, part.known, part.word)


ROUTE = Route(
    "POST", "/v1/explain", "What makes two texts similar, word by word",
    answer, ExplainRequest, Explained, long=True, errors=(404,),
)  # fmt: skip
