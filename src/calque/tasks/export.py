"""A model for another library, or a smaller one for this."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..corpus import STDIN
from ..corpus.writing import open_output
from ..errors import UsageError
from ..exporting import write_onnx, write_quantised, write_sentence_transformers, write_word2vec
from ..model import Model, as_model

BITS = 4  # of a quantised model, unless told

# How each format is opened by those it is for.
FORMATS = {
    "sentence-transformers": "from sentence_transformers import SentenceTransformer\n"
    "model = SentenceTransformer({out!r})",
    "word2vec": "from gensim.models import KeyedVectors\n"
    "vectors = KeyedVectors.load_word2vec_format({out!r}, binary={binary})",
    "onnx": "import onnxruntime\nsession = onnxruntime.InferenceSession({graph!r})",
    "quantised": "import calque\nmodel = calque.load({out!r})",
}


class Exported(NamedTuple):
    path: Path
    bytes: int  # of all files
    opening: str  # two lines of Python that open it where it is for


def export(
    model: Model | str | Path | None = None,
    *,
    to: str,
    out: str | Path,
    bits: int | None = None,
    binary: bool = False,
    report: Callable[[int], None] = lambda rows: None,
) -> Exported:
    """Writes the model as `to` says: sentence-transformers, onnx and quantised are folders, word2vec is a file.

    Examples:
        >>> made = calque.export(to="word2vec", out="vectors.bin", binary=True)
        >>> print(made.opening)
        from gensim.models import KeyedVectors
        vectors = KeyedVectors.load_word2vec_format('vectors.bin', binary=True)

    sentence-transformers: float32 rows and a tokenizer.json, which model2vec opens too. word2vec: a key and a row for
    each piece, as text or `binary`; `-` is standard output, and a name like vectors.txt.gz is compressed. onnx: a graph
    from token ids to vectors, its tokenizer.json, and how to use them. quantised: the same model with rows as codes of
    `bits` bits. What is written appears whole or not at all.

    Args:
        model: A model, or its folder; without it, the one that `calque.load()` opens.
        to: sentence-transformers, word2vec, onnx or quantised.
        out: A new folder, or for word2vec a file.
        bits: 8, 4 or 3, of a quantised model; 4 unless given.
        binary: Of word2vec's two kinds of file, the one that is not text.
        report: Told how many rows a word2vec file has so far.

    Raises:
        UsageError: the format cannot hold this model, `bits` or `binary` mean nothing to it, or the folder holds
            something.
        CalqueError: the disk is full or the place cannot be written to.
    """
    _require_fitting(to, str(out), bits, binary)
    opened = as_model(model)
    path = Path(out)
    if to == "word2vec":
        with open_output(str(out)) as file:
            write_word2vec(opened, file, binary, report)
    elif to == "quantised":
        write_quantised(opened, path, BITS if bits is None else bits)
    elif to == "onnx":
        write_onnx(opened, path)
    else:
        write_sentence_transformers(opened, path)
    opening = FORMATS[to].format(out=str(out), binary=binary, graph=str(path / "model.onnx"))
    return Exported(path, _size(path), opening)


def _require_fitting(to: str, out: str, bits: int | None, binary: bool) -> None:
    if to not in FORMATS:
        raise UsageError(f"cannot export to {to!r}", hint=f"one of {', '.join(FORMATS)}")
    if bits is not None and to != "quantised":
        raise UsageError(
            f"bits are for quantised models, not for {to}", hint="leave out --bits, or pass --to quantised"
        )
    if binary and to != "word2vec":
        raise UsageError(f"binary is a kind of word2vec file, not of {to}", hint="leave out --binary")
    if out == STDIN and to != "word2vec":
        raise UsageError(f"{to} is a folder, which standard output cannot take", hint="name a folder with --output")


def _size(path: Path) -> int:
    """Of a file, or of all in a folder; nothing of what went into a pipe."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files if each.is_file())
