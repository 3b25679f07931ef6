"""Model folders, Calque's own and others': every file that is read, its checksum made right again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mending import mend_tensors
from structures import json_mutated, pieces_mutated, tensors_mutated, tokenizer_mutated
from target import Mutate, Targets, Trial

from calque.demo import sentences
from calque.encoder import AverageEncoder, make_encoder, random_embeddings
from calque.encoder.random import random_parameters
from calque.model import Model, load, save
from calque.model.about import About, Score
from calque.model.files import hash_of
from calque.model.quality import LanguageQuality
from calque.model.quantise import quantised
from calque.safetensors import write_tensors
from calque.tasks.explain import explain
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from calque.vocabulary.tokenizer_json import TokenizerVocabulary
from calque.vocabulary.tokenizer_writing import tokenizer_json
from mutations import mutated

TEXTS = ["A dog runs.", "", "Un perro corre: ñ 犬 🙂", "ﬁn " * 60, "a" * 300]
ABOUT = About(
    "calque",
    ("en", "es"),
    ("demo:100", "b:3×0.5"),
    2,
    1.5,
    "0.1",
    Score("dev", 3, 0.5),
    {"seed": 1},
    (LanguageQuality("es", "en", 91.5, 90, 500, "dev.en-es", "2026-11-18"),),
)
CONFIG, TENSORS = "config.json", "model.safetensors"


def vocabulary(kind: str = "sp", sharing: str = "joint") -> Vocabulary:
    text = sentences()
    lines = [(language, line) for language in ("en", "es") for line in text[language][:200]]
    return build_vocabulary(VocabularySpec(kind, 150, sharing), lambda: lines)  # type: ignore[arg-type]


def own(folder: Path, pieces: Vocabulary, name: str = "average", bits: int | None = None) -> Path:
    parameters = random_parameters(name, pieces.size, 32, 1, pieces.unknown)
    model = Model(make_encoder(name, pieces, 32, parameters), ABOUT)
    made = model if bits is None else quantised(model, bits)
    save(folder, made.encoder, made.about)
    return folder


def with_tokenizer(folder: Path) -> Path:
    definition = str(tokenizer_json(vocabulary())).encode()
    pieces = TokenizerVocabulary.without_unknown(definition)
    save(folder, AverageEncoder(pieces, random_embeddings(pieces.size, 32, 1, pieces.unknown), True), ABOUT)
    return folder


def model2vec(folder: Path) -> Path:
    folder.mkdir()
    (folder / "tokenizer.json").write_text(str(tokenizer_json(vocabulary())), encoding="utf-8")
    size = TokenizerVocabulary((folder / "tokenizer.json").read_bytes(), None).size
    half = random_embeddings(size // 2, 32, 1).astype(np.float16)
    tensors = {"embeddings": half, "mapping": np.arange(size) % len(half), "weights": np.ones(size, np.float64)}
    write_tensors(folder / TENSORS, tensors, {})
    (folder / CONFIG).write_text(json.dumps({"model_type": "model2vec", "normalize": True, "hidden_dim": 32}))
    return folder


def static_embedding(folder: Path) -> Path:
    inner = folder / "0_StaticEmbedding"
    inner.mkdir(parents=True)
    (inner / "tokenizer.json").write_text(str(tokenizer_json(vocabulary())), encoding="utf-8")
    size = TokenizerVocabulary((inner / "tokenizer.json").read_bytes(), None).size
    write_tensors(inner / TENSORS, {"embedding.weight": random_embeddings(size, 32, 1)}, {})
    kinds = [("StaticEmbedding", inner.name), ("Normalize", "1_Normalize")]
    modules = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (kind, path) in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    settings = {"prompts": {"query": "", "document": ""}, "default_prompt_name": None, "truncate_dim": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings | {"similarity_fn_name": "cosine"}))
    return folder


def use(folder: Path) -> None:
    """What commands do with a model."""
    model = load(folder)
    str(model.about), model.signature("dev", 3)
    languages: list[str | None] = [None]
    if model.vocabulary.__class__.__name__ == "SeparateVocabularies":
        languages = list(model.vocabulary.members)  # type: ignore[attr-defined]
    for language in languages:
        vectors = model.encode(TEXTS, language=language)
        assert np.isfinite(vectors).all(), "a vector is not finite"
        model.encode([TEXTS[0]], normalize=True, threads=2, language=language)
        for text in TEXTS:
            model.vocabulary.trace(text, language)
    list(model.vocabulary.pieces)
    if model.encoder.name == "average" and languages == [None]:
        explain(TEXTS[0], TEXTS[2], model)


def mend(folder: Path) -> None:
    """The checksums of whatever files there are now: whoever means harm would do the same."""
    checksum = mend_tensors(folder / TENSORS)
    try:
        config = json.loads((folder / CONFIG).read_bytes())
        hashes = {name: hash_of((folder / name).read_bytes()) for name in config["hashes"] if name != TENSORS}
        config["hashes"] = hashes | {TENSORS: checksum}
        (folder / CONFIG).write_text(json.dumps(config))
    except (ValueError, LookupError, TypeError, OSError, RecursionError):
        pass  # damage that no checksum can hide


def damaged(
    make: Callable[[Path], Path], name: str, mutate: Mutate = mutated, mended: bool = True
) -> Callable[[Path], Trial]:
    """A folder, one file of which is damaged."""

    def made(folder: Path) -> Trial:
        model = make(folder / "model")
        whole = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}

        def attempt(content: bytes) -> None:
            for path, before in whole.items():
                path.write_bytes(content if path == model / name else before)
            if mended:
                mend((model / name).parent)
            use(model)

        return Trial([whole[model / name]], attempt, mutate)

    return made


def lines_mutated(whole: bytes, chance: random.Random) -> bytes:
    """Lines left out, repeated and joined, or any bytes."""
    if chance.random() < 0.5:
        return mutated(whole, chance)
    lines = whole.splitlines(keepends=True)
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at] = chance.choice([b"", lines[other], lines[at].strip(), b"\n", "\ud7ff犬\n".encode()])
    return b"".join(lines)


def plain(folder: Path) -> Path:
    return own(folder, vocabulary())


def separate(folder: Path) -> Path:
    return own(folder, vocabulary("word", "separate"))


TARGETS: Targets = {
    "model-config": damaged(plain, CONFIG, json_mutated),
    "model-tensors": damaged(plain, TENSORS, tensors_mutated),
    "model-tensors-as-they-are": damaged(plain, TENSORS, tensors_mutated, mended=False),
    "model-sentencepiece": damaged(plain, "sentencepiece.model", pieces_mutated),
    "quantised-config": damaged(lambda folder: own(folder, vocabulary(), bits=4), CONFIG, json_mutated),
    "quantised-tensors": damaged(lambda folder: own(folder, vocabulary(), bits=8), TENSORS, tensors_mutated),
    "blstm-tensors": damaged(lambda folder: own(folder, vocabulary(), "blstm"), TENSORS, tensors_mutated),
    "words": damaged(lambda folder: own(folder, vocabulary("word")), "vocab.txt", lines_mutated),
    "trigrams": damaged(lambda folder: own(folder, vocabulary("trigram")), "vocab.txt", lines_mutated),
    "separate-config": damaged(separate, CONFIG, json_mutated),
    "separate-words": damaged(separate, "vocab.es.txt", lines_mutated),
    "imported-config": damaged(with_tokenizer, CONFIG, json_mutated),
    "imported-tokenizer": damaged(with_tokenizer, "tokenizer.json", tokenizer_mutated),
    "model2vec-config": damaged(model2vec, CONFIG, json_mutated, mended=False),
    "model2vec-tensors": damaged(model2vec, TENSORS, tensors_mutated),
    "model2vec-tokenizer": damaged(model2vec, "tokenizer.json", tokenizer_mutated, mended=False),
    "sentence-transformers-modules": damaged(static_embedding, "modules.json", json_mutated, mended=False),
    "sentence-transformers-settings": damaged(
        static_embedding, "config_sentence_transformers.json", json_mutated, mended=False
    ),
    "sentence-transformers-tensors": damaged(static_embedding, f"0_StaticEmbedding/{TENSORS}", tensors_mutated),
}
