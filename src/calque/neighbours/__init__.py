"""Which vectors lie close to which, and how much closer than their neighbourhood would make us expect."""

from .margin import MARGINS, Margin
from .matching import Matches, match
from .nearest import Neighbours, nearest

__all__ = ["MARGINS", "Margin", "Matches", "Neighbours", "match", "nearest"]
