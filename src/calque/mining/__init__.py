"""Translations found in two piles of text."""

from .choosing import MiningReport
from .config import SEARCHES, MiningConfig
from .mine import Mined, Mining, MiningWatch

__all__ = ["SEARCHES", "Mined", "Mining", "MiningConfig", "MiningReport", "MiningWatch"]
