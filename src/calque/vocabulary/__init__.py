"""From text to the ids of rows. Normalisation lives in here, so that training and use cannot differ."""

from typing import TYPE_CHECKING

from ..lazily import lazily
from .spec import Sharing, VocabularySpec

if TYPE_CHECKING:
    from .build import build_vocabulary
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

__getattr__ = lazily(
    __name__,
    {
        "Tokens": "tokens",
        "Vocabulary": "protocol",
        "build_vocabulary": "build",
        "read_vocabulary": "folder",
        "write_vocabulary": "folder",
    },
)
