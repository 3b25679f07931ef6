"""GET /v1/models: the names that the model goes by."""

from __future__ import annotations

from typing import Literal

import msgspec

from ...model import Model
from ...model.quality import Measured
from ..service import Service
from .route import Route


class Quality(msgspec.Struct, frozen=True):
    """The share of a language's sentences that find their translation, both ways, in per cent."""

    found: float
    n: int  # sentences
    set: str
    date: str
    tier: Measured | None  # null: too few sentences to tell


class ModelCard(msgspec.Struct, frozen=True):
    id: str
    created: int  # when the server was started, in seconds since 1970
    dimensions: int
    languages: list[str]
    quality: dict[str, Quality]  # of the languages that were measured
    object: Literal["model"] = "model"
    owned_by: Literal["calque"] = "calque"


class Models(msgspec.Struct, frozen=True):
    data: list[ModelCard]
    object: Literal["list"] = "list"


def answer_all(service: Service, asked: None) -> Models:
    return Models([_card(service, name) for name in service.names])


def answer_one(service: Service, asked: str) -> ModelCard:
    return _card(service, service.require_model(asked))


def _card(service: Service, name: str) -> ModelCard:
    model = service.model
    return ModelCard(name, service.started, model.dimension, list(model.languages), _qualities(model))


def _qualities(model: Model) -> dict[str, Quality]:
    measured = {language: model.quality(language) for language in model.languages}
    return {
        language: Quality(round(its.found, 2), its.n, its.set, its.date, its.tier)
        for language, its in measured.items()
        if its is not None
    }


ROUTES = (
    Route("GET", "/v1/models", "The model's names", answer_all, gives=Models),
    Route("GET", "/v1/models/{name}", "A model by its name", answer_one, gives=ModelCard, errors=(404,)),
)
