"""A vocabulary taken from a model for a training whose rows start at random."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..model import load
from ..model.box import NAME as BOX
from ..vocabulary import Vocabulary
from .start import Start

_DECIDED = ("vocabulary", "vocabulary_size", "sharing")


@dataclass(frozen=True)
class GivenVocabulary:
    """Given("wide-model", the vocabulary, {"vocabulary": "sp", "vocabulary_size": 40000, "sharing": "merged"})"""

    name: str  # of the model, as signatures have it
    vocabulary: Vocabulary
    decided: dict[str, Any]

    def taken(self, options: dict[str, Any]) -> dict[str, Any]:
        """The training options that the vocabulary decides.

        Raises:
            UsageError: an option asks for another vocabulary.
        """
        for name, value in self.decided.items():
            if options.get(name) not in (None, value):
                raise UsageError(
                    f"{self.name} has the {name.replace('_', ' ')} {value}, not {options[name]}",
                    hint=f"leave out --{name.replace('_', '-')}, or --vocabulary-from",
                )
        return self.decided


def open_given(model: str | Path | None, start: Start | None) -> GivenVocabulary | None:
    """
    Raises:
        UsageError: training starts from another model, or the model is one of another library.
    """
    if model is None:
        return None
    if start is not None:
        raise UsageError("a model to start from brings its own vocabulary", hint="leave out --vocabulary-from")
    opened = load(model)
    name = BOX if opened.name == BOX else Path(str(opened.path)).resolve().name
    if opened.about.library:
        raise UsageError(
            f"{name} comes from {opened.about.library}, and Calque learns by vocabularies of its own",
            hint="choose a model that calque train made",
        )
    has = opened.about.training | {"vocabulary": opened.vocabulary.kind, "vocabulary_size": opened.vocabulary.size}
    return GivenVocabulary(name, opened.vocabulary, {each: has[each] for each in _DECIDED if each in has})
