"""Learning the rows from bitext: mega-batches, hardest negatives, margin loss, Adam."""

from .checkpoint import Checkpoint
from .config import RECIPES, TrainingConfig
from .corpus import TrainingCorpus, tokenise
from .development import DevelopmentSet
from .loop import Outcome, Progress, train_embeddings

__all__ = [
    "RECIPES",
    "Checkpoint",
    "DevelopmentSet",
    "Outcome",
    "Progress",
    "TrainingConfig",
    "TrainingCorpus",
    "tokenise",
    "train_embeddings",
]
