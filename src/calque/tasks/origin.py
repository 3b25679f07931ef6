"""What a run remembers of the model that it started from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..model import load
from ..model.quality import LanguageQuality, read_qualities
from ..saved import get, later, texts
from ..training import Corpus, TrainingConfig, first_state
from ..training.earlier_rows import added_rows, frozen_rows
from ..training.learner import Arrays
from ..vocabulary import Vocabulary
from ..vocabulary.sentencepiece import SentencePieceVocabulary
from .start import Start


@dataclass(frozen=True)
class Origin:
    """The model itself may be gone when the run ends."""

    path: str
    languages: tuple[str, ...]
    data: tuple[str, ...]
    added: tuple[str, ...] = ()
    checksum: str | None = None  # of what it had learnt; earlier versions did not remember it
    quality: tuple[LanguageQuality, ...] = ()

    @classmethod
    def of(cls, start: Start) -> Origin:
        model = start.model
        path = str(Path(str(model.path)).absolute())
        return cls(path, model.about.languages, model.about.data, start.added, model.checksum, model.about.quality)

    def as_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "languages": self.languages,
            "data": self.data,
            "added": self.added,
            "checksum": self.checksum,
            "quality": [each.as_dict() for each in self.quality],
        }

    @classmethod
    def from_dict(cls, saved: Any) -> Origin:
        """
        Raises:
            ValueError: it is nothing that `as_dict` gives.
        """
        path, checksum = get(saved, "path", str), later(saved, "checksum", str)
        lists = texts(saved, "languages"), texts(saved, "data"), texts(saved, "added")
        return cls(path, *lists, checksum, read_qualities(saved))

    @property
    def recipe(self) -> str:
        """What a signature says of it."""
        return ",".join([f"init={Path(self.path).resolve().name}", *(f"added={language}" for language in self.added)])

    def first_state(self, vocabulary: Vocabulary, corpus: Corpus, config: TrainingConfig) -> Arrays:
        """Where a learner starts from it.

        Raises:
            ModelError: it is no longer there, or another.
        """
        model = load(self.path)
        if self.checksum not in (None, model.checksum):
            raise ModelError(
                f"{self.path} is not the model that the training began from: checksum {model.checksum}, "
                f"expected {self.checksum}",
                hint="bring it back as it was, or train anew into another folder",
            )
        old = model.vocabulary
        if not isinstance(old, SentencePieceVocabulary) or not isinstance(vocabulary, SentencePieceVocabulary):
            return first_state(config.encoder, model.encoder.parameters)
        rows = added_rows(model.embeddings, old, vocabulary, config.seed)
        frozen = frozen_rows(old, vocabulary.size, corpus, config.freeze, self.added) if config.freeze else None
        return first_state(config.encoder, model.encoder.parameters | {"embeddings": rows}, frozen)
