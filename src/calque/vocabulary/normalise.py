"""Normalisation for the vocabularies that do not bring their own."""

from __future__ import annotations

import unicodedata


def normalise(text: str) -> str:
    """Compatibility forms unified, case folded, white space squeezed to single spaces.

    >>> normalise("  Ｃafé\\u00a0ROUGE ")
    'café rouge'
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())
