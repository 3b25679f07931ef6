"""From text to the ids of rows. Normalisation lives in here, so that training and use cannot differ."""

from .build import Sharing, VocabularySpec, build_vocabulary
from .folder import read_vocabulary, write_vocabulary
from .protocol import Vocabulary
from .tokens import Tokens

__all__ = [
    "Sharing",
    "Tokens",
    "Vocabulary",
    "VocabularySpec",
    "build_vocabulary",
    "read_vocabulary",
    "write_vocabulary",
]
