"""A corpus of which only a share is in memory: the rest waits in a file beside the run.

Pairs are seen in random order, and reading each from its place would take a disk that many times as long as training on
it. So blocks of pairs are dealt, in an order drawn anew each epoch, to as many windows as it takes for one to fit, and
within a window pairs are shuffled without regard to blocks. A corpus that fits has one window, and no file.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xxhash

from ..vocabulary import Tokens, Vocabulary
from ..vocabulary.tokens import id_type
from .corpus import (
    Chunk,
    Corpus,
    Parts,
    Sides,
    Source,
    Truths,
    checked_parts,
    in_memory,
    read_chunks,
    share,
    silent_rows,
    words_begun,
)
from .token_file import Block, Stamps, TokenFile, write_token_file

NAME = "tokens.bin"
MOST_BYTES = 1 << 30  # in memory; what is larger is seen in another order, so this is no option
_A_PAIR = 32  # bytes that a pair takes beside its ids: two offsets, its place in an order, and what draws that order


@dataclass(frozen=True)
class LargeCorpus(Corpus):
    file: TokenFile
    parts: Parts
    weights: tuple[float, ...] = ()
    begins_word: Truths | None = None
    silent: tuple[int, ...] = ()

    @property
    def windows(self) -> int:
        pairs = sum(part.pairs for part in self.parts)
        return max(-(-(self.file.bytes_of_ids + _A_PAIR * pairs) // MOST_BYTES), 1)

    def window(self, number: int, epoch: int, seed: int) -> Sides:
        cuts: list[Cut] = []
        for part, (_, pairs, _) in enumerate(self.parts):
            blocks = self._blocks(part)
            order = np.random.default_rng([seed, epoch, part, 0, 1]).permutation(len(blocks))
            cuts += dealt([blocks[at] for at in order], share(pairs, number, self.windows))
        source, target = (_Filled(cuts, side, self.file.id_type) for side in range(2))
        for cut, sides in zip(cuts, self.file.read(cut.block for cut in cuts), strict=True):
            source.add(sides.source.run(cut.begin, cut.end))
            target.add(sides.target.run(cut.begin, cut.end))
        return Sides(source.tokens, target.tokens)

    def part(self, number: int) -> Iterator[Sides]:
        return self.file.read(self._blocks(number))

    @property
    def digest(self) -> str:
        return xxhash.xxh3_128(repr((self.file.digest, self.parts, *self.weights)).encode()).hexdigest()

    def _blocks(self, part: int) -> list[Block]:
        return [block for block in self.file.blocks if block.part == part]


class Cut(NamedTuple):
    """Pairs `begin` to before `end` of a block."""

    block: Block
    begin: int
    end: int


def dealt(blocks: Sequence[Block], which: range) -> Iterator[Cut]:
    """The pairs of these numbers, were the blocks joined; a block at either end may be cut."""
    first = 0
    for block in blocks:
        begin, end = max(which.start - first, 0), min(which.stop - first, block.pairs)
        if begin < end:
            yield Cut(block, begin, end)
        first += block.pairs


class _Filled:
    """One side of a window, filled block by block, so that no second copy is in memory meanwhile."""

    def __init__(self, cuts: Sequence[Cut], side: int, id_type: str) -> None:
        self._ids = np.empty(sum(cut.block.tokens[side] for cut in cuts), id_type)
        self._lengths = np.empty(sum(cut.end - cut.begin for cut in cuts), np.uint32)
        self._sentences = self._filled = 0

    def add(self, tokens: Tokens) -> None:
        self._ids[self._filled : self._filled + len(tokens.ids)] = tokens.ids
        self._lengths[self._sentences : self._sentences + len(tokens)] = tokens.lengths
        self._filled += len(tokens.ids)
        self._sentences += len(tokens)

    @property
    def tokens(self) -> Tokens:
        return Tokens.of_lengths(self._ids[: self._filled], self._lengths)


def tokenise_beside(
    folder: Path,
    bitexts: Sequence[Source],
    vocabulary: Vocabulary,
    threads: int,
    report: Callable[[int], None] = lambda pairs: None,
    weights: tuple[float, ...] = (),
) -> Corpus:
    """Reads the bitexts into memory, or, if they are large, into a file in `folder`; one that is there is used again.

    That is, if none of the bitext's files has another size or time than when it was written. Otherwise all is read
    anew, and the digest tells whether it is still the same text.

    Raises:
        CorpusError: nothing remains.
        CalqueError: the disk is full.
    """
    now = stamps(bitexts)
    file = TokenFile.open(folder / NAME)
    if file is None or file.stamps != now or not _is_of(file, bitexts, vocabulary):
        chunks = read_chunks(bitexts, vocabulary, threads, report)
        held: deque[Chunk] = deque()
        size = 0
        while size <= MOST_BYTES:
            chunk = next(chunks, None)
            if chunk is None:
                return in_memory(held, bitexts, vocabulary, weights)
            held.append(chunk)
            size += sum(tokens.ids.nbytes for tokens in chunk.sides) + _A_PAIR * len(chunk.sides.source)
        type = np.dtype(id_type(vocabulary.size)).name
        file = write_token_file(folder / NAME, chain(_emptied(held), chunks), type, now)
    pairs = [0] * len(bitexts)
    for block in file.blocks:
        pairs[block.part] += block.pairs
    parts = checked_parts(bitexts, pairs, weights)
    return LargeCorpus(file, parts, weights, words_begun(parts, vocabulary), silent_rows(vocabulary))


def _is_of(file: TokenFile, bitexts: Sequence[Source], vocabulary: Vocabulary) -> bool:
    return file.id_type == np.dtype(id_type(vocabulary.size)).name and all(
        block.part < len(bitexts) for block in file.blocks
    )


def _emptied(held: deque[Chunk]) -> Iterator[Chunk]:
    while held:
        yield held.popleft()


def stamps(bitexts: Sequence[Source]) -> Stamps:
    """What the files look like from outside.

    A checksum would be surer, and take as long as reading all of it: minutes, for what the file is to save.
    """
    return [[path, *_looks(path)] for bitext in bitexts for path in bitext.paths]


def _looks(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ()  # whoever opens it says what is wrong
    return found.st_size, found.st_mtime_ns
