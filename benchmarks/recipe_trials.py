"""What was tried for the recipe and is not in the package: other losses, other starts, changes to rows once learnt.

The same English–Spanish text, vocabulary and development sets as recipe.py, whose model BASE gives the vocabulary; here
rows are learnt with PyTorch in mini-batches of 1,024, which are their own pool of negatives. All rows are weighted by
inverse frequency 0.01 in the end, as in the recipe. A trial takes about a minute on two cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from common import bitext_path, machine, print_table
from development import COLUMNS, TITLE, Judged, judged, row
from recipe import BITEXTS
from torch.nn.functional import cross_entropy, embedding_bag, normalize, relu

import calque
from calque.corpus import find_bitexts
from calque.encoder import make_encoder
from calque.model import Model
from calque.training import TrainingCorpus
from calque.training.inverse_frequency import piece_shares, row_weights
from calque.vocabulary import Tokens

Rows = npt.NDArray[np.float32]
Kept = npt.NDArray[np.float64] | None  # how likely each row is to be kept
Loss = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]  # unit vectors of both sides; a free number

EUROPARL = 4  # one of so many of its pairs is used
BATCH = 1024
RATE = 0.05
INVERSE_FREQUENCY = 0.01


@dataclass(frozen=True)
class Text:
    """Both sides as rows' numbers, each pair's at the same place."""

    source: Tokens
    target: Tokens
    size: int  # how many rows there are

    @cached_property
    def corpus(self) -> TrainingCorpus:
        return TrainingCorpus(self.source, self.target, ((None, len(self.source)),))

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """Which part of its language's tokens each row is."""
        return piece_shares(self.corpus, self.size)


def margin(width: float = 0.6, hardest: int = 1, mask: float = np.inf) -> Loss:
    """The paper's; `hardest` negatives of each sentence, but none that is nearer than `mask`."""

    def loss(first: torch.Tensor, second: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        cosines = first @ second.T
        own = cosines.diagonal()
        others = cosines - 2 * torch.eye(len(own))
        if mask < np.inf:
            others = others.masked_fill(cosines > mask, -1.0)
        sides = [side.topk(hardest).values for side in (others, others.T)]
        return sum(relu(width - own[:, None] + side).mean() for side in sides)  # type: ignore[return-value]

    return loss


def softmax(temperature: float | None = None) -> Loss:
    """InfoNCE over all others of the batch; the temperature is learnt if it is not given."""

    def loss(first: torch.Tensor, second: torch.Tensor, free: torch.Tensor) -> torch.Tensor:
        scale = free.exp() if temperature is None else torch.tensor(1 / temperature)
        scores, right = scale * (first @ second.T), torch.arange(len(first))
        return (cross_entropy(scores, right) + cross_entropy(scores.T, right)) / 2

    return loss


def both(one: Loss, other: Loss, share: float) -> Loss:
    return lambda first, second, free: (1 - share) * one(first, second, free) + share * other(first, second, free)


def nested(loss: Loss, widths: tuple[int, ...] = (64, 128, 256)) -> Loss:
    """Matryoshka: the first dimensions are to stand alone."""

    def of_all(first: torch.Tensor, second: torch.Tensor, free: torch.Tensor) -> torch.Tensor:
        parts = [loss(normalize(first[:, :width]), normalize(second[:, :width]), free) for width in widths]
        return torch.stack(parts).mean()

    return of_all


@dataclass(frozen=True)
class Trial:
    loss: Loss = margin()
    dimension: int = 256
    epochs: int = 3
    start: Callable[[Text, int], Rows] | None = None
    start_scale: float = 1.0
    keep: float | None = None  # a piece of share p is kept with probability √(keep / p), as word2vec does
    average: float = 0.0  # of the rows over the steps, with this much of the past
    change: Callable[[Text, Rows], Rows] | None = None  # of weighted rows


def learn(text: Text, trial: Trial, seed: int = 1) -> Rows:
    draw = np.random.default_rng(seed)
    if trial.start is None:
        start = draw.standard_normal((text.size, trial.dimension), dtype=np.float32)
    else:
        start = trial.start(text, trial.dimension)
    rows = torch.nn.Parameter(torch.from_numpy(start * np.float32(trial.start_scale)))
    free = torch.nn.Parameter(torch.tensor(np.log(20.0), dtype=torch.float32))
    adam = torch.optim.Adam([{"params": [rows]}, {"params": [free], "lr": 0.01}], lr=RATE, fused=True)
    kept = None if trial.keep is None else np.sqrt(trial.keep / np.maximum(text.shares, 1e-12))
    mean = rows.detach().clone()
    steps = len(text.source) // BATCH
    for step in range(trial.epochs * steps):
        if step % steps == 0:
            order = draw.permutation(len(text.source))
        pairs = order[step % steps * BATCH :][:BATCH]
        first, second = (unit_means(side, pairs, rows, kept) for side in (text.source, text.target))
        adam.param_groups[0]["lr"] = RATE * (1 - step / (trial.epochs * steps))
        adam.zero_grad()
        trial.loss(first, second, free).backward()
        adam.step()
        if trial.average:
            mean.lerp_(rows.detach(), 1 - trial.average)
    return (mean if trial.average else rows.detach()).numpy()


def unit_means(side: Tokens, sentences: npt.NDArray[np.int64], rows: torch.Tensor, kept: Kept = None) -> torch.Tensor:
    """Sentences of which no piece is kept get zeros."""
    starts = side.offsets.astype(np.int64)
    lengths = np.diff(starts)[sentences]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = side.ids[np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts[sentences], lengths)].astype(np.int64)
    if kept is not None:
        stays = np.random.default_rng(ids[:64]).random(len(ids)) < kept[ids]
        ids, offsets = ids[stays], np.concatenate([[0], np.cumsum(stays)])[offsets]
    return normalize(embedding_bag(torch.from_numpy(ids), rows, torch.from_numpy(offsets[:-1]), mode="mean"))


