"""A folder that sentence-transformers, model2vec and Calque open, with the same vectors.

A folder of float32 rows is one already; what is quantised becomes one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..encoder import AverageEncoder
from ..model import Model, save
from .cards import add_first_card
from .requirements import require_average, require_tokenizer
from .whole_folder import new_folder


def write_sentence_transformers(model: Model, out: Path) -> None:
    """
    Cosines agree within 10⁻⁵. sentence-transformers counts unknown pieces, so its vectors can be shorter; neither
    library takes lone surrogates.

    Raises:
        UsageError: these libraries cannot express the model, or there is something at `out` already.
    """
    purpose = "a folder for sentence-transformers"
    require_average(model, purpose)
    require_tokenizer(model, purpose)
    with new_folder(out) as folder:
        rows = np.asarray(model.embeddings)
        save(folder, AverageEncoder(model.vocabulary, rows, model.encoder.normalizes), model.about)
        add_first_card(folder, model)
