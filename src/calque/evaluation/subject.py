"""What can be evaluated: a model folder, a baseline by its name, or another library's model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..encoder import AverageEncoder, random_embeddings
from ..encoder.average import unit
from ..errors import UsageError
from ..extras import require
from ..model import Model, load
from ..model.about import About
from ..model.box import NAME as BOX
from ..model.box import box_folder
from ..model.quality import Tier
from ..training.config import DEFAULT_SIZE
from ..vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from ..vocabulary.sentencepiece import TooFewWords

Vectors = npt.NDArray[np.float32]
Texts = Callable[[], Iterable[str]]

DIMENSION, SEED = 300, 1


class Encode(Protocol):
    def __call__(self, texts: Sequence[str], *, threads: int | None, language: str | None) -> Vectors:
        """One vector a text, of any length."""


@dataclass(frozen=True)
class Subject:
    label: str
    encode: Encode
    signature: Callable[[str, int], str]
    tier: Callable[[str], Tier | None] = lambda language: None  # how well it knows a language, if it says so

    def unit_vectors(self, texts: Sequence[str], language: str | None, threads: int | None = None) -> Vectors:
        """Vectors of length 1, or zero."""
        return unit(np.ascontiguousarray(self.encode(texts, threads=threads, language=language), np.float32))


def of_model(model: Model, label: str | None = None) -> Subject:
    def encode(texts: Sequence[str], *, threads: int | None, language: str | None) -> Vectors:
        return model.encode(texts, threads=threads, language=language)

    return Subject(label or str(model.path or model), encode, model.signature, model.tier)


def open_subject(which: str | Path | Model | None, texts: Texts) -> Subject:
    """`random-sp`, `random-word`, `random-trigram`, `sentence-transformers:NAME`, `model2vec:NAME`, or as for `load`.

    `texts` are those that will be encoded: the random encoders take their vocabularies from them.
    """
    if isinstance(which, Model):
        return of_model(which)
    name = str(which or "")
    if name in BASELINES and not Path(name).exists():
        return of_model(BASELINES[name](texts), name)
    library, _, path = name.partition(":")
    if library in PEERS and path:
        return PEERS[library](path)
    opened = load(which)
    return of_model(opened, BOX if opened.path == box_folder() else None)


def _random(kind: Any) -> Callable[[Texts], Model]:
    """The paper's untrained encoder: it measures how many pieces two sentences have in common."""

    def build(texts: Texts) -> Model:
        vocabulary = _vocabulary(kind, texts)
        embeddings = random_embeddings(vocabulary.size, DIMENSION, SEED, vocabulary.unknown)
        about = About(recipe="random", data=("the evaluated text",), training={"seed": SEED})
        return Model(AverageEncoder(vocabulary, embeddings), about)

    return build


def _vocabulary(kind: Any, texts: Texts) -> Vocabulary:
    """As large as the paper's, or as the text supports."""

    def build(size: int) -> Vocabulary:
        return build_vocabulary(VocabularySpec(kind, size), lambda: ((None, text) for text in texts()))

    try:
        return build(DEFAULT_SIZE[kind])
    except TooFewWords as problem:  # a small set
        return build(problem.supported)


def _sentence_transformer(name: str) -> Subject:
    library = require("sentence_transformers", "peers", "evaluating a sentence-transformers model")
    try:
        peer = library.SentenceTransformer(name, device="cpu")
    except Exception as problem:  # whatever it raises, the name is what is wrong
        raise _cannot_open("sentence-transformers", name, problem) from problem

    def encode(texts: Sequence[str], *, threads: int | None, language: str | None) -> Vectors:
        vectors: Vectors = peer.encode(list(texts), batch_size=1024, convert_to_numpy=True, show_progress_bar=False)
        return vectors

    return _peer(f"sentence-transformers:{name}", encode, library.__version__)


def _model2vec(name: str) -> Subject:
    library = require("model2vec", "peers", "evaluating a model2vec model")
    try:
        peer = library.StaticModel.from_pretrained(name)
    except Exception as problem:
        raise _cannot_open("model2vec", name, problem) from problem

    def encode(texts: Sequence[str], *, threads: int | None, language: str | None) -> Vectors:
        vectors: Vectors = peer.encode(list(texts))
        return vectors

    return _peer(f"model2vec:{name}", encode, library.__version__)


def _cannot_open(library: str, name: str, problem: Exception) -> UsageError:
    return UsageError(
        f"{library} cannot open {name}: {problem}", hint=f"{library}:NAME is a folder, or a model that it can download"
    )


def _peer(label: str, encode: Encode, version: str) -> Subject:
    library, _, name = label.partition(":")

    def signature(set_name: str, n: int) -> str:
        return f"{set_name}|n:{n}|{library}:{version}|model:{Path(name).name}|v:{__version__}"

    return Subject(label, encode, signature)


BASELINES = {f"random-{kind}": _random(kind) for kind in DEFAULT_SIZE}
PEERS = {"sentence-transformers": _sentence_transformer, "model2vec": _model2vec}
