"""Sentences with and without a translation, told apart by their best scores.

A sentence without a translation has three chance neighbours on top, whose gaps are exponential with a scale of the
sentence's own. One with a translation has the translation's score, which is normal over all of them, somewhere among
its chance neighbours: first, second, or too low to be seen. Expectation maximisation finds the share of each kind, the
normal distribution, and the two gaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .gaps import Gaps, Numbers

# A few chance neighbours are near by more than chance: paraphrases, and sentences on the same thing. The second gaps,
# which translations hardly touch, tell their share. Its bounds, the scale and the bounds of the deviation were chosen
# on the piles of benchmarks/piles.py.
_RELATED = (0.005, 0.06)
_FARTHER = 3.2
_DEVIATION = (1.0, 2.5)  # in typical scales
_BEGIN = (0.2, 1.5, 0.38, 0.23)  # share, deviation in typical scales, the two gaps
_SAMPLE = 4000  # sentences
_ROUNDS = 150
_ROUNDS_OF_GAPS = 100
_STILL = 1e-4
_TINY = 1e-300
_ROOT = float(np.sqrt(2 * np.pi))


class Mixture(NamedTuple):
    share: float  # of the sentences, that have a translation
    mean: float  # of the scores of translations
    deviation: float
    first_gap: float  # by chance, in scales
    second_gap: float
    related: float  # the share of chance neighbours that are near by more than chance

    def reached(self, threshold: float) -> float:
        """The share of all translations that score as much or more, wherever they stand."""
        return float(1 - _normal(np.asarray((threshold - self.mean) / self.deviation)))

    def right(self, gaps: Gaps) -> Numbers:
        """How likely each sentence's best candidate is its translation."""
        shares: Numbers = _posterior(self, gaps).first
        return shares


class _Posterior(NamedTuple):
    none: Numbers  # no translation
    first: Numbers  # it comes first
    second: Numbers
    lower: Numbers  # it is not among the best two


def fit(gaps: Gaps, known: Numbers | None = None) -> Mixture:
    """`known` are scores of translations like those in the text, whose mean and deviation need not be learnt then."""
    some = gaps.some(_SAMPLE)
    share, deviation, first, second = _BEGIN
    begin = float(np.quantile(some.best[:, 0], 0.95)), deviation * gaps.typical
    mixture = Mixture(share, *begin, first, second, _related(some))
    if known is not None:
        mixture = mixture._replace(mean=float(known.mean()), deviation=float(known.std()) + 1e-6)
    for _ in range(_ROUNDS):
        following = _improved(mixture, some)
        if known is not None:
            following = following._replace(mean=mixture.mean, deviation=mixture.deviation)
        still = max(abs(new - old) for new, old in zip(following, mixture, strict=True)) < _STILL
        mixture = following
        if still:
            break
    return mixture


def _posterior(mixture: Mixture, gaps: Gaps) -> _Posterior:
    share, mean, deviation, first_gap, second_gap, related = mixture
    one, two, three = gaps.best.T
    first, second = first_gap * gaps.scale, second_gap * gaps.scale
    by_chance = _gap(one - two, first, related) * _gap(two - three, second, related)
    parts = (
        (1 - share) * by_chance,
        share * _density(one, mean, deviation) * _gap(two - three, first, related),
        share * _density(two, mean, deviation) * _gap(one - three, first, related),
        share * _normal((three - mean) / deviation) * by_chance,
    )
    total = sum(parts, np.full(len(one), _TINY))
    return _Posterior(*(part / total for part in parts))


def _improved(mixture: Mixture, gaps: Gaps) -> Mixture:
    """One round: the likeliest parameters if the posterior of the round before is right."""
    seen = _posterior(mixture, gaps)
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
    chance = seen.none + seen.lower
    first = (chance * (one - two) + seen.first * (two - three) + seen.second * (one - three)) / gaps.scale
    second = float((chance * (two - three) / gaps.scale).sum() / (chance.sum() + 1e-9))
    gaps_found = (max(float(first.mean()), 1e-3), max(second, 1e-3))
    first_gap, second_gap = (each / _mean_gap(mixture.related) for each in gaps_found)
    return Mixture(share, mean, deviation, first_gap, second_gap, mixture.related)


def _related(gaps: Gaps) -> float:
    """The share of the second gaps that have the larger scale, by expectation maximisation."""
    gap = (gaps.best[:, 1] - gaps.best[:, 2]) / gaps.scale
    related, scale = _RELATED[1], np.float64(_BEGIN[3])
    for _ in range(_ROUNDS_OF_GAPS):
        far = related * _exponential(gap, _FARTHER * scale) / _gap(gap, scale, related)
        related, scale = float(far.mean()), np.float64((gap * (1 - far + far / _FARTHER)).mean() + 1e-9)
    return min(max(related, _RELATED[0]), _RELATED[1])


def _gap(gap: Numbers, scale: Numbers | np.float64, related: float) -> Numbers:
    """The density of a gap by chance: exponential, a few of them with a larger scale."""
    density: Numbers = (1 - related) * _exponential(gap, scale) + related * _exponential(gap, _FARTHER * scale)
    return density


def _mean_gap(related: float) -> float:
    return 1 - related + related * _FARTHER


def _exponential(value: Numbers, scale: Numbers | np.float64) -> Numbers:
    density: Numbers = np.exp(-value / scale) / scale
    return density


def _density(value: Numbers, mean: float, deviation: float) -> Numbers:
    density: Numbers = np.exp(-0.5 * ((value - mean) / deviation) ** 2) / (_ROOT * deviation)
    return density


def _normal(value: Numbers) -> Numbers:
    """The normal distribution's function, to 2·10⁻⁴ (Page 1977); numpy has none."""
    share: Numbers = 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (value + 0.044715 * value**3)))
    return share


def _below(limit: Numbers, mean: float, deviation: float) -> tuple[Numbers, Numbers]:
    """Mean and variance of a normal number that is known to lie below a limit."""
    place = np.maximum((limit - mean) / deviation, -3.5)  # below that, the function above is too rough to divide by
    mills = np.exp(-0.5 * place * place) / _ROOT / _normal(place)
    expected = np.minimum(mean - deviation * mills, limit)
    return expected, np.maximum(deviation**2 * (1 - place * mills - mills * mills), 1e-8)
