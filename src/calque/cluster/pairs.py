"""The pairs that mining found, written in parts: sentences come from the shards they stand in, to where they rank."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..mining import Mined
from ..tasks.mined_files import write_mined
from .engine import Receipt, Task
from .packed import read_packed, write_packed
from .piles import PileShards
from .places import Place

A_PART = 1 << 20  # pairs
SCORES = "scores"  # of all pairs, best first

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ranks:
    """For each shard of a side, which of its sentences are in which pairs."""

    folder: Place
    side: str
    shards: int

    def write(self, pile: PileShards, sentences: Numbers) -> None:
        """`sentences` are those of the pairs, best first."""
        shard = np.searchsorted(pile.begins, sentences, side="right") - 1
        order = np.argsort(shard, kind="stable")
        entries = np.column_stack([order, sentences[order] - pile.begins[shard[order]]])
        cuts = np.searchsorted(shard[order], np.arange(1, self.shards))
        write_packed(self._place, np.split(entries, cuts))

    def read(self, shard: int) -> Numbers:
        """(n, 2): ranks, rising, and sentences of the shard."""
        return read_packed(self._place, self.shards, shard, np.int64).reshape(-1, 2)

    @property
    def _place(self) -> Place:
        return self.folder / f"{self.side}-ranks"


@dataclass(frozen=True)
class TextsOfShard:
    """The texts of a shard's sentences that are in pairs, by the part of the output that they go to."""

    pile: PileShards
    ranks: Ranks
    parts: int

    def __call__(self, task: Task) -> Receipt:
        shard: int = task["shard"]
        wanted = self.ranks.read(shard)
        cuts = np.searchsorted(wanted[:, 0], np.arange(1, self.parts) * A_PART)
        packed: list[npt.NDArray[np.uint8]] = []
        with self.pile.pile(shard) as pile:
            before = int(self.pile.lines[shard])
            for some in np.split(wanted, cuts):
                texts = [pile.text(int(sentence)).encode("utf-8", "surrogatepass") for sentence in some[:, 1]]
                lines = [before + pile.line(int(sentence)) for sentence in some[:, 1]]
                packed.append(_packed(some[:, 0], lines, texts))
        write_packed(self.ranks.folder / f"{self.ranks.side}-texts-{shard:05d}", packed)
        return {}


@dataclass(frozen=True)
class WritePart:
    """Some pairs in the order of their scores, as one file would hold them."""

    source: Ranks
    target: Ranks
    out: Place
    pairs: int
    parts: int
    ids: bool
    format: str

    def __call__(self, task: Task) -> Receipt:
        part: int = task["part"]
        begin, end = part * A_PART, min((part + 1) * A_PART, self.pairs)
        scores = np.frombuffer((self.source.folder / SCORES).read(4 * begin, 4 * end), np.float32)
        sides = [self._side(ranks, part, begin, end - begin) for ranks in (self.source, self.target)]
        with (self.out / f"part-{task['name']}.{self.format}").placing() as path, open(path, "wb") as file:
            mined = (
                Mined(score, source, target, source_line, target_line)
                for score, (source_line, source), (target_line, target) in zip(scores.tolist(), *sides, strict=True)
            )
            write_mined(file, mined, self.ids, self.format)
        return {"pairs": end - begin}

    def _side(self, ranks: Ranks, part: int, begin: int, count: int) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = [(0, "")] * count
        for shard in range(ranks.shards):
            packed = read_packed(ranks.folder / f"{ranks.side}-texts-{shard:05d}", self.parts, part, np.uint8)
            for rank, line, text in _unpacked(packed):
                found[rank - begin] = (line, text)
        return found


def _packed(ranks: Numbers, lines: list[int], texts: list[bytes]) -> npt.NDArray[np.uint8]:
    if not texts:
        return np.zeros(0, np.uint8)
    heads = np.column_stack([ranks, lines, [len(text) for text in texts]]).astype(np.int64)
    whole = b"".join([np.int64(len(texts)).tobytes(), heads.tobytes(), *texts])
    return np.frombuffer(whole, np.uint8)


def _unpacked(packed: npt.NDArray[np.uint8]) -> list[tuple[int, int, str]]:
    if not len(packed):
        return []
    file = io.BytesIO(packed.tobytes())
    count = int(np.frombuffer(file.read(8), np.int64)[0])
    heads = np.frombuffer(file.read(24 * count), np.int64).reshape(-1, 3).tolist()
    return [(rank, line, file.read(size).decode("utf-8", "surrogatepass")) for rank, line, size in heads]
