"""Pairs from neighbours: candidates with their scores, and which of them to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .margin import Margin, margin_score
from .nearest import BothWays, Neighbours, Vectors, nearest

Retrieval = Literal["max", "forward", "backward", "intersect"]
RETRIEVALS: tuple[Retrieval, ...] = get_args(Retrieval)

Indices = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]

_NEVER = np.float32(-np.inf)
_AT_ONCE = 1 << 16  # pairs as numbers of Python's, which take many times as much


@dataclass(frozen=True)
class Matches:
    """Pair i is (source[i], target[i]); scores never rise."""

    source: Indices
    target: Indices
    score: Scores

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True)
class Candidates:
    """The neighbours of both sides with what they score, (n, k); −∞ stands for one that is not to be taken."""

    forward_index: npt.NDArray[np.int32]
    forward_score: Scores
    backward_index: npt.NDArray[np.int32]
    backward_score: Scores

    @property
    def turned(self) -> Candidates:
        return Candidates(self.backward_index, self.backward_score, self.forward_index, self.forward_score)

    def without(self, matches: Matches) -> Candidates:
        """All but some pairs, of which each sentence is in one at the most."""
        forward = _without(self.forward_index, self.forward_score, matches.source, matches.target)
        backward = _without(self.backward_index, self.backward_score, matches.target, matches.source)
        return Candidates(self.forward_index, forward, self.backward_index, backward)

    def without_same(self, source: npt.NDArray[np.uint64], target: npt.NDArray[np.uint64]) -> Candidates:
        """All but those whose two sentences have the same identity."""
        forward = np.where(source[:, None] == _picked(target, self.forward_index), _NEVER, self.forward_score)
        backward = np.where(target[:, None] == _picked(source, self.backward_index), _NEVER, self.backward_score)
        return Candidates(self.forward_index, forward, self.backward_index, backward)


def match(
    source: Vectors, target: Vectors, *, margin: Margin = "ratio", k: int = 4, threads: int | None = None
) -> Matches:
    """Each source's best target and each target's best source, taken from the best on while both are still free."""
    return match_neighbours(nearest(source, target, k, threads), margin)


def match_neighbours(found: BothWays, margin: Margin) -> Matches:
    return retrieve(score_candidates(found, margin), "max")


def score_candidates(found: BothWays, margin: Margin, k: int | None = None) -> Candidates:
    """The first `k` neighbours (or all) make the mean that a pair is judged by; all of them are candidates."""
    source_mean, target_mean = found.forward.mean_of(k), found.backward.mean_of(k)
    return Candidates(
        found.forward.index,
        _scores(found.forward, source_mean, target_mean, margin),
        found.backward.index,
        _scores(found.backward, target_mean, source_mean, margin),
    )


def retrieve(candidates: Candidates, retrieval: Retrieval) -> Matches:
    """Pairs, best first.

    forward: each source with its best target, which several sources may share; backward: the other way round;
    intersect: those that are both; max: forward and backward together, from the best on, each sentence once.
    """
    forward, backward = _best(candidates), _best(candidates.turned)
    if retrieval == "forward":
        return _sorted(forward.source, forward.target, forward.score)
    if retrieval == "backward":
        return _sorted(backward.target, backward.source, backward.score)
    if retrieval == "intersect":
        back = np.full(len(candidates.backward_index), -1, np.int64)
        back[backward.source] = backward.target
        both = back[forward.target] == forward.source
        return _sorted(forward.source[both], forward.target[both], forward.score[both])
    source = np.concatenate([forward.source, backward.target])
    target = np.concatenate([forward.target, backward.source])
    return _one_to_one(_sorted(source, target, np.concatenate([forward.score, backward.score])))


def best_neighbours(found: BothWays, margin: Margin) -> Matches:
    """The best-scored of the neighbours of each source that has any, in the order of the sources."""
    return _best(score_candidates(found, margin))


def _scores(neighbours: Neighbours, own_mean: Scores, other_mean: Scores, margin: Margin) -> Scores:
    scores = margin_score(neighbours.cosine, own_mean[:, None], _picked(other_mean, neighbours.index), margin)
    return np.where(neighbours.index >= 0, scores, _NEVER)


def _best(candidates: Candidates) -> Matches:
    index, score = candidates.forward_index, candidates.forward_score
    best = score.argmax(axis=1)
    rows = np.arange(len(best))
    source = np.flatnonzero(score[rows, best] > -np.inf)
    return Matches(source, index[source, best[source]].astype(np.int64), score[source, best[source]])


def _picked(values: npt.NDArray[Any], index: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Index −1 reads the last value; nobody may look at what comes of it."""
    return values[index] if values.size else np.zeros(index.shape, values.dtype)


def _without(index: npt.NDArray[np.int32], score: Scores, rows: Indices, others: Indices) -> Scores:
    taken = np.full(len(index), -1, np.int64)
    taken[rows] = others
    return np.where(index == taken[:, None], _NEVER, score)


def _sorted(source: Indices, target: Indices, score: Scores) -> Matches:
    """Of equal scores, the pair with the smaller source, then the smaller target, comes first."""
    order = np.lexsort((target, source, -score))
    return Matches(source[order], target[order], score[order])


def _one_to_one(matches: Matches) -> Matches:
    """A byte for each sentence and each pair; a set of numbers takes a hundred, and there may be a billion."""
    kept = bytearray(len(matches))
    taken_sources = bytearray(int(matches.source.max(initial=-1)) + 1)
    taken_targets = bytearray(int(matches.target.max(initial=-1)) + 1)
    for begin in range(0, len(matches), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        pairs = zip(matches.source[some].tolist(), matches.target[some].tolist(), strict=True)
        for at, (one, two) in enumerate(pairs, begin):
            if not (taken_sources[one] or taken_targets[two]):
                taken_sources[one] = taken_targets[two] = kept[at] = 1
    which = np.frombuffer(kept, bool)
    return Matches(matches.source[which], matches.target[which], matches.score[which])
