"""The description of all this for machines, made from the routes and the types of their messages."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from .._version import __version__
from .errors import ErrorAnswer
from .routes import Route
from .routes.embeddings import EmbeddingsRequest
from .routes.mine import MineRequest
from .service import Service

_REFERENCE = "#/components/schemas/{name}"
_ANY_BODY = (408, 413, 415, 503)  # what any request with a body may meet


def describe(service: Service, routes: Sequence[Route]) -> dict[str, Any]:
    """As OpenAPI 3.1, with the limits of this server."""
    types = {type for route in routes for type in (route.takes, route.gives) if type is not None}
    ordered = sorted({*types, ErrorAnswer}, key=lambda type: type.__name__)
    _, schemas = msgspec.json.schema_components(ordered, ref_template=_REFERENCE)
    for schema in schemas.values():
        _limit(schema, service)
    schemas[EmbeddingsRequest.__name__]["properties"]["dimensions"]["anyOf"][0]["maximum"] = service.model.dimension
    for side in ("source", "target"):
        schemas[MineRequest.__name__]["properties"][side]["maxItems"] = service.settings.max_lines
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, service)
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Calque",
            "version": __version__,
            "description": "Sentence embeddings, and what they can do.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if service.settings.token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return described


def _operation(route: Route, service: Service) -> dict[str, Any]:
    errors = {*route.errors, *(_ANY_BODY if route.takes else ()), 400, 500}
    guarded = bool(service.settings.token) and not route.open
    if guarded:
        errors.add(401)
    if service.settings.hosts is not None:
        errors.add(403)
    kind = "application/json" if route.gives else "text/plain"
    schema = _reference(route.gives) if route.gives else {"type": "string"}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": f"{route.method.lower()}_{route.path.strip('/').replace('/', '_').strip('{}')}",
        "responses": {
            "200": {"description": "The answer", "content": {kind: {"schema": schema}}},
            **{str(status): _refusal(status) for status in sorted(errors)},
        },
    }
    if route.takes:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _reference(route.takes)}},
        }
    if route.prefix is not None:
        operation["parameters"] = [
            {"name": "name", "in": "path", "required": True, "schema": {"enum": list(service.names)}}
        ]
    if guarded:
        operation["security"] = [{"token": []}]
    return operation


def _refusal(status: int) -> dict[str, Any]:
    content = {"application/json": {"schema": _reference(ErrorAnswer)}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _reference(type: type) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(name=type.__name__)}


def _limit(schema: dict[str, Any], service: Service) -> None:
    """Requests are those that allow no other fields; their strings are texts, and `model` is one of few names."""
    if schema.get("additionalProperties") is not False:
        return
    for name, field in schema["properties"].items():
        if name == "model":
            field["anyOf"] = [{"enum": list(service.names)}, {"type": "null"}]
            continue
        for kind in field.get("anyOf", [field]):
            if kind.get("type") == "array":
                kind.setdefault("maxItems", service.settings.max_batch)
