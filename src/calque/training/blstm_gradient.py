"""The way back through a BLSTM, written out: PyTorch's own takes several times as long over packed sentences."""

from __future__ import annotations

import functools
from typing import Any

from ..encoder.blstm import LstmRun, run_lstm
from ..encoder.packing import Packed
from ..encoder.pytorch import torch_module


def blstm_means(inputs: Any, weights: dict[str, Any], packed: Packed) -> Any:
    """Vectors of the packed sentences, (sentences, dimension), from their inputs in packed order, differentiably."""
    torch = torch_module()
    sums = _layer().apply(
        inputs,
        weights["lstm.input_weights"],
        weights["lstm.recurrent_weights"],
        weights["lstm.biases"],
        torch.from_numpy(packed.mirror),
        packed.alive,
    )
    means = sums / torch.from_numpy(packed.lengths)[:, None]
    return torch.cat([means[0], means[1]], 1)


@functools.cache
def _layer() -> Any:
    """A class of PyTorch's kind, made when PyTorch is there."""
    torch = torch_module()

    class Layer(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(
            context: Any, inputs: Any, input_weights: Any, recurrent_weights: Any, biases: Any, mirror: Any, alive: Any
        ) -> Any:
            both = torch.stack([inputs, inputs.index_select(0, mirror)])
            sums, run = run_lstm(torch.baddbmm(biases, both, input_weights), recurrent_weights, alive)
            context.kept = both, input_weights, recurrent_weights, mirror, alive, run
            return sums

        @staticmethod
        def backward(context: Any, of_sums: Any) -> Any:
            both, input_weights, recurrent_weights, mirror, alive, run = context.kept
            of_gates, earlier = gate_gradients(run, recurrent_weights, alive, of_sums)
            of_inputs = torch.bmm(of_gates, input_weights.transpose(1, 2))
            return (
                of_inputs[0].add_(of_inputs[1].index_select(0, mirror)),
                torch.bmm(both.transpose(1, 2), of_gates),
                torch.bmm(earlier.transpose(1, 2), of_gates),
                of_gates.sum(1, keepdim=True),
                None,
                None,
            )

    return Layer


def gate_gradients(run: LstmRun, recurrent_weights: Any, alive: list[int], of_sums: Any) -> tuple[Any, Any]:
    """The loss's slope in each gate before its sigmoid or tangent, and the hidden states that entered there."""
    torch = torch_module()
    half = recurrent_weights.shape[1]
    back = recurrent_weights.transpose(1, 2)
    of_gates = torch.empty_like(run.gates)
    earlier = torch.zeros_like(run.hidden)
    of_hidden, of_cell = torch.zeros_like(of_sums), torch.zeros_like(of_sums)  # as later steps see them
    end = run.gates.shape[1]
    for step in range(len(alive) - 1, -1, -1):
        count = alive[step]
        now = slice(end - count, end)
        enter, forget, leave, candidate = run.gates[:, now].split(half, -1)
        squashed, gate = run.squashed[:, now], of_gates[:, now]
        of_enter, of_forget, of_leave, of_candidate = gate.split(half, -1)
        hidden = of_hidden[:, :count].add_(of_sums[:, :count])
        cell = of_cell[:, :count].addcmul_(hidden * leave, 1 - squashed * squashed)
        torch.mul(cell * candidate, enter - enter * enter, out=of_enter)
        torch.mul(cell * enter, 1 - candidate * candidate, out=of_candidate)
        torch.mul(hidden * squashed, leave - leave * leave, out=of_leave)
        if step == 0:
            of_forget.zero_()
            break
        last = slice(end - count - alive[step - 1], end - alive[step - 1])
        torch.mul(cell * run.cells[:, last], forget - forget * forget, out=of_forget)
        earlier[:, now] = run.hidden[:, last]
        hidden.copy_(torch.bmm(gate, back))
        cell.mul_(forget)
        end -= count
    return of_gates, earlier
