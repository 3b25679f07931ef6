"""A smaller Calque model, from one of floats or of more bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import UsageError
from calque.exporting import write_quantised
from calque.model import Model

ENGLISH = sentences()["en"]


@pytest.mark.parametrize("bits", [8, 4, 3])
def test_it_is_made_if_that_makes_it_smaller(model: Model, tmp_path: Path, bits: int) -> None:
    out = tmp_path / "out"
    if model.encoder.bits <= bits:
        with pytest.raises(UsageError, match=f"has {model.encoder.bits} bits a number already"):
            write_quantised(model, out, bits)
        assert not list(tmp_path.iterdir())
        return
    write_quantised(model, out, bits)
    small = calque.load(out)
    assert (small.encoder.bits, small.about) == (bits, model.about)
    one, two = small.encode(ENGLISH, normalize=True), model.encode(ENGLISH, normalize=True)
    assert np.einsum("ij,ij->i", one, two).mean() > 0.98


def test_any_average_can_be_made_smaller(odd_model: Model, tmp_path: Path) -> None:
    write_quantised(odd_model, tmp_path / "out", 4)
    assert calque.load(tmp_path / "out").encoder.bits == 4


def test_a_blstm_cannot(blstm: Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only the rows of an average can be quantised"):
        write_quantised(blstm, tmp_path / "out", 4)
    assert not list(tmp_path.iterdir())
