"""The vocabulary as a tokenizer.json, for sentence-transformers and model2vec."""

from __future__ import annotations

import base64
import json
from typing import Any

from ..vocabulary import Vocabulary
from ..vocabulary.sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary


def tokenizer_json(vocabulary: Vocabulary) -> str | None:
    """None where that format cannot say what the vocabulary does: words, trigrams, one vocabulary a language."""
    if not isinstance(vocabulary, SentencePieceVocabulary):
        return None
    description: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": UNKNOWN,
                "content": vocabulary.pieces[UNKNOWN],
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(vocabulary.charsmap).decode()},
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "post_processor": None,
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN,
            "vocab": [[piece, score] for piece, score in zip(vocabulary.pieces, vocabulary.scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(description, ensure_ascii=False) + "\n"
