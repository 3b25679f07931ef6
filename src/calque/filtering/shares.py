"""How many pairs of a corpus belong to each kind of wrong pair, of which we know scores and lengths.

Scores alone do not tell: a right pair that scores low looks like half a translation. Its sides are as long as those of
other right pairs, though, and those of halves are not. So the shares are fitted to scores and lengths together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.float64]

_BINS = 40  # of scores
_LENGTHS = np.array([-1.2, -0.9, -0.7, -0.5, -0.35, -0.2, -0.08, 0.08, 0.2, 0.35, 0.5, 0.7, 0.9, 1.2])
_SMOOTHED = 5  # bins
_SKEW = 1.5  # right pairs' scores fall off more slowly on the lower side; see docs/results/filtering.md
_SURELY_RIGHT = 0.6  # the quantile of scores above which nearly all pairs are right, if any are
_GUESS = 0.3  # weight of the guess of how right pairs score, against one of what is observed
_STEPS = 300
_WORTH_IT = 0.1  # logarithm of the likelihood of a pair that right ones must add to an explanation by wrong ones alone


class Seen(NamedTuple):
    """The scores of some pairs, and the logarithms of their lengths' ratios."""

    scores: Values
    lengths: Values


def shares_of(wrong: Sequence[Seen], observed: Seen, right: Seen | None = None) -> Numbers:
    """The share of each kind of wrong pair among the observed ones.

    Without known `right` pairs, the lengths of the best-scored pairs stand for theirs; their scores are learnt, begun
    from a guess.
    """
    if right is None:
        best = observed.scores >= np.quantile(observed.scores, _SURELY_RIGHT)
        right = Seen(likely_right(observed.scores, [kind.scores for kind in wrong]), observed.lengths[best])
        learns = True
    else:
        learns = False
    if not len(right.scores):
        return np.full(len(wrong), 1 / len(wrong))
    parts = [*wrong, right]
    edges = _edges([part.scores for part in parts])
    middle = float(np.median(right.lengths))
    scores = [_shares(_histogram(part.scores, edges), 1e-6) for part in parts]
    lengths = [_shares(_histogram(part.lengths - middle, _LENGTHS), 0.5) for part in parts]
    counts = np.zeros((len(edges) + 1, len(_LENGTHS) + 1))
    places = np.searchsorted(edges, observed.scores), np.searchsorted(_LENGTHS, observed.lengths - middle)
    np.add.at(counts, places, 1.0)
    all_wrong, without = _mixture(counts, scores[:-1], lengths[:-1], learns=False)
    shares, likelihood = _mixture(counts, scores, lengths, learns=False)
    if likelihood - without < _WORTH_IT * counts.sum():
        return all_wrong  # as in a corpus that is shuffled whole: no right pairs are needed to explain it
    return (_mixture(counts, scores, lengths, shares, learns=True)[0] if learns else shares)[:-1]


def likely_right(observed: Values, wrong: Sequence[Values]) -> Values:
    """How right pairs seem to score: as those above the commonest score, and below it by half as much again.

    Wrong pairs hardly reach it. It is looked for above the median of the wrong pairs that score best.
    """
    high = observed[observed > max(float(np.median(kind)) for kind in wrong)]
    if not len(high):
        return high
    counts, edges = np.histogram(high, _BINS)
    smooth = np.convolve(counts, np.ones(_SMOOTHED), "same")
    at = int(smooth.argmax())
    commonest = (edges[at] + edges[at + 1]) / 2
    above = high[high >= commonest]
    return np.concatenate([above, commonest - _SKEW * (above - commonest)])


def _mixture(
    counts: Numbers, scores: list[Numbers], lengths: list[Numbers], begin: Numbers | None = None, *, learns: bool
) -> tuple[Numbers, float]:
    """The weights (one in total) with which the parts make up the counts best, and the logarithm of the likelihood.

    Found by expectation maximisation. Scores and lengths of a part are independent. With `learns`, the scores of the
    last part are learnt as well.
    """
    weights = np.full(len(scores), 1 / len(scores)) if begin is None else begin
    likelihood = 0.0
    guess, total = scores[-1], max(counts.sum(), 1.0)
    for _ in range(_STEPS):
        joint = np.stack([np.outer(*part) for part in zip(scores, lengths, strict=True)]) * weights[:, None, None]
        density = joint.sum(axis=0)
        likelihood = float((counts * np.log(density)).sum())
        joint *= counts / density
        weights = joint.sum(axis=(1, 2)) / total
        if learns:
            scores = [*scores[:-1], _shares(joint[-1].sum(axis=1) + _GUESS * total * guess, 0.0)]
    return weights, likelihood


def _edges(parts: Sequence[Values]) -> Values:
    """Bins that hold as many scores of each part."""
    quantiles = np.linspace(0, 1, _BINS + 1)[1:-1]
    edges: Values = np.unique(np.concatenate([np.quantile(part, quantiles) for part in parts if len(part)]))
    return edges


def _histogram(values: Values, edges: Values) -> Numbers:
    return np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1).astype(np.float64)


def _shares(counts: Numbers, smoothing: float) -> Numbers:
    shares: Numbers = (counts + smoothing) / (counts + smoothing).sum()
    return shares
