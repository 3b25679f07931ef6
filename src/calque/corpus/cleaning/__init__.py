"""Cleaning bitext by rules: each scores a pair and says which scores it accepts."""

from .clean import clean_batches
from .presets import PRESETS, RULES, Cleaning, choose_rules
from .report import Counted, Report
from .rule import Rule

__all__ = ["PRESETS", "RULES", "Cleaning", "Counted", "Report", "Rule", "choose_rules", "clean_batches"]
