"""Normalisation for the vocabularies that do not bring their own."""

from __future__ import annotations

import re
import unicodedata

_SURROGATES = re.compile("[\ud800-\udfff]")


def normalise(text: str) -> str:
    """Compatibility forms unified, case folded, white space squeezed to single spaces.

    >>> normalise("  Ｃafé\\u00a0ROUGE ")
    'café rouge'
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def without_surrogates(text: str) -> str:
    """A lone surrogate stands for no character; it becomes U+FFFD, as in the kernel."""
    return _SURROGATES.sub("\ufffd", text)
