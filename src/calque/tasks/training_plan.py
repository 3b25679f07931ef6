"""Everything that a new training is asked for, checked before anything is read at length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..corpus import Bitext, PlainText
from ..encoder.pytorch import torch_module
from ..errors import UsageError
from ..training import TrainingConfig
from ..vocabulary import Vocabulary, build_vocabulary
from .given_vocabulary import GivenVocabulary
from .inputs import sides
from .start import Start

Sources = tuple[Bitext | PlainText, ...]


@dataclass(frozen=True)
class TrainingPlan:
    config: TrainingConfig
    sources: Sources
    weights: tuple[float, ...]  # of the sources; none: 1 each
    start: Start | None
    given: GivenVocabulary | None
    development: Sequence[str]

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the model to start from, the given one, or one that is learnt from the sources."""
        if self.start:
            return self.start.vocabulary(self.sources, self.config.recipe)
        if self.given:
            return self.given.vocabulary
        return build_vocabulary(self.config.vocabulary_spec, lambda: sides(self.sources))

    def config_for(self, vocabulary: Vocabulary) -> TrainingConfig:
        """The configuration, which names the size of a vocabulary that has grown by languages."""
        grown = self.start is not None and self.start.added
        return replace(self.config, vocabulary_size=vocabulary.size) if grown else self.config


def config_of(
    recipe: str | None, options: dict[str, Any], start: Start | None, given: GivenVocabulary | None
) -> TrainingConfig:
    """The configuration; what a model to start from or a given vocabulary has decided is taken over from it."""
    chosen = recipe or (start.recipe if start else "calque")
    decided = (start.taken(options) if start else {}) | (given.taken(options) if given else {})
    config = TrainingConfig.of(chosen, **options | decided)  # type: ignore[arg-type]
    if chosen in ("adapt", "extend") and (start is None or chosen != start.recipe):
        fits = {"adapt": "goes with --init", "extend": "goes with --init and --add-language"}
        raise UsageError(
            f"the recipe {chosen} {fits[chosen]}, for an average of SentencePiece pieces", hint="leave out --recipe"
        )
    if config.freeze and (start is None or start.recipe == "calque"):
        raise UsageError("only rows of a model to start from can be frozen, one of SentencePiece pieces and averages")
    if config.encoder == "blstm":
        torch_module()  # before anything is read or written
    return config
