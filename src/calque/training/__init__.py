"""Learning from bitext: mega-batches, hardest negatives, margin loss, Adam."""

from typing import TYPE_CHECKING

from ..lazily import lazily

if TYPE_CHECKING:
    from .checkpoint import Checkpoint
    from .config import RECIPES, TrainingConfig
    from .corpus import Corpus, TrainingCorpus, tokenise
    from .development import Development, DevelopmentSet
    from .large_corpus import tokenise_beside
    from .learner import first_state
    from .loop import Outcome, Progress, telling_to_resume, train_parameters

__all__ = [
    "RECIPES",
    "Checkpoint",
    "Corpus",
    "Development",
    "DevelopmentSet",
    "Outcome",
    "Progress",
    "TrainingConfig",
    "TrainingCorpus",
    "first_state",
    "telling_to_resume",
    "tokenise",
    "tokenise_beside",
    "train_parameters",
]

__getattr__ = lazily(
    __name__,
    {
        "RECIPES": "config",
        "Checkpoint": "checkpoint",
        "Corpus": "corpus",
        "Development": "development",
        "DevelopmentSet": "development",
        "Outcome": "loop",
        "Progress": "loop",
        "TrainingConfig": "config",
        "TrainingCorpus": "corpus",
        "first_state": "learner",
        "telling_to_resume": "loop",
        "tokenise": "corpus",
        "tokenise_beside": "large_corpus",
        "train_parameters": "loop",
    },
)
