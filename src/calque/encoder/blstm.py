"""A sentence is the mean of what a bidirectional LSTM says at each of its tokens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from ..extras import require
from ..threads import resolve_threads
from ..vocabulary import Tokens, Vocabulary
from .average import unit
from .packing import packs
from .protocol import Parameters, Vectors

GATES = 4  # input, forget, output and candidate, in this order
_MOST_TOKENS = 1 << 13  # run at a time: 60 MB at 300 dimensions, and wide enough for fast products
_MOST_ROWS = 1 << 15  # whose share in the gates is kept: 160 MB


def shapes(rows: int, dimension: int) -> dict[str, tuple[int, ...]]:
    """What is learnt; an axis of two is the direction, forward then backward."""
    half = dimension // 2
    return {
        "embeddings": (rows, dimension),
        "lstm.input_weights": (2, dimension, GATES * half),
        "lstm.recurrent_weights": (2, half, GATES * half),
        "lstm.biases": (2, 1, GATES * half),
    }


def torch_module() -> Any:
    """PyTorch, which nothing but a BLSTM needs.

    Raises:
        UsageError: it is not installed.
    """
    return require("torch", "lstm", "a BLSTM")


class BlstmEncoder:
    """One layer, the same for all languages; each direction gives half of a vector.

    Vectors of text without any known piece are zero. Of a text of more than 10,000 tokens the first 10,000 are read.
    """

    name = "blstm"

    def __init__(self, vocabulary: Vocabulary, parameters: Parameters) -> None:
        self.vocabulary = vocabulary
        self.parameters = parameters
        self.embeddings = parameters["embeddings"]  # (size, dimension)
        self.dimension: int = self.embeddings.shape[1]

    @property
    def kind(self) -> str:
        return f"blstm-{self.vocabulary.kind}"

    def encode(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vectors:
        """(len(texts), dimension) float32."""
        if isinstance(texts, str):
            raise UsageError("encode takes a list of texts, got one str", hint="write encode([text])")
        count = resolve_threads(threads)
        with torch_threads(count):
            tokens = self.vocabulary.encode(list(texts), language=language, threads=count)
            vectors = blstm_vectors(self.parameters, tokens)
        return unit(vectors) if normalize else vectors

    def __getstate__(self) -> dict[str, object]:
        return {"vocabulary": self.vocabulary, "parameters": self.parameters}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc]


@contextlib.contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """PyTorch has one number of threads for the whole process: afterwards it is as before."""
    torch = torch_module()
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def blstm_vectors(parameters: Parameters, tokens: Tokens) -> Vectors:
    """Each sentence's vector, (len(tokens), dimension); what it is encoded together with changes only the rounding."""
    torch = torch_module()
    out = np.zeros((len(tokens), parameters["embeddings"].shape[1]), np.float32)
    with torch.inference_mode():
        # A token's share in the gates is the same wherever it stands, so it is worked out once for each distinct one.
        distinct, which = np.unique(tokens.ids, return_inverse=True)
        weights = _weights(parameters)
        kept = _input_gates(parameters["embeddings"][distinct], weights) if len(distinct) <= _MOST_ROWS else None
        for packed in packs(tokens, _MOST_TOKENS):
            at, gates = which[packed.places], kept
            if gates is None:
                some, at = np.unique(at, return_inverse=True)
                gates = _input_gates(parameters["embeddings"][distinct[some]], weights)
            forward, backward = (torch.from_numpy(index) for index in (at, at[packed.mirror]))
            sums, _ = run_lstm(
                torch.stack([gates[0].index_select(0, forward), gates[1].index_select(0, backward)]),
                weights["lstm.recurrent_weights"],
                packed.alive,
            )
            means = sums / torch.from_numpy(packed.lengths)[:, None]
            out[packed.sentences] = torch.cat([means[0], means[1]], 1).numpy()
    return out


def _weights(parameters: Parameters) -> dict[str, Any]:
    """As tensors, which cannot lie in memory that may only be read, as a model's file is."""
    small = {name: array for name, array in parameters.items() if name != "embeddings"}
    return {name: torch_module().from_numpy(np.require(array, requirements="W")) for name, array in small.items()}


def _input_gates(rows: Vectors, weights: dict[str, Any]) -> Any:
    inputs = torch_module().from_numpy(rows)
    return (inputs @ weights["lstm.input_weights"]).add_(weights["lstm.biases"])  # (2, rows, gates)


@dataclass(frozen=True)
class LstmRun:
    """What the way back needs, tokens in packed order."""

    gates: Any  # (2, tokens, 4 · half), after their sigmoids and tangents
    hidden: Any  # (2, tokens, half)
    cells: Any
    squashed: Any  # the cells' tangents


def run_lstm(gates: Any, recurrent_weights: Any, alive: list[int]) -> tuple[Any, LstmRun]:
    """Sums of the hidden states, (2, sentences, half), from the inputs' share in the gates, which is written over."""
    torch = torch_module()
    half = recurrent_weights.shape[1]
    hidden, cells, squashed = (gates.new_empty(2, gates.shape[1], half) for _ in range(3))
    sums = gates.new_zeros(2, alive[0], half)
    begin, before = 0, -1
    for count in alive:
        now, last = slice(begin, begin + count), slice(before, before + count)
        gate, cell = gates[:, now], cells[:, now]
        if begin:
            gate.baddbmm_(hidden[:, last], recurrent_weights)
        gate[..., : 3 * half].sigmoid_()
        gate[..., 3 * half :].tanh_()
        enter, forget, leave, candidate = gate.split(half, -1)
        torch.mul(enter, candidate, out=cell)
        if begin:
            cell.addcmul_(forget, cells[:, last])
        torch.tanh(cell, out=squashed[:, now])
        torch.mul(leave, squashed[:, now], out=hidden[:, now])
        sums[:, :count] += hidden[:, now]
        begin, before = begin + count, begin
    return sums, LstmRun(gates, hidden, cells, squashed)
