"""Translations found in two piles of text."""

from .config import SEARCHES, MiningConfig
from .mine import Mined, Mining, MiningReport, MiningWatch

__all__ = ["SEARCHES", "Mined", "Mining", "MiningConfig", "MiningReport", "MiningWatch"]