def weighted(text: Text, rows: Rows) -> Rows:
    out = rows * row_weights(text.corpus, text.size, INVERSE_FREQUENCY)
    out[0] = 0  # unknown text has no direction
    return out


def latent_start(text: Text, dimension: int) -> Rows:
    """Latent semantic analysis: pieces that occur in the same pairs begin side by side, whatever their language."""
    from scipy.sparse import csr_matrix, diags
    from sklearn.utils.extmath import randomized_svd

    def sentences(side: Tokens) -> csr_matrix:
        return csr_matrix((np.ones(len(side.ids), np.float32), side.ids, side.offsets), (len(side), text.size))

    pairs = sentences(text.source) + sentences(text.target)
    rarity = np.log(len(text.source) / (1 + np.asarray((pairs > 0).sum(axis=0)).ravel()))
    lengths = 1 / np.sqrt(np.maximum(np.asarray(pairs.sum(axis=1)).ravel(), 1))
    _, values, pieces = randomized_svd(diags(lengths) @ pairs @ diags(rarity), dimension, n_iter=3, random_state=1)
    found = (pieces.T * np.sqrt(values)).astype(np.float32)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)  # unused rows are rounding noise: not to 1
    noise = np.random.default_rng(1).standard_normal(found.shape, dtype=np.float32)
    return np.asarray(np.sqrt(0.5) * (np.sqrt(np.float32(dimension)) * found + noise), np.float32)


