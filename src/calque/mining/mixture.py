"""Sentences with and without a translation, told apart by their best scores.

A sentence without a translation has three chance neighbours on top. A sentence with one has its translation's score,
which is normal over all of them, somewhere among its chance neighbours: first, second, or too low to be seen.

Gaps between chance neighbours, in the sentence's own scale, have a shape that differs from text to text: where
sentences are short, one shared word already makes a neighbour stand out. The shape is learnt from second gaps, which
translations hardly touch, and the first gap has the same shape, stretched. Expectation maximisation finds the share of
sentences that have a translation, and the normal distribution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .gaps import Gaps, Numbers

# How much larger the first gap is by chance than the second: between 1.4 and 2.4 in 170 piles of 22 languages and
# nine kinds of text, most of them near 1.8.
_STRETCH = 1.8
_MEANS = 0.08 * 2 ** np.arange(0, 4.5, 0.5)  # of the exponential parts that make up the shape, in scales
_LOW = 1.0  # scales: sentences whose first gap is below it hardly ever have a translation in first place
_UNSEEN = 0.05  # sentences' worth of every part, seen or not
_DEVIATION = (0.7, 2.5)  # bounds, in typical scales
_BEGIN = (0.2, 1.5)  # share, deviation in typical scales
_BELIEVED = 0.6  # mean certainty of right pairs, for the mean of their scores to be believed
_LOWEST = 1.5  # typical scales above second candidates, for that mean where it is not
_SAMPLE = 8_000  # sentences
_ROUNDS = 200
_ROUNDS_OF_SHAPE = 100
_STILL = 1e-4
_TINY = 1e-300
_ROOT = float(np.sqrt(2 * np.pi))


class Mixture(NamedTuple):
    share: float  # of the sentences, that have a translation
    mean: float  # of the scores of translations
    deviation: float
    shape: Numbers  # weights of the exponential parts of second gaps

    def reached(self, threshold: float) -> float:
        """The share of all translations that score as much or more, wherever they stand."""
        return float(1 - _normal(np.asarray((threshold - self.mean) / self.deviation)))

    def right(self, gaps: Gaps) -> Numbers:
        """The probability that each sentence's best candidate is its translation."""
        shares: Numbers = _posterior(self, gaps, _Parts.of(gaps)).first
        return shares


class _Parts(NamedTuple):
    """The densities of gaps by chance under each part of the shape, (n, parts)."""

    first: Numbers
    second: Numbers
    second_as_first: Numbers  # the translation stands above both
    across: Numbers  # it stands between them

    @classmethod
    def of(cls, gaps: Gaps) -> _Parts:
        one, two, three = gaps.best.T
        second, first = (gaps.scale[:, None] * stretch * _MEANS for stretch in (1.0, _STRETCH))
        return cls(
            _exponential(one - two, first),
            _exponential(two - three, second),
            _exponential(two - three, first),
            _exponential(one - three, first),
        )


class _Posterior(NamedTuple):
    none: Numbers  # no translation
    first: Numbers  # it comes first
    second: Numbers
    lower: Numbers  # it is not among the best two


def fit(gaps: Gaps, known: Numbers | None = None) -> Mixture:
    """Find the likeliest mixture.

    `known` are scores of translations like those in the text, whose mean and deviation need not be learnt then.
    """
    some = gaps.some(_SAMPLE)
    parts = _Parts.of(some)
    shape = _shape(some, parts)
    share, deviation = _BEGIN
    if known is not None:
        begin = Mixture(share, float(known.mean()), float(known.std()) + 1e-6, shape)
        return _fitted(begin, some, parts, learns_scores=False)
    begin = Mixture(share, float(np.quantile(some.best[:, 0], 0.95)), deviation * gaps.typical, shape)
    mixture = _fitted(begin, some, parts)
    if _certainty(mixture, some, parts) >= _BELIEVED:
        return mixture
    # Where nothing is translated, low scores that the shape of chance does not quite explain pass for translations'.
    lowest = float(np.median(some.best[:, 1])) + _LOWEST * gaps.typical
    return _fitted(begin, some, parts, lowest=lowest)


