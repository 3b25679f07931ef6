"""An index on disk: texts, their vectors, and which of them are nearest to a query."""

from .index import Index
from .ranking import Hit

__all__ = ["Hit", "Index"]
