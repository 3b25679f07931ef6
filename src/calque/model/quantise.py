"""A model in a twelfth, an eighth or a quarter of its size."""

from __future__ import annotations

from ..encoder import CODE_BITS, AverageEncoder
from ..encoder.quantise import quantised_rows
from ..errors import UsageError
from .model import Model


def quantised(model: Model, bits: int = 4) -> Model:
    """The same model with its rows as codes of 8, 4 or 3 bits; it lies in no folder until `save` writes it into one.

    >>> small = quantised(calque.load("my-model/"), bits=4)
    >>> save("my-small-model/", small.encoder, small.about)

    Raises:
        UsageError: another number of bits, or a model that is no average.
    """
    if bits not in CODE_BITS:
        raise UsageError(
            f"bits: expected 8, 4 or 3, got {bits}",
            hint="8 make it a quarter of its size, 4 an eighth, 3 a twelfth",
        )
    if model.encoder.name != "average":
        raise UsageError(
            f"only the rows of an average can be quantised, and this model is a {model.encoder.name.upper()}",
            hint="train with --encoder average, the default",
        )
    rows = quantised_rows(model.embeddings, bits)
    return Model(AverageEncoder(model.vocabulary, rows, model.encoder.normalizes), model.about)
