"""A mini-batch of a BLSTM: noise, vectors, loss, and the slopes of everything that is learnt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..encoder.packing import Packed, packs
from ..encoder.pytorch import Crew, torch_module
from ..vocabulary import Tokens
from .blstm_gradient import blstm_means

_PARTS = 8  # of about as many tokens each, for threads to share
_LEAST_TOKENS = 1 << 10  # of a part: products of fewer rows are slow
_MOST_NUMBERS = 20_000_000  # tokens × dimension whose way back is kept: about 1 GB; beyond that it is run twice

Draws = Callable[[int], np.random.Generator]  # the same generator each time for the same number


@dataclass(frozen=True)
class MiniBatch:
    table: Any  # (rows, dimension), those that the sentences hold
    weights: dict[str, Any]
    sentences: Tokens  # as rows of the table
    quads: npt.NDArray[np.int64]  # (4, pairs): source, target, the source's negative, the target's; −1: none
    dropout: float
    margin: float
    draws: Draws


@dataclass(frozen=True)
class Slopes:
    loss: float  # mean a pair
    table: Any
    weights: dict[str, Any]


def slopes(batch: MiniBatch, crew: Crew) -> Slopes:
    tokens, dimension = len(batch.sentences.ids), batch.table.shape[1]
    keep = tokens * dimension <= _MOST_NUMBERS
    most = min(max(-(-tokens // _PARTS), _LEAST_TOKENS), _MOST_NUMBERS // dimension)
    parts = [_Part(batch, number, packed) for number, packed in enumerate(packs(batch.sentences, most))]
    vectors = batch.table.new_zeros(len(batch.sentences), dimension)

    def forward(part: _Part) -> None:
        vectors[part.sentences] = part.encode(keep)

    crew(forward, parts)
    loss = margin_loss(vectors.requires_grad_(), batch.quads, batch.margin)
    loss.backward()
    crew(lambda part: part.back(vectors.grad[part.sentences]), parts)
    weights = {name: sum(part.weights[name].grad for part in parts) for name in batch.weights}
    return Slopes(loss.item(), sum(part.table.grad for part in parts), weights)


class _Part:
    """Some of the sentences, and what of them the way back needs."""

    def __init__(self, batch: MiniBatch, number: int, packed: Packed) -> None:
        self.batch, self.number, self.packed = batch, number, packed
        self.sentences = torch_module().from_numpy(packed.sentences)
        self.table = batch.table.detach().requires_grad_()
        self.weights = {name: tensor.detach().requires_grad_() for name, tensor in batch.weights.items()}
        self._encoded: Any = None

    def encode(self, keep: bool) -> Any:
        encoded = self._encode()
        self._encoded = encoded if keep else None
        return encoded.detach()

    def back(self, slope: Any) -> None:
        (self._encode() if self._encoded is None else self._encoded).backward(slope)
        self._encoded = None

    def _encode(self) -> Any:
        inputs = noisy_inputs(self.batch, self.table, self.packed, self.batch.draws(self.number))
        return blstm_means(inputs, self.weights, self.packed)


def noisy_inputs(batch: MiniBatch, table: Any, packed: Packed, draw: np.random.Generator) -> Any:
    """The tokens' rows with some of their elements left out, in packed order, (tokens, dimension)."""
    torch = torch_module()
    ids = torch.from_numpy(batch.sentences.ids[packed.places].astype(np.int64))
    rows = torch.nn.functional.embedding(ids, table)
    dropped = min(round(256 * batch.dropout), 255)  # of 256, as in the kernel
    if dropped == 0:
        return rows
    kept = draw.integers(0, 256, tuple(rows.shape), np.uint8) >= dropped
    return rows * torch.from_numpy(kept.astype(np.float32) * np.float32(256 / (256 - dropped)))


def margin_loss(vectors: Any, quads: npt.NDArray[np.int64], margin: float) -> Any:
    """The mean over pairs of [δ − f(s,t) + f(s,t')]₊ + [δ − f(s,t) + f(t,s')]₊."""
    torch = torch_module()
    units = torch.nn.functional.normalize(vectors)
    source, target, *negatives = (units[torch.from_numpy(np.maximum(quad, 0))] for quad in quads)
    agreement = (source * target).sum(1)
    loss = vectors.new_zeros(())
    for anchor, negative, quad in zip((source, target), negatives, quads[2:], strict=True):
        terms = torch.relu(margin - agreement + (anchor * negative).sum(1))
        loss = loss + (terms * torch.from_numpy(quad >= 0)).mean()
    return loss


def scrambled(tokens: Tokens, share: float, draw: np.random.Generator) -> Tokens:
    """The same sentences, some of them with their tokens in another order."""
    lengths = np.diff(tokens.offsets).astype(np.int64)
    chosen = np.repeat(draw.random(len(tokens)) < share, lengths)
    places = np.arange(len(tokens.ids))
    keys = np.where(chosen, draw.random(len(places)), places)
    order = np.lexsort((keys, np.repeat(np.arange(len(tokens)), lengths)))
    return Tokens(tokens.ids[order], tokens.offsets)
