"""Margin scoring: a cosine judged by the neighbourhood it was found in (Artetxe and Schwenk, ACL 2019).

Some sentences are close to everything. Dividing a cosine by the mean cosine that both sentences have with their nearest
neighbours takes that away; a pair that stands out from its neighbourhood scores above 1.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Margin = Literal["ratio", "distance", "absolute"]
MARGINS: tuple[Margin, ...] = get_args(Margin)

Scores = npt.NDArray[np.float32]


def margin_score(cosine: Scores, source_mean: Scores, target_mean: Scores, margin: Margin) -> Scores:
    """`source_mean` and `target_mean` are the mean cosines with the k nearest; shapes follow numpy's rules.

    ratio: cos / mean of the two; distance: cos − mean of the two; absolute: the cosine itself.
    """
    if margin == "absolute":
        return cosine
    expected: Scores = (source_mean + target_mean) / np.float32(2)
    if margin == "distance":
        return cosine - expected
    # Neighbours that are on average no better than unrelated say nothing about how a pair stands out.
    ratio: Scores = np.divide(cosine, expected, out=np.zeros_like(cosine), where=expected > 0)
    return ratio
