"""Why two texts are similar."""

from __future__ import annotations

from pathlib import Path

from ..explanation import Explanation, split_similarity
from ..model import Model, as_model


def explain(
    first: str,
    second: str,
    model: Model | str | Path | None = None,
    languages: tuple[str, str] | None = None,
) -> Explanation:
    """What each piece of one text and each piece of the other add to their similarity; see `Explanation`.

    `calque.explain("A dog runs.", "Un perro corre.", model="my-model").by_word()` has words instead of pieces.
    """
    opened = as_model(model)
    opened.require_languages(languages or ())
    return split_similarity(opened, first, second, languages)
