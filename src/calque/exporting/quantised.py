"""A Calque model in a fraction of its size."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..model import Model, save
from ..model.quantise import quantised
from .cards import add_first_card
from .whole_folder import new_folder


def write_quantised(model: Model, out: Path, bits: int) -> None:
    """
    A model of 8 bits can still go down to 4, from what its codes stand for. More bits would be larger and no better.

    Raises:
        UsageError: the model has no more bits than that, or is no average; or there is something at `out` already.
    """
    if model.encoder.bits <= bits:
        raise UsageError(
            f"the model has {model.encoder.bits} bits a number already; {bits} would not make it smaller or better",
            hint="copy its folder, or export the model that it was made from",
        )
    with new_folder(out) as folder:
        small = quantised(model, bits)
        save(folder, small.encoder, small.about)
        add_first_card(folder, model)
