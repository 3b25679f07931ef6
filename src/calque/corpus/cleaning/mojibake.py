"""Text that was once read in the wrong encoding (`cafÃ©`), mended where that is safe; ftfy knows how."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..pair import Pair
from .measures import Batch

NAME = "mojibake"


def repair(batch: Batch) -> dict[int, Pair]:
    """The pairs that can be mended, by their place in the batch; most texts are cleared by a count alone."""
    mended = {}
    suspects = np.flatnonzero((batch.source["mojibake"] + batch.target["mojibake"]) > 0)
    for at in suspects:
        pair = batch.pairs[at]
        fixed = Pair(*map(_fix, pair))
        if fixed != pair:
            mended[int(at)] = fixed
    return mended


def _fix(text: str) -> str:
    import ftfy

    fixed = ftfy.fix_encoding(text, config=_config())
    # A cure that leaves holes, or that grows the text, is none.
    return text if "\ufffd" in fixed or len(fixed) > len(text) else fixed


@lru_cache(maxsize=1)
def _config() -> Any:
    import ftfy

    return ftfy.TextFixerConfig(
        unescape_html=False, replace_lossy_sequences=False, decode_inconsistent_utf8=True, explain=False
    )
