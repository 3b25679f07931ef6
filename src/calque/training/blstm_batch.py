"""A mini-batch of a BLSTM: noise, vectors, loss, and the slopes of everything that is learnt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..encoder.blstm import torch_module
from ..encoder.packing import Packed, packs
from ..vocabulary import Tokens
from .blstm_gradient import blstm_means

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


def slopes(batch: MiniBatch) -> Slopes:
    torch = torch_module()
    table = batch.table.detach().requires_grad_()
    weights = {name: tensor.detach().requires_grad_() for name, tensor in batch.weights.items()}
    groups = list(enumerate(packs(batch.sentences, _MOST_NUMBERS // table.shape[1])))

    def encode(number: int, packed: Packed) -> Any:
        return blstm_means(_inputs(batch, table, packed, batch.draws(number)), weights, packed)

    vectors = table.new_zeros(len(batch.sentences), table.shape[1])
    with torch.set_grad_enabled(len(groups) == 1):
        for number, packed in groups:
            encoded = encode(number, packed)
            vectors[torch.from_numpy(packed.sentences)] = encoded.detach()
    loss = margin_loss(vectors.requires_grad_(), batch.quads, batch.margin)
    loss.backward()
    for number, packed in groups:
        again = encoded if len(groups) == 1 else encode(number, packed)
        again.backward(vectors.grad[torch.from_numpy(packed.sentences)])
    return Slopes(loss.item(), table.grad, {name: leaf.grad for name, leaf in weights.items()})


def _inputs(batch: MiniBatch, table: Any, packed: Packed, draw: np.random.Generator) -> Any:
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
