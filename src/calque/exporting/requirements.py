"""What a model must be so that another library can use it."""

from __future__ import annotations

from ..errors import UsageError
from ..model import Model
from ..vocabulary.tokenizer_json import TokenizerVocabulary
from ..vocabulary.tokenizer_writing import tokenizer_json


def require_average(model: Model, purpose: str) -> None:
    """
    Raises:
        UsageError: a sentence's vector is more than the mean of its rows.
    """
    if model.encoder.name != "average":
        raise UsageError(
            f"{purpose} holds a row for each piece and nothing else, and this model is a {model.encoder.name.upper()}, "
            "which does more than add up rows",
            hint="export an average: train with --encoder average, the default",
        )


def require_tokenizer(model: Model, purpose: str) -> str:
    """The vocabulary as a tokenizer.json.

    Raises:
        UsageError: that format cannot say how this vocabulary cuts text.
    """
    if isinstance(model.vocabulary, TokenizerVocabulary):
        return model.vocabulary.bare_definition.decode()
    described = tokenizer_json(model.vocabulary)
    if described is None:
        kind = {"word": "whole words", "trigram": "character trigrams"}.get(
            model.vocabulary.kind, "pieces of a vocabulary for each language"
        )
        raise UsageError(
            f"{purpose} needs a tokenizer.json, which cannot say how this model cuts text: into {kind}",
            hint="train with --vocabulary sp and --sharing joint or merged; --to word2vec writes the bare rows of any "
            "average",
        )
    return described