def spectrum(text: Text, rows: Rows) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The principal values, smallest first, and directions of rows, as often as they occur."""
    share = text.shares[:, None]
    return np.linalg.eigh((rows * share).T.astype(np.float64) @ rows / share.sum())  # type: ignore[return-value]


def without_top(text: Text, rows: Rows) -> Rows:
    """All-but-the-top: without the mean and the first direction."""
    centred = rows - (rows * text.shares[:, None]).sum(axis=0) / text.shares.sum()
    top = spectrum(text, centred)[1][:, -1:]
    return np.asarray(centred - centred @ top @ top.T, np.float32)


def whitened(text: Text, rows: Rows, power: float = 0.4) -> Rows:
    """Halfway to all directions being equally strong."""
    values, directions = spectrum(text, rows)
    return np.asarray(rows @ (directions * values ** (-power / 2)), np.float32)


def projected(text: Text, rows: Rows, dimension: int = 256) -> Rows:
    """Onto the strongest directions."""
    return np.ascontiguousarray(rows @ spectrum(text, rows)[1][:, -dimension:], np.float32)


def distilled(text: Text, teacher: Rows, dimension: int = 256, epochs: int = 2) -> Rows:
    """Fewer dimensions whose cosines, of all sentences of a batch, are to be the teacher's."""
    wide = torch.from_numpy(teacher)
    draw = np.random.default_rng(2)
    rows = torch.nn.Parameter(torch.from_numpy(projected(text, teacher, dimension)))
    rate = 0.01 * float(rows.detach().std())
    adam = torch.optim.Adam([rows], lr=rate, fused=True)
    steps = epochs * (len(text.source) // BATCH)
    for step in range(steps):
        pairs = draw.integers(len(text.source), size=BATCH)
        with torch.no_grad():
            known = [unit_means(side, pairs, wide) for side in (text.source, text.target)]
        ours = [unit_means(side, pairs, rows) for side in (text.source, text.target)]
        adam.param_groups[0]["lr"] = rate * (1 - step / steps)
        adam.zero_grad()
        ((ours[0] @ ours[1].T - known[0] @ known[1].T) ** 2).mean().backward()
        adam.step()
    return rows.detach().numpy()


def first(count: int) -> Callable[[Text, Rows], Rows]:
    return lambda _, rows: np.ascontiguousarray(rows[:, :count])


BASE = Trial()
NESTED = replace(BASE, loss=nested(margin()))
TRIALS = {
    "the 4 hardest negatives": replace(BASE, loss=margin(hardest=4)),
    "the 16 hardest negatives": replace(BASE, loss=margin(hardest=16)),
    "no negatives nearer than 0.8": replace(BASE, loss=margin(mask=0.8)),
    "softmax, temperature 0.05": replace(BASE, loss=softmax(0.05)),
    "softmax, temperature 0.15": replace(BASE, loss=softmax(0.15)),
    "softmax, learnt temperature": replace(BASE, loss=softmax()),
    "margin and softmax 0.05, a half each": replace(BASE, loss=both(margin(), softmax(0.05), 0.5)),
    "start 0.3 as large": replace(BASE, start_scale=0.3),
    "start 3 times as large": replace(BASE, start_scale=3.0),
    "start from latent semantic analysis": replace(BASE, start=latent_start),
    "common pieces dropped in training, t = 0.002": replace(BASE, keep=0.002),
    "rows averaged over steps, 0.99": replace(BASE, average=0.99),
    "without the mean and the top direction": replace(BASE, change=without_top),
    "whitened by 0.4": replace(BASE, change=whitened),
    "nested, all 256": NESTED,
    "nested, first 128": replace(NESTED, change=first(128)),
    "nested, first 64": replace(NESTED, change=first(64)),
    "128 dimensions": replace(BASE, dimension=128),
    "64 dimensions": replace(BASE, dimension=64),
    "1,024 dimensions": replace(BASE, dimension=1024),
    "1,024 dimensions projected to 256": replace(BASE, dimension=1024, change=projected),
    "1,024 dimensions distilled into 256": replace(BASE, dimension=1024, change=distilled),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="BASE", type=Path, help="recipe.py's model: OUT/base")
    parser.add_argument("--only", nargs="*", help="trials, by their names")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    model = calque.load(arguments.model)
    text = read(model)
    learnt: dict[Trial, Rows] = {}

    def result(trial: Trial) -> Judged:
        trained = replace(trial, change=None)
        if trained not in learnt:
            learnt[trained] = weighted(text, learn(text, trained))
        rows = learnt[trained] if trial.change is None else trial.change(text, learnt[trained])
        encoder = make_encoder("average", model.vocabulary, rows.shape[1], {"embeddings": rows})
        return judged(Model(encoder, model.about))

    base = result(BASE)
    rows = [row("PyTorch's, by the recipe's loss", base)]
    for name, trial in TRIALS.items():
        if not arguments.only or name in arguments.only:
            rows.append(row(name, result(trial), base))
            print(rows[-1], flush=True)
    print(machine())
    print_table(TITLE, COLUMNS, rows)


def read(model: calque.Model) -> Text:
    pairs = []
    for bitext in find_bitexts([str(bitext_path(name)) for name in BITEXTS]):
        every = EUROPARL if bitext.name.startswith("europarl") else 1
        pairs += islice(bitext.pairs(), 0, None, every)
    source, target = (model.vocabulary.encode([pair[side] for pair in pairs]) for side in (0, 1))
    some = (np.diff(source.offsets) > 0) & (np.diff(target.offsets) > 0)
    return Text(source.select(some), target.select(some), model.vocabulary.size)


if __name__ == "__main__":
    main()
