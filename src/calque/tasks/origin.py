"""What a run remembers of the model that it started from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model import load
from ..saved import get, texts
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

    @classmethod
    def of(cls, start: Start) -> Origin:
        model = start.model
        return cls(str(Path(str(model.path)).absolute()), model.about.languages, model.about.data, start.added)

    def as_dict(self) -> dict[str, Any]:
        return {"path": self.path, "languages": self.languages, "data": self.data, "added": self.added}

    @classmethod
    def from_dict(cls, saved: Any) -> Origin:
        """
        Raises:
            ValueError: it is nothing that `as_dict` gives.
        """
        return cls(get(saved, "path", str), texts(saved, "languages"), texts(saved, "data"), texts(saved, "added"))

    @property
    def recipe(self) -> str:
        """What a signature says of it."""
        return ",".join([f"init={Path(self.path).resolve().name}", *(f"added={language}" for language in self.added)])

    def first_state(self, vocabulary: Vocabulary, corpus: Corpus, config: TrainingConfig) -> Arrays:
        """Where a learner starts from it."""
        model = load(self.path)
        old = model.vocabulary
        if not isinstance(old, SentencePieceVocabulary) or not isinstance(vocabulary, SentencePieceVocabulary):
            return first_state(config.encoder, model.encoder.parameters)
        rows = added_rows(model.embeddings, old, vocabulary, config.seed)
        frozen = frozen_rows(old, vocabulary.size, corpus, config.freeze, self.added) if config.freeze else None
        return first_state(config.encoder, model.encoder.parameters | {"embeddings": rows}, frozen)
