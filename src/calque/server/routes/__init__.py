"""What can be asked: one file each."""

from __future__ import annotations

from . import embeddings, explain, mine, models, search, similarity, status
from .route import Route

ROUTES: tuple[Route, ...] = (
    embeddings.ROUTE,
    similarity.ROUTE,
    search.ROUTE,
    explain.ROUTE,
    mine.ROUTE,
    *models.ROUTES,
    *status.ROUTES,
)

__all__ = ["ROUTES", "Route"]
