"""Which vectors lie close to which, and how much closer than their neighbourhood would make us expect."""

from .approximate import Approximate
from .codes import Codes, code
from .margin import MARGINS, Margin
from .matching import RETRIEVALS, Matches, Retrieval, match
from .nearest import Neighbours, nearest
from .recall import Recall
from .scan import search_exactly

__all__ = [
    "MARGINS",
    "RETRIEVALS",
    "Approximate",
    "Codes",
    "Margin",
    "Matches",
    "Neighbours",
    "Recall",
    "Retrieval",
    "code",
    "match",
    "nearest",
    "search_exactly",
]
