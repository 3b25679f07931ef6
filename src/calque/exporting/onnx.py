"""A folder with a graph for ONNX runtimes, the tokenizer beside it, and how to use them."""

from __future__ import annotations

from pathlib import Path

from ..atomic import write_text, writing
from ..encoder import FLOAT_BITS
from ..errors import UsageError
from ..extras import require
from ..model import Model
from .cards import add_first_card
from .onnx_graph import graph_of
from .requirements import require_average, require_tokenizer
from .whole_folder import new_folder

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"

_MOST_BYTES = 2_000_000_000  # one file of this kind holds less than 2 GiB

_README = """\
# Sentence vectors by ONNX

{rows:,} rows of {dimension} numbers{codes}, exported from a Calque model (the distribution `calque-nlp`)
of {languages}. A text's vector is the mean of its pieces' rows{length}; {left_out} do not count, and a text of
nothing else gets zeros. `pip install onnxruntime 'tokenizers<1'`, then, in this folder:

```python
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("tokenizer.json")
tokenizer.enable_padding()
session = onnxruntime.InferenceSession("model.onnx")
encoded = tokenizer.encode_batch(["A dog runs.", "Un perro corre."])
inputs = {{"input_ids": [text.ids for text in encoded], "attention_mask": [text.attention_mask for text in encoded]}}
(vectors,) = session.run(["sentence_embedding"], {{name: np.array(rows, np.int64) for name, rows in inputs.items()}})
print(vectors.shape, vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1]))
```

| | |
|---|---|
| `input_ids` | int64 (batch, tokens) |
| `attention_mask` | int64 (batch, tokens), 0 for padding |
| `sentence_embedding` | float32 (batch, {dimension}) |
| data | {data} |
"""


def write_onnx(model: Model, out: Path) -> None:
    """
    Quantised rows stay codes in the graph, so that the file is no larger than the model.

    Raises:
        UsageError: the package onnx is missing, the model is no average over SentencePiece or too large for one file,
            or there is something at `out` already.
    """
    library = require("onnx", "onnx", "writing ONNX graphs")
    purpose = "an ONNX graph"
    require_average(model, purpose)
    tokenizer = require_tokenizer(model, purpose)
    size = sum(array.nbytes for array in model.encoder.tensors.values())
    if size > _MOST_BYTES:
        raise UsageError(
            f"a file of ONNX holds up to 2 GB, and this model has {size / 1e9:.1f}",
            hint="make it smaller with --to quantised first, and export that",
        )
    with new_folder(out) as folder:
        write_text(folder / TOKENIZER, tokenizer)
        write_text(folder / "README.md", _readme(model))
        add_first_card(folder, model)
        with writing(folder / GRAPH) as file:
            file.write(graph_of(library, model))


def _readme(model: Model) -> str:
    coded = model.encoder.bits < FLOAT_BITS
    return _README.format(
        rows=model.vocabulary.size,
        dimension=model.dimension,
        codes=f", as codes of {model.encoder.bits} bits" if coded else "",
        languages=", ".join(model.languages) or "languages that it does not name",
        length=", made a vector of length 1" if model.encoder.normalizes else "",
        left_out="padding" if model.vocabulary.unknown is None else "unknown pieces and padding",
        data=", ".join(model.about.data) or "not told",
    )
