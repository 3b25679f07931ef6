"""A sentence is the mean of what a bidirectional LSTM says at each of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..at_exit import native_call
from ..errors import UsageError
from ..threads import resolve_threads
from ..vocabulary import Tokens, Vocabulary
from .average import unit
from .packing import Packed, packs
from .protocol import Encoded, Parameters, Vectors
from .pytorch import Crew, torch_crew, torch_module
from .rows import FLOAT_BITS

GATES = 4  # input, forget, output and candidate, in this order
_MOST_TOKENS = 1 << 12  # run together: 30 MB at 300 dimensions, and wide enough for fast products
_MOST_ROWS = 1 << 15  # whose share in the gates is kept: 160 MB
_BLOCK = 1 << 10  # of those, at a time


def shapes(rows: int, dimension: int) -> dict[str, tuple[int, ...]]:
    """What is learnt; an axis of two is the direction, forward then backward."""
    half = dimension // 2
    return {
        "embeddings": (rows, dimension),
        "lstm.input_weights": (2, dimension, GATES * half),
        "lstm.recurrent_weights": (2, half, GATES * half),
        "lstm.biases": (2, 1, GATES * half),
    }


class BlstmEncoder:
    """One layer, the same for all languages; each direction gives half of a vector.

    Vectors of text without any known piece are zero. Of a text of more than 10,000 tokens the first 10,000 are read.
    """

    name = "blstm"
    bits = FLOAT_BITS
    normalizes = False

    def __init__(self, vocabulary: Vocabulary, parameters: Parameters) -> None:
        self.vocabulary = vocabulary
        self.parameters = parameters
        self.embeddings = parameters["embeddings"]  # (size, dimension)
        self.dimension: int = self.embeddings.shape[1]

    @property
    def kind(self) -> str:
        return f"blstm-{self.vocabulary.kind}"

    def rows_of(self, ids: Sequence[int]) -> Vectors:
        return self.embeddings[np.asarray(ids, np.intp)]

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return dict(self.parameters)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.parameters.values())

    def encode(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vectors:
        """(len(texts), dimension) float32."""
        return self.encode_counting(texts, normalize, threads, language).vectors

    def encode_counting(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Encoded:
        if isinstance(texts, str):
            raise UsageError("encode takes a list of texts, got one str", hint="write encode([text])")
        count = resolve_threads(threads)
        tokens = self.vocabulary.encode(list(texts), language=language, threads=count)
        with native_call(), torch_crew(count) as crew:
            vectors = blstm_vectors(self.parameters, tokens, crew)
        return Encoded(unit(vectors) if normalize else vectors, tokens.lengths)

    def __getstate__(self) -> dict[str, object]:
        return {"vocabulary": self.vocabulary, "parameters": self.parameters}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def blstm_vectors(parameters: Parameters, tokens: Tokens, crew: Crew) -> Vectors:
    """Each sentence's vector, (len(tokens), dimension); what it is encoded together with changes only the rounding."""
    torch = torch_module()
    embeddings, weights = parameters["embeddings"], _weights(parameters)
    out = np.zeros((len(tokens), embeddings.shape[1]), np.float32)
    # A token's share in the gates is the same wherever it stands, so it is worked out once for each distinct one.
    distinct, which = np.unique(tokens.ids, return_inverse=True)
    kept: Any = None
    if len(distinct) <= _MOST_ROWS:
        blocks = np.split(distinct, np.arange(_BLOCK, len(distinct), _BLOCK))
        kept = torch.cat(crew(lambda block: _input_gates(embeddings, block, weights), blocks), 1)

    def encode(packed: Packed) -> None:
        at, gates = which[packed.places], kept
        if gates is None:
            some, at = np.unique(at, return_inverse=True)
            gates = _input_gates(embeddings, distinct[some], weights)
        forward, backward = (torch.from_numpy(index) for index in (at, at[packed.mirror]))
        inputs = torch.stack([gates[0].index_select(0, forward), gates[1].index_select(0, backward)])
        sums, _ = run_lstm(inputs, weights["lstm.recurrent_weights"], packed.alive)
        means = sums / torch.from_numpy(packed.lengths)[:, None]
        out[packed.sentences] = torch.cat([means[0], means[1]], 1).numpy()

    crew(encode, packs(tokens, _MOST_TOKENS))
    return out


def _weights(parameters: Parameters) -> dict[str, Any]:
    """Copies in memory of PyTorch's own: how products are rounded may depend on where their factors begin."""
    return {name: torch_module().tensor(array) for name, array in parameters.items() if name != "embeddings"}


def _input_gates(embeddings: Vectors, ids: npt.NDArray[Any], weights: dict[str, Any]) -> Any:
    rows = torch_module().empty(len(ids), embeddings.shape[1])
    np.take(embeddings, ids, axis=0, out=rows.numpy(), mode="clip")
    return (rows @ weights["lstm.input_weights"]).add_(weights["lstm.biases"])  # (2, ids, gates)


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
