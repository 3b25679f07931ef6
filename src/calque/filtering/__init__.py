"""Is a pair a translation? Score, then decide: how its cosine compares with its rivals', and which scores to keep."""

from .calibration import Estimate, estimate
from .decision import Decision, Keep, decide
from .scores import SCORES, Cosine, Margin, Score, Scored, score_named

__all__ = [
    "SCORES",
    "Cosine",
    "Decision",
    "Estimate",
    "Keep",
    "Margin",
    "Score",
    "Scored",
    "decide",
    "estimate",
    "score_named",
]
