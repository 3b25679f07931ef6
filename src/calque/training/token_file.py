"""Token ids in a file: blocks of pairs one after the other, and at the end where each of them begins.

A block is the lengths of its sources, those of its targets, the sources' ids and the targets'. It is read in one piece,
with a checksum of its own. Were the file mapped, each page touched would count as memory of the process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import xxhash

from ..atomic import writing
from ..errors import CalqueError
from ..regular import open_regular
from ..saved import count, get, is_a
from ..vocabulary import Tokens
from .corpus import Chunk, Sides

_PAIRS = 5_000  # of a block, which is half a megabyte or so: disks read that at nearly full speed from anywhere
_LENGTH = np.dtype(np.uint32)  # of a sentence
_ID_TYPES = ("uint16", "uint32")
_ENDING = 8  # bytes that say how long the description is

Stamps = list[list[Any]]  # what the bitext's files looked like: path, size, time


@dataclass(frozen=True)
class Block:
    part: int
    begin: int  # in the file
    pairs: int
    tokens: tuple[int, int]  # of the sources, of the targets
    checksum: str

    def size(self, id_type: str) -> int:
        """In bytes."""
        return 2 * self.pairs * _LENGTH.itemsize + sum(self.tokens) * np.dtype(id_type).itemsize


@dataclass(frozen=True)
class TokenFile:
    path: Path
    id_type: str  # uint16 or uint32
    stamps: Stamps
    blocks: tuple[Block, ...]

    @property
    def digest(self) -> str:
        return xxhash.xxh3_128(repr((self.id_type, self.blocks)).encode()).hexdigest()

    @property
    def bytes_of_ids(self) -> int:
        return np.dtype(self.id_type).itemsize * sum(sum(block.tokens) for block in self.blocks)

    def read(self, blocks: Iterable[Block]) -> Iterator[Sides]:
        """
        Raises:
            CalqueError: the file is gone, or not what was written.
        """
        try:
            with open_regular(self.path) as file:
                for block in blocks:
                    yield self._sides(file, block)
        except OSError as problem:
            raise self._unusable(f"cannot be read: {problem.strerror or problem}") from problem

    def _sides(self, file: IO[bytes], block: Block) -> Sides:
        file.seek(block.begin)
        data = file.read(block.size(self.id_type))
        if xxhash.xxh3_64_hexdigest(data) != block.checksum:
            raise self._unusable("has changed since it was written")
        of_sources, of_targets = np.frombuffer(data, _LENGTH, 2 * block.pairs).reshape(2, block.pairs)
        ids = np.frombuffer(data, self.id_type, offset=2 * block.pairs * _LENGTH.itemsize)
        sources, targets = block.tokens
        if (of_sources.sum(), of_targets.sum()) != (sources, targets) or not (of_sources.all() and of_targets.all()):
            raise self._unusable("has sentences of other lengths than it says")
        return Sides(Tokens.of_lengths(ids[:sources], of_sources), Tokens.of_lengths(ids[sources:], of_targets))

    def _unusable(self, what: str) -> CalqueError:
        return CalqueError(
            f"{self.path} {what}",
            hint=f"delete it and go on, which makes it again: calque train --resume {self.path.parent}",
        )

    @classmethod
    def open(cls, path: Path) -> TokenFile | None:
        """None if there is no such file, or none that can be understood: it can always be made again."""
        try:
            with open_regular(path) as file:
                file.seek(-_ENDING, 2)
                end = file.tell()
                begin = end - int.from_bytes(file.read(_ENDING), "little")
                file.seek(begin)
                about = json.loads(file.read(end - begin))
            id_type = get(about, "id_type", str)
            if id_type not in _ID_TYPES:
                raise ValueError(f"no such type of ids: {id_type}")
            return cls(path, id_type, get(about, "stamps", list), _blocks(get(about, "blocks", list), id_type, begin))
        except (OSError, ValueError, RecursionError):
            return None


def _blocks(saved: list[Any], id_type: str, end: int) -> tuple[Block, ...]:
    """Blocks that follow one another up to `end`, so that none can ask for more than the file has.

    Raises:
        ValueError: they do not.
    """
    found: list[Block] = []
    begin = 0
    for each in saved:
        tokens = get(each, "tokens", list)
        if len(tokens) != 2 or not all(is_a(number, int) and 0 < number <= end for number in tokens):
            raise ValueError(f"expected the tokens of two sides, got {tokens!r}")
        pairs, part = count(each, "pairs", 1, end), count(each, "part")
        place, checksum = count(each, "begin", begin, begin), get(each, "checksum", str)
        found.append(Block(part, place, pairs, (tokens[0], tokens[1]), checksum))
        begin += found[-1].size(id_type)
    if begin != end:
        raise ValueError(f"expected blocks up to {end}, got {begin}")
    return tuple(found)


def write_token_file(path: Path, chunks: Iterable[Chunk], id_type: str, stamps: Stamps) -> TokenFile:
    """Writes the whole file or nothing of it.

    Raises:
        CalqueError: the disk is full.
    """
    blocks = []
    with writing(path) as file:
        for part, sides in chunks:
            for block in _cut(sides):
                lengths = np.concatenate([tokens.lengths for tokens in block])
                data = lengths.astype(_LENGTH).tobytes() + b"".join(tokens.ids.tobytes() for tokens in block)
                tokens = (len(block.source.ids), len(block.target.ids))
                blocks.append(Block(part, file.tell(), len(block.source), tokens, xxhash.xxh3_64_hexdigest(data)))
                file.write(data)
        about = {"id_type": id_type, "stamps": stamps, "blocks": [asdict(block) for block in blocks]}
        description = json.dumps(about).encode()
        file.write(description + len(description).to_bytes(_ENDING, "little"))
    return TokenFile(path, id_type, stamps, tuple(blocks))


def _cut(sides: Sides) -> Iterator[Sides]:
    for begin in range(0, len(sides.source), _PAIRS):
        end = min(begin + _PAIRS, len(sides.source))
        yield Sides(sides.source.run(begin, end), sides.target.run(begin, end))
