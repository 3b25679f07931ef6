"""Which vectors lie close to which, and how much closer than their neighbourhood would make us expect."""

from .margin import MARGINS, Margin
from .matching import RETRIEVALS, Matches, Retrieval, match
from .nearest import Neighbours, nearest

__all__ = ["MARGINS", "RETRIEVALS", "Margin", "Matches", "Neighbours", "Retrieval", "match", "nearest"]
