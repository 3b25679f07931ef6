"""GET /v1/models: the names that the model goes by."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..service import Service
from .route import Route


class ModelCard(msgspec.Struct, frozen=True):
    id: str
    created: int  # when the server was started, in seconds since 1970
    dimensions: int
    languages: list[str]
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
    return ModelCard(name, service.started, service.model.dimension, list(service.model.languages))


ROUTES = (
    Route("GET", "/v1/models", "The model's names", answer_all, gives=Models),
    Route("GET", "/v1/models/{name}", "A model by its name", answer_one, gives=ModelCard, errors=(404,)),
)
