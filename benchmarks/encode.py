"""Encoding: the same vocabulary and vectors, the same text, two threads, raw strings in, float32 matrix out."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

THREADS = 2
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
os.environ.setdefault("RAYON_NUM_THREADS", str(THREADS))
os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
from common import best_of, bitext_path, english, fresh, machine, print_table, shorten_normaliser

import calque
from calque.model import Model

PAPER = 855_571  # sentences a second on a GPU from ready ids, 300 dimensions (Table 4 of the paper)
DIMENSION, PIECES = 300, 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=DIMENSION)
    arguments = parser.parse_args()
    bitexts = [bitext_path("europarl.en-es"), bitext_path("tatoeba.en-es")]
    with tempfile.TemporaryDirectory() as folder:
        model = calque.train(bitexts, Path(folder) / "model", epochs=0, dimension=arguments.dimension)
        shorten_normaliser(Path(folder) / "model")
        print(machine())
        for name in ("tatoeba.en-es", "europarl.en-es"):
            compare(model, name, english(name, arguments.sentences))


def compare(model: Model, name: str, texts: list[str]) -> None:
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    ours = best_of(7, lambda: model.encode(texts, threads=THREADS))
    cold = best_of(3, lambda: fresh(model).encode(texts, threads=THREADS))
    peers = {
        "model2vec": model2vec(model, texts),
        "sentence-transformers StaticEmbedding": sentence_transformers(model, texts),
        "sentencepiece + torch embedding_bag": embedding_bag(model, texts),
        "sentencepiece, tokenising alone": tokenise(model, texts),
    }
    rows = [
        ["Calque", f"{len(texts) / ours:,.0f}", ""],
        ["Calque, first call on cold words", f"{len(texts) / cold:,.0f}", ""],
    ]
    rows += [[peer, f"{len(texts) / seconds:,.0f}", f"{seconds / ours:.1f}×"] for peer, seconds in peers.items()]
    rows.append(["the paper, on a GPU from ready ids", f"{PAPER:,}", f"{len(texts) / ours / PAPER:.2f}×"])
    title = f"{name}, {len(texts):,} English sentences of {words:.0f} words, {model.dimension} dimensions"
    print_table(title, ["", "sentences/s", "Calque is faster"], rows)
    moved, least = memory_limit(model, texts)
    print(
        f"\nThe limit: {moved / 1e6:,.0f} MB of word rows read and vectors written take {least * 1000:.0f} ms at the "
        f"speed of memory; Calque takes {ours * 1000:.0f} ms, {ours / least:.1f} × that."
    )


def memory_limit(model: Model, texts: list[str]) -> tuple[int, float]:
    """Bytes that must move, and the seconds that moving them takes when nothing else is done.

    Each word costs a row of 16-bit numbers read at random, each sentence a row of float32 written. Reading is timed by
    numpy's gather of the same rows in the same order, writing by filling a new matrix.
    """
    words = [word for text in texts for word in text.lower().split(" ") if word]
    known = {word: row for row, word in enumerate(dict.fromkeys(words))}
    order = np.fromiter((known[word] for word in words), np.int64, len(words))
    width = -(-model.dimension // 16) * 16
    table = np.zeros((len(known), width), np.int16)
    half = len(order) // THREADS
    scratch = np.empty((4096, width), np.int16)

    def gather() -> None:
        for begin in range(0, half, len(scratch)):
            part = order[begin : begin + len(scratch)]
            np.take(table, part, axis=0, out=scratch[: len(part)], mode="clip")

    def write() -> None:
        np.empty((len(texts) // THREADS, model.dimension), np.float32).fill(1)

    moved = 2 * width * len(order) + 4 * model.dimension * len(texts)
    return moved, best_of(3, gather) + best_of(3, write)


def model2vec(model: Model, texts: list[str]) -> float:
    from model2vec import StaticModel

    peer = StaticModel.from_pretrained(model.path)
    _same_directions(model, texts, peer.encode(texts[:100]))
    return best_of(2, lambda: peer.encode(texts))


def sentence_transformers(model: Model, texts: list[str]) -> float:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(THREADS)
    peer = SentenceTransformer(str(model.path), device="cpu")
    _same_directions(model, texts, peer.encode(texts[:100]))
    sizes = (256, 1024, 4096, 16384)
    quick = {size: best_of(1, lambda size=size: peer.encode(texts[:30_000], batch_size=size)) for size in sizes}
    size = min(quick, key=lambda size: quick[size])
    return best_of(2, lambda: peer.encode(texts, batch_size=size))


def embedding_bag(model: Model, texts: list[str]) -> float:
    import sentencepiece
    import torch

    torch.set_num_threads(THREADS)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model.path / "sentencepiece.model"))
    table = torch.from_numpy(np.array(model.embeddings))

    def encode() -> object:
        ids = processor.encode(texts, num_threads=THREADS)
        offsets = np.cumsum([0] + [len(each) for each in ids[:-1]])
        flat = torch.tensor([id for each in ids for id in each])
        return torch.nn.functional.embedding_bag(flat, table, torch.from_numpy(offsets), mode="mean").numpy()

    return best_of(2, encode)


def tokenise(model: Model, texts: list[str]) -> float:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(model.path / "sentencepiece.model"))
    return best_of(3, lambda: processor.encode(texts, num_threads=THREADS))


def _same_directions(model: Model, texts: list[str], theirs: np.ndarray) -> None:
    """A comparison of speeds means nothing if the vectors differ."""
    ours = model.encode(texts[:100], normalize=True)
    theirs = theirs / np.maximum(np.linalg.norm(theirs, axis=1, keepdims=True), 1e-9)
    worst = float(np.min(np.sum(ours * theirs, axis=1)))
    if worst < 0.9999:
        raise SystemExit(f"the peer's vectors differ: cosine {worst:.5f}")


if __name__ == "__main__":
    main()
