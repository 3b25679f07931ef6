"""The kernel's own functions, called with arrays of odd shapes, types and values, as no caller of ours would."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from target import Targets, Trial

from calque import _kernel
from calque.corpus.pair import Pair
from mutations import mutated

FLOATS = [0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, -1e38, float("inf"), float("-inf"), float("nan")]
SIZES = [0, 1, 1, 2, 3, 5, 7, 15, 16, 17, 32, 33, 48, 64, 100]
NUMBERS = [0, 1, 2, 3, 16, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
TEXTS = [
    "",
    " ",
    "a",
    "A dog",
    "Un perro, ñ",
    "犬🙂",
    "\0",
    "\ud800",
    "a" * 47,
    "é" * 24,
    "b" * 500,
    "x y " * 2000,
    "\u2028",
]
REFUSALS = (ValueError, TypeError, OverflowError, MemoryError)


class Dice(random.Random):
    """Draws by the bytes of an input, so that what is kept of an input makes the same calls again."""

    def size(self) -> int:
        return self.choice(SIZES)

    def number(self) -> int:
        return self.choice(NUMBERS) if self.random() < 0.2 else self.randrange(20)

    def threads(self) -> int:
        return self.choice([1, 1, 1, 2, 3, 0])

    def odd(self, usual: float = 0.9) -> bool:
        return self.random() > usual

    def floats(self, *shape: int, type: Any = np.float32) -> Any:
        """Now and then of another size, type or order, or not to be written to."""
        if self.odd():
            shape = tuple(max(0, size + self.choice([-1, 0, 1, 16])) for size in shape)
        made = np.random.default_rng(self.getrandbits(32)).standard_normal(shape).astype(type)
        if made.size and self.odd(0.7):
            made.flat[self.randrange(made.size)] = self.choice(FLOATS)
        return self.twisted(made)

    def integers(self, most: int, *shape: int, type: Any = np.uint16) -> Any:
        if self.odd():
            shape = tuple(max(0, size + self.choice([-1, 0, 1])) for size in shape)
        most = min(max(most, 1), np.iinfo(type).max)
        made = np.random.default_rng(self.getrandbits(32)).integers(0, most, shape).astype(type)
        if made.size and self.odd():
            made.flat[self.randrange(made.size)] = self.choice([most, np.iinfo(type).max, np.iinfo(type).min])
        return self.twisted(made)

    def twisted(self, array: Any) -> Any:
        if not self.odd(0.95):
            return array
        match self.randrange(4):
            case 0:
                array.flags.writeable = False
            case 1:
                return array.astype(self.choice([np.float64, np.int32, np.uint8, np.uint64, bool]))
            case 2:
                return np.asfortranarray(array)
            case 3:
                return np.repeat(array, 2, axis=0)[::2]
        return array

    def offsets(self, sentences: int, tokens: int) -> Any:
        cuts = sorted(self.randint(0, tokens) for _ in range(max(sentences - 1, 0)))
        made = np.array([0, *cuts, tokens] if sentences else [tokens], np.uint64)
        if self.odd():
            made[self.randrange(len(made))] = self.choice(NUMBERS)
        return self.twisted(made)

    def texts(self) -> list[Any]:
        return [self.choice(TEXTS) if not self.odd(0.99) else None for _ in range(self.size())]


def mean(dice: Dice) -> None:
    rows, width, count, tokens = dice.size(), dice.choice([16, 17, 32, 100, 8, 0]), dice.size(), dice.size()
    ids = dice.integers(rows, tokens, type=dice.choice([np.uint16, np.uint32]))
    _kernel.mean(dice.floats(rows, width), ids, dice.offsets(count, tokens), dice.floats(count, width), dice.threads())


def words(dice: Dice) -> None:
    dimension = dice.choice([1, 15, 16, 33, 300, 0, 8193])
    table = _kernel.WordTable(dimension, dice.choice([0, 1, 3, 1024, 1 << 20]), dice.random() < 0.5, dice.number())
    for _ in range(3):
        texts = dice.texts()
        out, pieces = dice.floats(len(texts), dimension), dice.integers(9, len(texts), type=np.uint32)
        which = dice.integers(len(texts), dice.size(), type=np.uint64)
        missing, *_ = table.encode(texts, which, out, pieces, dice.random() < 0.5, dice.threads())
        rows, tokens = dice.size(), dice.size()
        words = missing or ["a", "", "b" * 60]
        table.add(words, dice.integers(rows, tokens), dice.offsets(len(words), tokens), dice.floats(rows, dimension))
        len(table)


def trainer(dice: Dice) -> None:
    rows, width, pairs, steps = dice.size() + 1, dice.choice([16, 32, 48]), dice.size(), dice.size()
    source, target = dice.size(), dice.size()
    frozen = dice.choice([0, 0, rows])
    made = _kernel.Trainer(
        *(dice.floats(rows, width) for _ in range(3)),
        dice.integers(steps + 1, rows, type=np.uint32),
        np.abs(dice.floats(steps)).astype(np.float32),
        batch_size=dice.choice([1, 2, 8, 128, 0]),
        margin=dice.choice(FLOATS),
        dropout=dice.choice([0.0, 0.0, 0.3, 0.99, 1.0, float("nan")]),
        beta_first=0.9,
        beta_second=dice.choice([0.999, 0.0, 1.0]),
        epsilon=dice.choice([1e-8, 0.0]),
        monolingual=dice.random() < 0.5,
        exclude_same_text=dice.random() < 0.5,
        seed=dice.number(),
        frozen=dice.integers(2, frozen, type=np.uint8),
    )
    kind = dice.choice([np.uint16, np.uint32])
    if not dice.odd():
        made.use(
            dice.integers(rows, source, type=kind),
            dice.offsets(pairs, source),
            dice.integers(rows, target, type=kind),
            dice.offsets(pairs, target),
        )
    for _ in range(2):
        chosen = dice.integers(pairs, dice.size(), type=np.uint32)
        rates = dice.floats(dice.choice([len(chosen), 1, -(-len(chosen) // 8)]))
        made.train(chosen, rates, dice.threads())
        few = dice.size()
        made.train_on(
            dice.integers(rows, source, type=kind),
            dice.offsets(few, source),
            dice.integers(rows, target, type=kind),
            dice.offsets(few, target),
            dice.floats(dice.choice([few, 1, -(-few // 8)])),
            dice.threads(),
        )
        made.settle(dice.floats(rows, width), dice.threads())
        made.step_weights()


def hardest(dice: Dice) -> None:
    sources, targets, width = dice.size(), dice.size(), dice.choice([16, 32, 48, 0, 17])
    keys = dice.randrange(5)
    row_keys, column_keys = (
        [[dice.randrange(4) for _ in range(count)] for _ in range(keys)] for count in (sources, targets)
    )
    _kernel.hardest(dice.floats(sources, width), dice.floats(targets, width), row_keys, column_keys, dice.threads())


def meet(dice: Dice) -> None:
    rows, columns, width, k = dice.size(), dice.size(), dice.choice([1, 16, 33, 64, 0]), dice.choice([1, 3, 8, 0, 50])
    first_row, first_column = (dice.choice([0, 0, 3, dice.number()]) for _ in range(2))
    kept = [(min(first, 100) + count, k) for first, count in ((first_row, rows), (first_column, columns))]
    (one, two), (three, four) = ((dice.floats(*shape), dice.integers(9, *shape, type=np.int32)) for shape in kept)
    _kernel.meet(
        *(dice.floats(rows, width), dice.floats(columns, width), first_row, first_column),
        *(one, two, three, four, dice.threads()),
    )


def scan(dice: Dice) -> None:
    rows, width, queries, k = dice.size(), dice.choice([1, 16, 33, 300, 0]), dice.size(), dice.choice([1, 3, 100, 0])
    vectors, padded = dice.floats(rows, width), -(-width // 16) * 16
    codes, about = np.zeros((rows, padded), np.int8), np.zeros((rows, 3), np.float32)
    if not dice.odd():
        _kernel.code_rows(vectors, codes, about, dice.threads())
    if dice.odd(0.5):
        codes, about = dice.integers(127, rows, padded, type=np.int8), dice.floats(rows, 3)
    deleted = None if dice.random() < 0.5 else dice.integers(2, rows, type=np.uint8)
    cosine, index = dice.floats(queries, k), dice.integers(9, queries, k, type=np.int32)
    asked = dice.floats(queries, width)
    _kernel.scan(asked, vectors, codes, about, deleted, cosine, index, dice.threads())
    _kernel.exact_products(asked, vectors, dice.integers(rows, queries, k, type=np.int32), cosine, dice.threads())
    _kernel.offer_one_way(dice.floats(queries, rows), dice.number(), cosine, index, dice.threads())


def advance(dice: Dice) -> None:
    rows, shapes = dice.size(), dice.choice([1, 3, 9, 300])
    first = np.sort(dice.integers(5, rows, type=np.int64))
    last = first + 3
    offsets = np.concatenate([[0], np.cumsum(last - first + 1)]).astype(np.int64)
    for array in (first, last, offsets):
        if array.size and dice.odd():
            array[dice.randrange(array.size)] = dice.choice([-1, 0, (1 << 63) - 1, -(1 << 63), 1 << 40])
    begin, end = (dice.randint(0, rows) if not dice.odd() else dice.number() for _ in range(2))
    begin, end = (begin, end) if dice.odd() else (min(begin, end), max(begin, end))
    nodes = int(offsets[-1]) if 0 <= offsets[-1] < 10**4 else 10
    inside = [int(offsets[min(at, len(offsets) - 1)]) for at in (begin, end)]
    costs = inside[1] - inside[0] if 0 <= inside[1] - inside[0] < 10**4 else 3
    _kernel.advance(
        *(first, last, offsets, dice.integers(4, shapes, 2, type=np.int64) + 1, dice.floats(shapes, costs)),
        *(dice.choice(FLOATS), begin, end, dice.floats(nodes, type=np.float64), dice.integers(9, nodes, type=np.uint8)),
    )


def measure(dice: Dice) -> None:
    rows = [tuple(dice.choice(TEXTS) for _ in range(2)) for _ in range(dice.size())]
    characters = dice.choice([0, 1, 128, 0x3000, 0x110000])
    kinds, small = dice.integers(1 << 16, characters), dice.integers(0x110000, characters, type=np.uint32)
    numbers = [min(dice.number(), (1 << 32) - 1) for _ in range(2)]
    _kernel.measure(rows, dice.choice([0, 1, 2, 1 << 40]), kinds, small, *numbers, dice.threads())
    _kernel.without_blank(rows)


def seen(dice: Dice) -> None:
    made = _kernel.Seen(dice.choice([1, 2, 16, 1 << 16, 0, 3]))
    for _ in range(3):
        made.add(dice.integers(1 << 63, dice.choice([0, 1, 100, 3000]), type=np.uint64))
    int(made.forgotten)


def matrix(dice: Dice) -> None:
    rows, columns = (dice.choice([0, 1, 300, 1 << 31, 1 << 62, (1 << 64) - 1]) for _ in range(2))
    if not 300 * 300 < rows * columns < 1 << 61:  # what only a lack of memory would refuse
        _kernel.matrix(rows, columns).fill(1)


CALLS: list[Callable[[Dice], None]] = [
    *(mean, words, trainer, hardest, meet, scan, advance, measure, seen, matrix),
]


def calls(folder: Path) -> Trial:
    """Eight bytes decide which function is called with what."""

    def attempt(content: bytes) -> None:
        dice = Dice(content)
        CALLS[dice.randrange(len(CALLS))](dice)

    def mutate(whole: bytes, chance: random.Random) -> bytes:
        return chance.randbytes(8)

    return Trial([b"calls"], attempt, mutate, REFUSALS)


def text(folder: Path) -> Trial:
    """Lines and cells of any bytes, and of lines longer than what memory is asked for at a time."""

    def attempt(content: bytes) -> None:
        size, *_ = struct.unpack("<H", content[:2].ljust(2, b"\0"))
        block = bytearray(content[2:])
        if size % 5 == 0:
            block[:0] = "é".encode() + b"a" * ((1 << 20) + size % 9)
        lines, problem = _kernel.split_lines(block, len(block))
        expected = [line.removesuffix(b"\r") for line in bytes(block).split(b"\n")]
        assert problem or [line.encode() for line in lines] == expected[: len(lines)]
        for columns, exactly in (([0, 1], 0), ([1, 0], 2), ([0, 3, 3], 0), ([1 << 60], 0)):
            splitter = _kernel.RowSplitter(Pair, columns, exactly)
            for end in (len(block), len(block) // 2, 0):
                splitter.push(block, end)
                splitter.take(1)
                splitter.take(1 << 60)
                str(splitter.problem), splitter.lines

    table = "".join(f"A dog {at}\tUn perro ñ {at}\t犬 🙂\r\n" for at in range(40)).encode()
    return Trial([b"\1\0" + table, b"\5\0" + table * 30], attempt, mutated, REFUSALS)


TARGETS: Targets = {"kernel-calls": calls, "kernel-text": text}
