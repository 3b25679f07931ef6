"""Files that were whole once: bytes changed, lost, added, repeated and moved, the same for the same seed."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator, Sequence

SECONDS = float(os.environ.get("CALQUE_FUZZ", "0.7"))  # for each format
STRIKING = [
    *(b"\0", b"\xff", b"\x80", b"\x7f", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\x40"),
    *(b"\n", b"\r", b"\t", b'"', b",", b";", b"{", b"}", b"[", b"]", b"\\u", b"\\ud800", b"<", b">", b"\xef\xbb\xbf"),
    b"9" * 30,
]


def mutated(whole: bytes, chance: random.Random, striking: Sequence[bytes] = STRIKING) -> bytes:
    content = bytearray(whole)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8, 30])):
        at = _place(len(content), chance)
        length = chance.choice([1, 2, 4, 8, 50])
        match chance.randrange(8):
            case 0 if content:
                content[min(at, len(content) - 1)] ^= 1 << chance.randrange(8)
            case 1:
                content[at : at + length] = chance.randbytes(length)
            case 2:
                token = chance.choice(striking)
                content[at : at + len(token)] = token
            case 3:
                content[at:at] = chance.choice(striking)
            case 4:
                del content[at : at + length]
            case 5:
                content[at:at] = content[at : at + length]
            case 6:
                other = _place(len(content), chance)
                content[at : at + length] = content[other : other + length]
            case 7 if chance.random() < 0.2:
                del content[at:]
    return bytes(content)


def _place(length: int, chance: random.Random) -> int:
    """Anywhere, or near the beginning or the end, where formats describe themselves."""
    if chance.random() < 0.5:
        return chance.randint(0, length)
    near = min(length, int(chance.expovariate(1 / 200)))
    return near if chance.random() < 0.5 else length - near


def mutations(samples: Sequence[bytes], striking: Sequence[bytes] = STRIKING, seed: int = 1) -> Iterator[bytes]:
    """Of one sample or another, until the time is over."""
    chance = random.Random(seed)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        yield mutated(chance.choice(samples), chance, striking)
