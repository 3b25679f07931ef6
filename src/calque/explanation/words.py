"""Which pieces of a text belong together as a word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Thai, Lao, Tibetan, Burmese, Khmer, kana and Han put no spaces between words: what stands between two is a sentence.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
BOUNDARY = "\u2581"  # how SentencePiece writes a space


class Group(NamedTuple):
    text: str
    word: int
    members: list[int]  # numbers of pieces


def group_by_word(words: Sequence[str], pieces: Sequence[str], word_of: Sequence[int]) -> list[Group]:
    """A group for each word, even one without pieces, or for each piece of a word whose script has no spaces."""
    members = defaultdict(list)
    for member, at in enumerate(word_of):
        members[at].append(member)
    groups: list[Group] = []
    for at, word in enumerate(words):
        if _UNSPACED.search(word):
            singles = [Group(pieces[member].replace(BOUNDARY, ""), at, [member]) for member in members[at]]
            groups += _without_boundaries(singles)
        else:
            groups.append(Group(word, at, members[at]))
    return groups


def _without_boundaries(singles: Sequence[Group]) -> list[Group]:
    """A piece that is nothing but a space goes with its neighbour: the next one, or else the one before."""
    joined: list[Group] = []
    waiting: list[int] = []
    for single in singles:
        if single.text:
            joined.append(single._replace(members=waiting + single.members))
            waiting = []
        else:
            waiting += single.members
    if waiting and joined:
        joined[-1].members.extend(waiting)
    elif waiting:
        joined = [Group(BOUNDARY, singles[0].word, waiting)]
    return joined


def sums(table: npt.NDArray[np.float64], groups: Sequence[Group]) -> npt.NDArray[np.float64]:
    """The rows of each group added up, (len(groups), table's columns)."""
    return np.stack([table[group.members].sum(axis=0) for group in groups]) if groups else table[:0]
