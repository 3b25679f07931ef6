"""GET /health: whether the server answers, and with what."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..._version import __version__
from ..service import Service
from .route import Route


class Health(msgspec.Struct, frozen=True):
    """`entries` are those of the index, null where none is served."""

    model: str
    dimensions: int
    entries: int | None
    version: str
    status: Literal["ok"] = "ok"


def answer(service: Service, asked: None) -> Health:
    entries = None if service.index is None else len(service.index)
    return Health(service.names[0], service.model.dimension, entries, __version__)


ROUTE = Route("GET", "/health", "Whether the server answers", answer, gives=Health, open=True)
