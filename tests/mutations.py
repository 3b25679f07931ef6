"""Files that were whole once: bytes changed, lost, added, repeated and moved, the same for the same seed."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

_NUMBERS = [0, 1, -1, 127, 128, 255, 1 << 15, (1 << 16) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 62]
STRIKING = [
    *(b"\0", b"\xff", b"\x80", b"\x7f", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\x40"),
    *(b"\n", b"\r", b"\t", b'"', b",", b";", b"{", b"}", b"[", b"]", b"\\u", b"\\ud800", b"<", b">", b"\xef\xbb\xbf"),
    *(b"9" * 30, b"1e999", b"-1", b"NaN", b"null", b"{}", b"[]", b"\\u0000"),
]
MARKUP = [
    *STRIKING, b"<ph>", b"charset=",
    b"<", b">", b"&", b"&x;", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [", b"<seg>", b"</tu>", b"<tu>",
    b"<mrk mtype='seg'>", b"<target>", b"</source>", b" translate='no'", b' xml:lang="de"', b"\0", b"\xff\xfe", b"\xe9",
    b"\n", b"\r", b'"', b"\\", b"\\x", b"\\400", b"msgid ", b'msgstr "', b"msgstr[1] ", b"#, fuzzy\n", b"#~ ",
    b"&#0;", b"&#xD800;", b"&#x110000;", b"\xef\xbb\xbf", b'encoding="utf-7"', b"srcLang='' ",
]  # fmt: skip


def mutated(whole: bytes, chance: random.Random, striking: Sequence[bytes] = STRIKING) -> bytes:
    content = bytearray(whole)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8, 30])):
        at = _place(len(content), chance)
        length = chance.choice([1, 2, 4, 8, 50])
        match chance.randrange(9):
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
            case 7:
                _change_number(content, at, chance)
            case 8 if chance.random() < 0.2:
                del content[at:]
    return bytes(content)


def _change_number(content: bytearray, at: int, chance: random.Random) -> None:
    """A length, a place or a count, as binary formats have them: a little more, a little less, or far too much."""
    size = chance.choice([1, 2, 4, 8])
    if at + size > len(content):
        return
    before = int.from_bytes(content[at : at + size], "little")
    after = chance.choice([before + 1, before - 1, before * 2, chance.choice(_NUMBERS)])
    content[at : at + size] = struct.pack("<Q", after % (1 << 64))[:size]


def _place(length: int, chance: random.Random) -> int:
    """Anywhere, or near the beginning or the end, where formats describe themselves."""
    if chance.random() < 0.5:
        return chance.randint(0, length)
    near = min(length, int(chance.expovariate(1 / 200)))
    return near if chance.random() < 0.5 else length - near
