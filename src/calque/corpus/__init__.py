"""Text from files: lines, bitext, and scored sentence pairs. Everything is streamed."""

from .bitext import Bitext, Pair, find_bitexts
from .lines import read_lines
from .scored import ScoredPair, read_scored_pairs

__all__ = ["Bitext", "Pair", "ScoredPair", "find_bitexts", "read_lines", "read_scored_pairs"]
