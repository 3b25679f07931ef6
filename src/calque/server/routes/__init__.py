"""What can be asked: one file each."""

from __future__ import annotations

from . import embeddings, explain, health, mine, models, search, similarity
from .route import Route

ROUTES: tuple[Route, ...] = (
    embeddings.ROUTE,
    similarity.ROUTE,
    search.ROUTE,
    explain.ROUTE,
    mine.ROUTE,
    *models.ROUTES,
    health.ROUTE,
)

__all__ = ["ROUTES", "Route"]
