"""Codes of three numbers a byte: which triples of numbers the 256 bytes stand for.

The triples are fitted to the rows by Lloyd's method. At 2⅔ bits a number they come as near to the rows as three bits
that code each number alone, and lose as little (docs/results/quantised.md).
"""

from __future__ import annotations

import numpy as np

from .protocol import Vectors
from .rows import Codes

TRIPLE = 3
_BYTES = 256
_SAMPLE = 1 << 17  # triples that the codebook is fitted to
_ROUNDS = 15
_BLOCK = 1 << 13  # triples compared with the codebook at a time, so that the products stay in the cache


def triples(rows: Vectors) -> Vectors:
    """The numbers of rows by threes, (rows, triples, 3); the last triple is filled up with zeros."""
    missing = -rows.shape[1] % TRIPLE
    return np.pad(rows, ((0, 0), (0, missing))).reshape(len(rows), -(-rows.shape[1] // TRIPLE), TRIPLE)


def fitted_codebook(points: Vectors) -> Vectors:
    """The triples that 256 bytes should stand for, (256, 3), each the mean of those points that are nearest to it."""
    draw = np.random.default_rng(1)
    some = points[draw.permutation(len(points))[:_SAMPLE]]
    codebook = np.zeros((_BYTES, TRIPLE), np.float32)
    begin = np.unique(some[: 4 * _BYTES], axis=0)
    begin = begin[draw.permutation(len(begin))[:_BYTES]]
    codebook[: len(begin)] = begin
    for _ in range(_ROUNDS):
        nearest = nearest_triples(some, codebook)
        counts = np.bincount(nearest, minlength=_BYTES)
        for column in range(TRIPLE):
            sums = np.bincount(nearest, some[:, column], _BYTES)
            codebook[:, column] = np.where(counts > 0, sums / np.maximum(counts, 1), codebook[:, column])
    return codebook


def nearest_triples(points: Vectors, codebook: Vectors) -> Codes:
    """The byte of each point. Products are added in a fixed order: BLAS would choose otherwise on another machine."""
    codes = np.empty(len(points), np.uint8)
    halves = np.square(codebook).sum(axis=1) / 2
    for begin in range(0, len(points), _BLOCK):
        block = points[begin : begin + _BLOCK]
        products = block[:, :1] * codebook[:, 0]
        for column in range(1, TRIPLE):
            products += block[:, column : column + 1] * codebook[:, column]
        products -= halves
        codes[begin : begin + _BLOCK] = products.argmax(axis=1)
    return codes
