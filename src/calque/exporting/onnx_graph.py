"""The mean of a text's rows as an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..encoder.rows import numbers_of_bytes
from ..model import Model

# Of early 2022: onnxruntime 1.18 reads them, and so do older ones.
_OPERATORS, _FORMAT = 17, 8


def graph_of(library: Any, model: Model) -> bytes:
    """input_ids and attention_mask, int64 (batch, tokens), to sentence_embedding, float32 (batch, dimension).

    `library` is the package onnx; the model an average.
    """
    graph = _Graph(library)
    helper, types = library.helper, graph.types
    counted = _counted(graph, model.vocabulary.unknown)
    sums = _sums(graph, model, counted)
    if model.encoder.normalizes:
        by = graph.node("ReduceL2", sums, axes=[1], keepdims=1)
        least = np.finfo(np.float32).tiny  # zeros stay zeros
    else:
        by, least = graph.node("ReduceSum", counted, graph.integers(1), keepdims=1), np.float32(1)  # (batch, 1)
    graph.node("Div", sums, graph.node("Max", by, graph.constant(least)), output="sentence_embedding")
    inputs = [
        helper.make_tensor_value_info(name, types.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("sentence_embedding", types.FLOAT, ["batch", model.dimension])
    made = helper.make_model(
        helper.make_graph(graph.nodes, "calque", inputs, [output], graph.constants),
        opset_imports=[helper.make_opsetid("", _OPERATORS)],
        ir_version=_FORMAT,
        producer_name="calque",
    )
    serialized: bytes = made.SerializeToString()
    return serialized


class _Graph:
    """Nodes and constants under names of their own."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.types = library.TensorProto
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(self._library.helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    def constant(self, value: npt.ArrayLike, name: str | None = None) -> str:
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(self._library.numpy_helper.from_array(np.asarray(value), name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))


def _counted(graph: _Graph, unknown: int | None) -> str:
    """1 for the tokens that a mean is of, 0 for others, (batch, tokens)."""
    unmasked = graph.node("Cast", "attention_mask", to=graph.types.BOOL)
    if unknown is not None:
        known = graph.node("Not", graph.node("Equal", "input_ids", graph.constant(np.array(unknown, np.int64))))
        unmasked = graph.node("And", unmasked, known)
    return graph.node("Cast", unmasked, to=graph.types.FLOAT)


def _sums(graph: _Graph, model: Model, counted: str) -> str:
    """The sum of the rows that count: (batch, 1, tokens) times (batch, tokens, dimension)."""
    tensors = model.encoder.tensors
    if "codes" in tensors:
        rows = _levels(graph, model)
        scales = graph.node("Gather", graph.constant(tensors["scales"], "scales"), "input_ids")
        counted = graph.node("Mul", counted, scales)
    else:
        rows = graph.node("Gather", graph.constant(tensors["embeddings"], "embeddings"), "input_ids")
    middle = graph.integers(1)
    return graph.node("Squeeze", graph.node("MatMul", graph.node("Unsqueeze", counted, middle), rows), middle)


def _levels(graph: _Graph, model: Model) -> str:
    """The rows before scaling, from codes that are looked up by the byte, (batch, tokens, dimension)."""
    tensors, types = model.encoder.tensors, graph.types
    numbers = numbers_of_bytes(tensors["levels"])
    codes = graph.node("Gather", graph.constant(tensors["codes"], "codes"), "input_ids")
    parts = graph.node("Gather", graph.constant(numbers, "levels"), graph.node("Cast", codes, to=types.INT32))
    width = tensors["codes"].shape[1] * numbers.shape[1]
    rows = graph.node("Reshape", parts, graph.integers(0, 0, width))  # 0 keeps a length, even one of 0
    if width == model.dimension:
        return rows
    begin, end, axis = (graph.integers(each) for each in (0, model.dimension, 2))
    return graph.node("Slice", rows, begin, end, axis)  # half a byte is left over
