"""Text from files: lines, bitext in its many forms, and scored sentence pairs. Everything is streamed."""

from .bitext import Bitext, find_bitexts, read_bitext
from .files import STDIN
from .lines import read_lines
from .pair import Columns, Languages, Pair
from .plain import PlainText, find_texts
from .scored import ScoredPair, read_scored_pairs

__all__ = [
    "STDIN",
    "Bitext",
    "Columns",
    "Languages",
    "Pair",
    "PlainText",
    "ScoredPair",
    "find_bitexts",
    "find_texts",
    "read_bitext",
    "read_lines",
    "read_scored_pairs",
]
