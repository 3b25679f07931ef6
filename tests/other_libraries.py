"""Those who open Calque's models, and text that they may see otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Encode = Callable[[list[str]], npt.NDArray[np.float32]]

LIBRARIES = ["sentence-transformers", "model2vec"]

ODD = [
    "the  dog   runs",
    " leading space",
    "trailing space ",
    "\ttabs\tand\nlines\r\n",
    "MiXeD cAsE",
    "ＦＵＬＬ ｗｉｄｔｈ letters",
    "dog\U0001f600cat",
    "\U0001f3f3\ufe0f\u200d\U0001f308 flag",
    "漢字 and かな",
    "dog漢字cat",
    "¡¿!?...…—–",
    "...",
    "don't-stop_now",
    "1,000.50 €",
    "ﬁne e\u0301te\u0301 x²",
    "a\u00a0b\u3000c\u200bd",
    "İstanbul, Straße, ΣΊΣΥΦΟΣ",
    "the \u2581 sign",
    "nul\0inside",
    "x" * 300,
    "An <unk> is unknown.",
    "E\u0301TE\u0301, Ẹ\u0300kọ\u0301, А\u0301нна",
    "The dog runs. " * 400,
]


def opened(name: str, folder: Path | None) -> Encode:
    """What a library makes of texts with the model in a folder."""
    if name == "model2vec":
        model2vec = pytest.importorskip("model2vec")
        static = model2vec.StaticModel.from_pretrained(str(folder))
        return lambda texts: np.asarray(static.encode(texts), np.float32)
    library = pytest.importorskip("sentence_transformers")
    transformer = library.SentenceTransformer(str(folder), device="cpu")
    return lambda texts: np.asarray(transformer.encode(texts), np.float32)


def cosines(one: npt.NDArray[np.float32], two: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    return np.asarray(np.einsum("ij,ij->i", one, two) / lengths)
