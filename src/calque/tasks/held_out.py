"""How well a model that was just trained knows its languages, by translations that it has not seen."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import datetime, timezone

from ..corpus.languages import base
from ..encoder import Encoder
from ..errors import UsageError
from ..model.quality import LanguageQuality
from ..training.development import Translations, retrieval

_EPOCH = "SOURCE_DATE_EPOCH"  # what builds that are to be repeated byte for byte take for the time


def measured(encoder: Encoder, sets: Sequence[Translations], threads: int) -> tuple[LanguageQuality, ...]:
    """Retrieval both ways on each set, under the language that it has beside English or, without English, its first."""
    return tuple(_measured(encoder, each, threads) for each in sets)


def _measured(encoder: Encoder, held_out: Translations, threads: int) -> LanguageQuality:
    one, two = held_out.languages
    source, target = (
        encoder.encode([pair[side] for pair in held_out.pairs], True, threads, held_out.languages[side])
        for side in range(2)
    )
    forward, backward = retrieval(source, target)
    if base(one) == "en" and base(two) != "en":
        one, two, forward, backward = two, one, backward, forward
    return LanguageQuality(one, two, forward, backward, len(held_out.pairs), held_out.name, today())


def today() -> str:
    """The date in UTC, or the one that SOURCE_DATE_EPOCH says.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is no number of seconds.
    """
    told = os.environ.get(_EPOCH)
    try:
        seconds = int(told) if told else time.time()
        return datetime.fromtimestamp(seconds, timezone.utc).date().isoformat()
    except (ValueError, OverflowError, OSError) as problem:
        raise UsageError(f"{_EPOCH}: expected seconds since 1970, got {told!r}", hint="like 1763424000") from problem
