"""Why two texts are similar."""

from __future__ import annotations

from pathlib import Path

from ..explanation import Explanation, split_similarity
from ..model import Model, as_model
from ..model.familiarity import COMPARING, sides_of_pairs, warn_of_languages


def explain(
    first: str,
    second: str,
    model: Model | str | Path | None = None,
    languages: tuple[str, str] | None = None,
) -> Explanation:
    """What each piece of one text and each piece of the other add to their similarity.

    Examples:
        >>> shown = calque.explain("A dog runs.", "Un perro corre.").by_word()
        >>> for pair in shown.strongest(2):
        ...     print(shown.first[pair.first].text, shown.second[pair.second].text, round(pair.contribution, 2))
        dog perro 0.55
        runs. corre. 0.4

    `languages` are those of the two texts, for models with a vocabulary for each language.

    Raises:
        UsageError: a BLSTM, whose vectors are no averages; texts too long for a table of all their pieces.
    """
    opened = as_model(model)
    opened.require_languages(languages or ())
    warn_of_languages(opened, *sides_of_pairs((), languages), expect=COMPARING)
    return split_similarity(opened, first, second, languages)