def _fitted(
    mixture: Mixture, gaps: Gaps, parts: _Parts, *, learns_scores: bool = True, lowest: float = -np.inf
) -> Mixture:
    """Improve a mixture until it hardly changes, with a mean that is not lower than `lowest`."""
    for _ in range(_ROUNDS):
        following = _improved(mixture, gaps, parts)
        following = following._replace(mean=max(following.mean, lowest))
        if not learns_scores:
            following = following._replace(mean=mixture.mean, deviation=mixture.deviation)
        still = max(abs(new - old) for new, old in zip(following[:3], mixture[:3], strict=True)) < _STILL
        mixture = following
        if still:
            break
    return mixture


def _certainty(mixture: Mixture, gaps: Gaps, parts: _Parts) -> float:
    """Mean probability that a right pair is right."""
    right = _posterior(mixture, gaps, parts).first
    return float((right * right).sum() / max(right.sum(), _TINY))


def _posterior(mixture: Mixture, gaps: Gaps, parts: _Parts) -> _Posterior:
    share, mean, deviation, shape = mixture
    one, two, three = gaps.best.T
    first, second, second_as_first, across = (part @ shape for part in parts)
    likelihoods = (
        (1 - share) * first * second,
        share * _density(one, mean, deviation) * second_as_first,
        share * _density(two, mean, deviation) * across,
        share * _normal((three - mean) / deviation) * first * second,
    )
    total = sum(likelihoods, np.full(len(one), _TINY))
    return _Posterior(*(each / total for each in likelihoods))


def _improved(mixture: Mixture, gaps: Gaps, parts: _Parts) -> Mixture:
    """One round: the likeliest parameters if the posterior of the round before is right."""
    seen = _posterior(mixture, gaps, parts)
    one, two, three = gaps.best.T
    share = float((seen.first + seen.second + seen.lower).mean())
    weight = share * len(gaps) + 1e-9
    lower_mean, lower_variance = _below(three, mixture.mean, mixture.deviation)
    mean = float((seen.first * one + seen.second * two + seen.lower * lower_mean).sum()) / weight
    variance = (
        seen.first * (one - mean) ** 2
        + seen.second * (two - mean) ** 2
        + seen.lower * (lower_variance + (lower_mean - mean) ** 2)
    ).sum() / weight
    deviation = min(max(float(np.sqrt(variance)), _DEVIATION[0] * gaps.typical), _DEVIATION[1] * gaps.typical)
    # A translation in second place makes the second gap large.
    return Mixture(share, mean, deviation, _reshaped(mixture.shape, gaps, parts, 1 - seen.second))


def _shape(gaps: Gaps, parts: _Parts) -> Numbers:
    shape: Numbers = np.full(len(_MEANS), 1 / len(_MEANS))
    for _ in range(_ROUNDS_OF_SHAPE):
        shape = _reshaped(shape, gaps, parts, np.ones(len(gaps)))
    return shape


def _reshaped(shape: Numbers, gaps: Gaps, parts: _Parts, by_chance: Numbers) -> Numbers:
    """One round for the weights of the parts, from sentences with a low first gap.

    Sentences whose translation comes first are left out that way, whatever the posterior says: it could explain any
    tail by translations, and then learn that there is none.
    """
    low = gaps.best[:, 0] - gaps.best[:, 1] < _LOW * gaps.scale
    densities = parts.second * shape
    counts = (np.where(low, by_chance, 0) / (densities.sum(axis=1) + _TINY)) @ densities + _UNSEEN
    weights: Numbers = counts / counts.sum()
    return weights


def _exponential(value: Numbers, scales: Numbers) -> Numbers:
    density: Numbers = np.exp(-value[:, None] / scales) / scales
    return density


def _density(value: Numbers, mean: float, deviation: float) -> Numbers:
    density: Numbers = np.exp(-0.5 * ((value - mean) / deviation) ** 2) / (_ROOT * deviation)
    return density


def _normal(value: Numbers) -> Numbers:
    """The normal distribution's function, to 2·10⁻⁴ (Page 1977); numpy has none."""
    share: Numbers = 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * value * (1 + 0.044715 * value * value)))
    return share


def _below(limit: Numbers, mean: float, deviation: float) -> tuple[Numbers, Numbers]:
    """Mean and variance of a normal number that is known to lie below a limit."""
    place = np.maximum((limit - mean) / deviation, -3.5)  # below that, the function above is too rough to divide by
    mills = np.exp(-0.5 * place * place) / _ROOT / _normal(place)
    expected = np.minimum(mean - deviation * mills, limit)
    return expected, np.maximum(deviation**2 * (1 - place * mills - mills * mills), 1e-8)
