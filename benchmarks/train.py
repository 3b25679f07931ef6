"""Training: one epoch of the paper's recipe against the same algorithm in plain PyTorch, on the same ids.

Without dropout and with it, since PyTorch has a fused kernel for the former alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice

import numpy as np
from common import bitext_path, machine, print_table

from calque.corpus import Pair, find_bitexts
from calque.encoder import random_embeddings
from calque.training import (
    Checkpoint,
    Progress,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
    train_parameters,
)
from calque.training.mega_batches import Course, MegaBatch, Place
from calque.vocabulary import Tokens, Vocabulary, VocabularySpec, build_vocabulary

THREADS = 2
ROWS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--steps", type=int, default=60, help="Mini-batches of each PyTorch version to time.")
    arguments = parser.parse_args()
    vocabulary, corpus = read(arguments.pairs)
    print(machine())
    print(f"{len(corpus):,} Europarl pairs, {vocabulary.size:,} pieces, 300 dimensions, {THREADS} threads")
    for dropout in (0.0, 0.3):
        # Mega-batches of the full size from the start.
        config = TrainingConfig.of("paper", epochs=1, annealing=1, dropout=dropout)
        compare(corpus, vocabulary, config, arguments.steps)


def compare(corpus: TrainingCorpus, vocabulary: Vocabulary, config: TrainingConfig, steps: int) -> None:
    seconds, shares = calque_epoch(corpus, vocabulary, config)
    rows = [["Calque", f"{seconds:.1f} s", ""]]
    for name in ("dense Adam", "fused Adam", "SparseAdam"):
        theirs = torch_epoch(name, corpus, vocabulary, config, steps)
        rows.append([f"PyTorch, {name}", f"{theirs:,.0f} s", f"{theirs / seconds:.1f}×"])
    how = (
        "embedding bags, no dropout"
        if config.dropout == 0
        else f"dropout {config.dropout} on the embeddings, flat tokens"
    )
    print_table(f"One epoch, {how}", ["", "time (PyTorch: extrapolated)", "Calque is faster"], rows)
    parts = ", ".join(f"{name} {shares[name] / seconds:.0%}" for name in ("encode", "negatives", "steps", "prepare"))
    print(f"\nCalque: {len(corpus) / seconds:,.0f} pairs/s; {parts}, the rest elsewhere")


def read(count: int) -> tuple[Vocabulary, TrainingCorpus]:
    (bitext,) = find_bitexts([str(bitext_path("europarl.en-es"))])

    class First:
        """The first pairs of the bitext."""

        paths, languages, name = bitext.paths, bitext.languages, bitext.name

        def pairs(self) -> Iterator[Pair]:
            return islice(bitext.pairs(), count)

    texts = lambda: ((None, text) for pair in First().pairs() for text in pair)  # noqa: E731
    vocabulary = build_vocabulary(VocabularySpec(size=ROWS), texts)
    return vocabulary, tokenise([First()], vocabulary, THREADS)  # type: ignore[list-item]


def calque_epoch(
    corpus: TrainingCorpus, vocabulary: Vocabulary, config: TrainingConfig
) -> tuple[float, dict[str, float]]:
    shares: dict[str, float] = {}

    def report(progress: Progress) -> None:
        for name, seconds in progress.shares.items():
            shares[name] = shares.get(name, 0) + seconds

    rows = random_embeddings(vocabulary.size, config.dimension, 1, vocabulary.unknown)
    state = first_state("average", {"embeddings": rows})
    begun = time.perf_counter()
    train_parameters(corpus, config, Checkpoint(Place(), state, ""), threads=THREADS, report=report)
    return time.perf_counter() - begun, shares


def torch_epoch(name: str, corpus: TrainingCorpus, vocabulary: Vocabulary, config: TrainingConfig, steps: int) -> float:
    """Seconds that an epoch would take, from `steps` mini-batches and the mega-batches they need.

    Without dropout, sentences are averaged by an embedding bag, the fastest that PyTorch has. Dropout falls on the
    embeddings, as the paper has it, so the tokens of all sentences are looked up in one row after another, dropped out
    and averaged by `segment_reduce`, which was a quarter faster than padding. Negatives come from embedding bags and
    one product for both directions.
    """
    import torch
    from torch.nn.functional import cosine_similarity, dropout, embedding_bag, normalize

    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    table = torch.nn.Embedding(vocabulary.size, config.dimension, sparse=name == "SparseAdam")
    torch.nn.init.normal_(table.weight)
    if name == "SparseAdam":
        optimiser: torch.optim.Optimizer = torch.optim.SparseAdam(table.parameters(), lr=config.learning_rate)
    else:
        optimiser = torch.optim.Adam(table.parameters(), lr=config.learning_rate, fused=name == "fused Adam")

    def sentences(tokens: Tokens, pairs: np.ndarray) -> list[np.ndarray]:
        return [tokens[int(pair)].astype(np.int64) for pair in pairs]

    def bags(batch: list[np.ndarray]) -> torch.Tensor:
        offsets = torch.from_numpy(np.cumsum([0] + [len(each) for each in batch[:-1]]))
        return embedding_bag(flat(batch), table.weight, offsets, mode="mean", sparse=table.sparse)

    def flat(batch: list[np.ndarray]) -> torch.Tensor:
        return torch.from_numpy(np.concatenate(batch))

    def means(batch: list[np.ndarray]) -> torch.Tensor:
        if config.dropout == 0:
            return bags(batch)
        lengths = torch.tensor([len(each) for each in batch])
        return torch.segment_reduce(dropout(table(flat(batch)), config.dropout), "mean", lengths=lengths)

    def negatives(batch: MegaBatch) -> tuple[torch.Tensor, torch.Tensor]:
        source, target = sentences(corpus.source, batch.pairs), sentences(corpus.target, batch.pairs)
        with torch.no_grad():
            product = normalize(bags(source)) @ normalize(bags(target)).T
            product.fill_diagonal_(-2)
            return product.argmax(1), product.argmax(0)

    def step(pairs: np.ndarray, target_negatives: np.ndarray, source_negatives: np.ndarray) -> None:
        source, target = means(sentences(corpus.source, pairs)), means(sentences(corpus.target, pairs))
        wrong_target = means(sentences(corpus.target, target_negatives))
        wrong_source = means(sentences(corpus.source, source_negatives))
        agreement = cosine_similarity(source, target)
        loss = (config.margin - agreement + cosine_similarity(source, wrong_target)).relu()
        loss = loss + (config.margin - agreement + cosine_similarity(target, wrong_source)).relu()
        optimiser.zero_grad()
        loss.mean().backward()
        optimiser.step()

    course = Course(corpus.parts, config)
    full = (batch for batch in course.mega_batches(Place()) if batch.size == config.mega_batch)
    choosing = stepping = 0.0
    chosen = done = 0
    while done < steps:
        batch = next(full)
        begun = time.perf_counter()
        to_target, to_source = negatives(batch)
        choosing += time.perf_counter() - begun
        chosen += 1
        begun = time.perf_counter()
        for at in range(0, min(len(batch.pairs), config.batch_size * (steps - done)), config.batch_size):
            run = slice(at, at + config.batch_size)
            step(batch.pairs[run], batch.pairs[to_target[run].numpy()], batch.pairs[to_source[run].numpy()])
            done += 1
        stepping += time.perf_counter() - begun
    mega_batches = len(corpus) / (config.mega_batch * config.batch_size)
    return choosing / chosen * mega_batches + stepping / done * course.steps


if __name__ == "__main__":
    main()
