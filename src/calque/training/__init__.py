"""Learning from bitext: mega-batches, hardest negatives, margin loss, Adam."""

from .checkpoint import Checkpoint
from .config import RECIPES, TrainingConfig
from .corpus import TrainingCorpus, tokenise
from .development import DevelopmentSet
from .learner import first_state
from .loop import Outcome, Progress, train_parameters

__all__ = [
    "RECIPES",
    "Checkpoint",
    "DevelopmentSet",
    "Outcome",
    "Progress",
    "TrainingConfig",
    "TrainingCorpus",
    "first_state",
    "tokenise",
    "train_parameters",
]
