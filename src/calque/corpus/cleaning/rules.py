"""The rules that judge a pair by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .measures import Batch, Scores, expected_scripts
from .rule import Rule, as_scores, larger

_SMOOTHING = 15.0  # characters added to both lengths: a short text may well be twice as long as its translation
_WIDE = 2.0  # a Han character or a syllable says as much as two or three letters: it counts for one and two more


@dataclass(frozen=True)
class Empty(Rule):
    name = "empty"
    summary = "a side without any visible character"

    def score(self, batch: Batch) -> Scores:
        return as_scores((batch.source["visible"] == 0) | (batch.target["visible"] == 0))


@dataclass(frozen=True)
class TooLong(Rule):
    limit: float = 1000

    name = "too-long"
    adjustable = True
    summary = "more characters on a side than the limit"

    def score(self, batch: Batch) -> Scores:
        return larger(*batch.both("characters"))


@dataclass(frozen=True)
class LengthRatio(Rule):
    limit: float = 3

    name = "length-ratio"
    adjustable = True
    summary = "one side longer than the limit times the other (15 characters added to both; 我 counts as three)"

    def score(self, batch: Batch) -> Scores:
        source, target = (
            characters + _WIDE * wide + _SMOOTHING
            for characters, wide in zip(batch.both("characters"), batch.both("wide"), strict=True)
        )
        return larger(source / target, target / source)


@dataclass(frozen=True)
class Identical(Rule):
    name = "identical"
    summary = "the same letters on both sides, whatever their case: not translated"

    def score(self, batch: Batch) -> Scores:
        same_text = batch.source["text_hash"] == batch.target["text_hash"]
        same_letters = (batch.source["letters_hash"] == batch.target["letters_hash"]) & (batch.source["letters"] > 0)
        return as_scores(same_text | same_letters)


@dataclass(frozen=True)
class TooFewLetters(Rule):
    limit: float = 0.7

    name = "too-few-letters"
    adjustable = True
    summary = "a side with more than this share of visible characters that are no letters"

    def score(self, batch: Batch) -> Scores:
        letters, visible = batch.both("letters"), batch.both("visible")
        return larger(*(1 - one / np.maximum(all_, 1) for one, all_ in zip(letters, visible, strict=True)))


@dataclass(frozen=True)
class ControlCharacters(Rule):
    name = "control-characters"
    summary = "control, private or replacement characters (U+FFFD): broken text"

    def score(self, batch: Batch) -> Scores:
        source, target = batch.both("controls")
        return source + target


@dataclass(frozen=True)
class Numbers(Rule):
    limit: float = 0.3

    name = "numbers"
    adjustable = True
    summary = "more than this share of the digits on one side only (one or two, and zeros, may be)"

    def score(self, batch: Batch) -> Scores:
        # Without zeros, which come and go with words like million; order and separators do not matter.
        source, target = (side["digits"][:, 1:].astype(np.int64) for side in (batch.source, batch.target))
        common = np.minimum(source, target).sum(axis=1)
        totals = source.sum(axis=1), target.sum(axis=1)
        most = np.maximum(*totals)
        tolerated = np.where(np.minimum(*totals) == 0, 2, 1)  # small numbers are often written as words
        differing = most - common
        return as_scores(np.where(differing <= tolerated, 0, differing) / np.maximum(most, 1))


@dataclass(frozen=True)
class WrongScript(Rule):
    limit: float = 0.5

    name = "wrong-script"
    adjustable = True
    summary = "a side with more than this share of letters that are not in its language's script"
    needs_languages = True

    def score(self, batch: Batch) -> Scores:
        scores = np.zeros(len(batch))
        for at, language in enumerate(batch.languages or ()):
            if expected_scripts(language):
                letters, expected = batch.both("letters")[at], batch.both("expected")[at]
                scores = larger(scores, (letters - expected) / np.maximum(letters, 1))
        return scores
