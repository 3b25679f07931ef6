"""The vocabulary as a tokenizer.json, for sentence-transformers and model2vec."""

from __future__ import annotations

import json
from typing import Any

from .protocol import Vocabulary
from .sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary
from .tokenizer_normaliser import normaliser

_UNKNOWN_PIECE = "<UNK>"  # not <unk>, which a text can hold once its case is folded


def tokenizer_json(vocabulary: Vocabulary) -> str | None:
    """None where that format cannot say what the vocabulary does: words, trigrams, one vocabulary a language."""
    if not isinstance(vocabulary, SentencePieceVocabulary):
        return None
    pieces = [*vocabulary.pieces]
    pieces[UNKNOWN] = _UNKNOWN_PIECE
    description: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],  # one for the unknown piece would be found in text that says so
        "normalizer": normaliser(vocabulary.charsmap),
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "post_processor": None,
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN,
            "vocab": [[piece, score] for piece, score in zip(pieces, vocabulary.scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(description, ensure_ascii=False) + "\n"
