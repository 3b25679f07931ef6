"""Halves of surrogate pairs, which Python strings can hold and UTF-8 cannot."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """A lone surrogate stands for no character; it becomes U+FFFD, as in the kernel."""
    return _SURROGATES.sub("\ufffd", text)
