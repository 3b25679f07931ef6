"""Alignment scored as Vecalign does it: strict counts the very blocks of the gold, lax those that share both sides.

Precision is of all that was found, skipped sentences among it; recall is of the gold's blocks with sentences on both
sides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ..alignment import Document, align_documents
from .bootstrap import Counts, Values, replicate
from .result import Result
from .sets.documents import Block, DocumentPair
from .subject import Subject

MEASURES = ("f1", "precision", "recall", "lax_f1", "lax_precision", "lax_recall")


def measure_alignment(subject: Subject, suite: str, pairs: Sequence[DocumentPair], resamples: int) -> list[Result]:
    """Each pair of documents, and together those whose names differ in their last digits only: test0, test1, …"""
    counted = {pair.name: count_blocks(pair, _align(subject, pair)) for pair in pairs}
    members: dict[str, list[str]] = defaultdict(list)
    for name in counted:
        members[re.sub(r"\d+$", "", name)].append(name)
    pooled = {name: each for name, each in members.items() if len(each) > 1 and name and name not in counted}
    rows = {name: [name] for name in counted} | pooled
    return [
        _result(subject, f"{suite}:{name}", np.concatenate([counted[each] for each in sets]), len(sets), resamples)
        for name, sets in rows.items()
    ]


def _align(subject: Subject, pair: DocumentPair) -> list[Block]:
    one, two = pair.languages or (None, None)
    source, target = (
        Document.of(subject.encode(texts, threads=None, language=language), texts)
        for texts, language in ((pair.source, one), (pair.target, two))
    )
    return [(found.source, found.target) for found in align_documents(source, target)]


def count_blocks(pair: DocumentPair, found: Sequence[Block]) -> Values:
    """For each source sentence, of the blocks that begin with it: found, right, lax right; the gold's, hit, lax hit.

    What is resampled is the same for every model that way. A target left out counts with the block before it.
    """
    whole, gold = ([block for block in blocks if all(block)] for blocks in (found, pair.gold))
    sources = len(pair.source)
    return np.hstack([_agreeing(found, pair.gold, sources), _agreeing(gold, whole, sources)])


def _agreeing(blocks: Sequence[Block], others: Sequence[Block], sources: int) -> Values:
    """All blocks, those that are among the others, those that share a source and a target with one, by source."""
    partners: dict[int, set[int]] = defaultdict(set)
    for source, target in others:
        for each in source:
            partners[each].update(target)
    same, counts, place = set(others), np.zeros((sources, 3)), 0
    for source, target in dict.fromkeys(blocks):
        place = source[0] if source else place
        strict = (source, target) in same
        counts[place] += 1, strict, strict or any(partners[each] & set(target) for each in source)
    return counts


def _result(subject: Subject, name: str, counted: Values, documents: int, resamples: int) -> Result:
    def statistic(counts: Counts) -> dict[str, Values]:
        found, right, lax_right, gold, hit, lax_hit = (counts @ counted).T
        return _shares("", found, right, gold, hit) | _shares("lax_", found, lax_right, gold, lax_hit)

    n = len(counted)
    values, replicates = replicate(statistic, name, n, resamples)
    found, gold = counted.sum(axis=0)[[0, 3]].astype(int)
    notes = {"gold": int(gold), "found": int(found), "documents": documents}
    return Result(name, n, subject.signature(name, n), values, replicates, notes)


def _shares(prefix: str, found: Values, right: Values, gold: Values, hit: Values) -> dict[str, Values]:
    precision, recall = 100 * right / np.maximum(found, 1), 100 * hit / np.maximum(gold, 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, np.finfo(float).tiny)
    return {f"{prefix}f1": f1, f"{prefix}precision": precision, f"{prefix}recall": recall}
