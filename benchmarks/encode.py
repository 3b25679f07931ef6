"""Encoding: the same vocabulary and vectors, the same text, two threads, raw strings in, float32 matrix out.

Each library encodes in a process of its own, which has opened the model and encoded other text. It meets the text for
the first time, and that is the first pass; then it encodes the same text again. Words that Calque has met are
remembered, so the second figure is only for text that repeats its words.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

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
OTHER = 10_000  # sentences of the same kind that a process may see before the first pass
PROCESSES = 2  # for each library; the faster one counts
AGAIN = 5

Encode = Callable[[list[str]], Any]


class Passes(NamedTuple):
    """Seconds of the first pass and of the fastest repetition, and vectors of some other text."""

    first: float
    again: float
    sample: np.ndarray | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=DIMENSION)
    arguments = parser.parse_args()
    bitexts = [bitext_path("europarl.en-es"), bitext_path("tatoeba.en-es")]
    with tempfile.TemporaryDirectory() as folder:
        model = calque.train(bitexts, Path(folder) / "model", epochs=0, dimension=arguments.dimension)
        shorten_normaliser(Path(folder) / "model")
        print(machine())
        for name in ("tatoeba.en-es", "europarl.en-es"):
            compare(model, name, arguments.sentences)


def compare(model: Model, name: str, sentences: int) -> None:
    found = {side: fastest(side, model.path, name, sentences) for side in SIDES}
    ours = found["Calque"]
    for side, passes in found.items():
        _same_directions(side, ours.sample, passes.sample)
    texts = english(name, sentences)
    rows = []
    for side, passes in found.items():
        rates = (f"{len(texts) / seconds:,.0f}" for seconds in (passes.first, passes.again))
        ratios = (passes.first / ours.first, passes.again / ours.again)
        first, again = ("" if side == "Calque" else f"{ratio:.1f}×" for ratio in ratios)
        rows.append([side, next(rates), first, next(rates), again])
    ratios = (len(texts) / seconds / PAPER for seconds in (ours.first, ours.again))
    rows.append(
        [
            "the paper, on a GPU from ready ids",
            f"{PAPER:,}",
            f"{next(ratios):.2f}×",
            f"{PAPER:,}",
            f"{next(ratios):.2f}×",
        ]
    )
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    columns = ["", "first time, sentences/s", "Calque is faster", "again, sentences/s", "Calque is faster"]
    title = f"{name}, {len(texts):,} English sentences of {words:.0f} words, {model.dimension} dimensions"
    print_table(title, columns, rows)
    moved, least = memory_limit(model, texts)
    print(
        f"\nThe limit: {moved / 1e6:,.0f} MB of word rows read and vectors written take {least * 1000:.0f} ms at the "
        f"speed of memory; Calque takes {ours.again * 1000:.0f} ms, {ours.again / least:.1f} × that, once it has met "
        "the words."
    )


def fastest(side: str, folder: Path | None, name: str, sentences: int) -> Passes:
    """The same work in several new processes, and the best of each pass."""
    several = []
    for _ in range(PROCESSES):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            several.append(process.submit(measure, side, str(folder), name, sentences).result())
    return Passes(min(one.first for one in several), min(one.again for one in several), several[0].sample)


def measure(side: str, folder: str, name: str, sentences: int) -> Passes:
    """What a process of its own does. What it encodes before the first pass are the sentences after those it times."""
    every = english(name, sentences + OTHER)
    texts, other = every[:sentences], every[sentences:]
    encode, sample = SIDES[side](folder, other)
    return Passes(best_of(1, lambda: encode(texts)), best_of(AGAIN, lambda: encode(texts)), sample)


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


def ours(folder: str, other: list[str]) -> tuple[Encode, np.ndarray]:
    """The vocabulary is open, and the table of words is empty."""
    model = calque.load(folder)
    sample = model.encode(other[:100])
    encoder = fresh(model)
    return lambda texts: encoder.encode(texts, threads=THREADS), sample


def model2vec(folder: str, other: list[str]) -> tuple[Encode, np.ndarray]:
    from model2vec import StaticModel

    peer = StaticModel.from_pretrained(folder)
    return peer.encode, peer.encode(other)[:100]


def sentence_transformers(folder: str, other: list[str]) -> tuple[Encode, np.ndarray]:
    """At the batch size that is the best on other text."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(THREADS)
    peer = SentenceTransformer(folder, device="cpu")
    sample = peer.encode(other)[:100]
    sizes = (256, 1024, 4096, 16384)
    quick = {size: best_of(2, lambda size=size: peer.encode(other, batch_size=size)) for size in sizes}
    size = min(quick, key=lambda size: quick[size])
    return lambda texts: peer.encode(texts, batch_size=size), sample


def embedding_bag(folder: str, other: list[str]) -> tuple[Encode, np.ndarray]:
    import sentencepiece
    import torch

    torch.set_num_threads(THREADS)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(Path(folder) / "sentencepiece.model"))
    table = torch.from_numpy(np.array(calque.load(folder).embeddings))

    def encode(texts: list[str]) -> np.ndarray:
        ids = processor.encode(texts, num_threads=THREADS)
        offsets = np.cumsum([0] + [len(each) for each in ids[:-1]])
        flat = torch.tensor([id for each in ids for id in each])
        return torch.nn.functional.embedding_bag(flat, table, torch.from_numpy(offsets), mode="mean").numpy()

    return encode, encode(other)[:100]


def tokenise(folder: str, other: list[str]) -> tuple[Encode, None]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(Path(folder) / "sentencepiece.model"))
    processor.encode(other, num_threads=THREADS)
    return lambda texts: processor.encode(texts, num_threads=THREADS), None


SIDES: dict[str, Callable[[str, list[str]], tuple[Encode, np.ndarray | None]]] = {
    "Calque": ours,
    "model2vec": model2vec,
    "sentence-transformers StaticEmbedding": sentence_transformers,
    "sentencepiece + torch embedding_bag": embedding_bag,
    "sentencepiece, tokenising alone": tokenise,
}


def _same_directions(side: str, ours: np.ndarray | None, theirs: np.ndarray | None) -> None:
    """A comparison of speeds means nothing if the vectors differ."""
    if ours is None or theirs is None:
        return
    lengths = (np.maximum(np.linalg.norm(one, axis=1), 1e-9) for one in (ours, theirs))
    cosines = np.einsum("ij,ij->i", ours, theirs) / np.prod(list(lengths), axis=0)
    zero = np.all(ours == 0, axis=1)
    if np.any(cosines[~zero] < 0.9999):
        raise SystemExit(f"the vectors of {side} differ: cosine {cosines[~zero].min():.5f}")


if __name__ == "__main__":
    main()
