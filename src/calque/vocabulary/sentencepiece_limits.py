"""Limits on what a SentencePiece model may ask for, checked before SentencePiece sees it.

Its compiled rules may turn one character into megabytes, and SentencePiece then ends the whole process. The rules that
it makes itself turn one into 33 bytes at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ModelError

LONGEST_REPLACEMENT = 256  # bytes

_PIECES, _NORMALIZER, _CHARSMAP = 1, 3, 2  # numbers of fields in sentencepiece_model.proto
_SIZES = {1: 8, 5: 4}  # of numbers of fixed width, by their wire type
_KEY = (1 << 32) - 1
_ONE_BYTE = 128  # what a varint of one byte stays below


def check_rules(model: bytes) -> None:
    """
    Raises:
        ModelError: its rules may make a text many times as long, or it is no model.
    """
    try:
        for rules in _fields(model, _NORMALIZER):
            for charsmap in _fields(rules, _CHARSMAP):
                _check(charsmap)
    except (IndexError, ValueError) as problem:
        raise ModelError(f"SentencePiece cannot open the vocabulary: {problem}") from problem


def _check(charsmap: bytes) -> None:
    """A map of the size given first, then replacements, each with a NUL behind it."""
    replacements = charsmap[4 + int.from_bytes(charsmap[:4], "little") :]
    longest = max(map(len, replacements.split(b"\0")))
    if longest > LONGEST_REPLACEMENT:
        raise ModelError(
            f"this vocabulary is refused: its rules may turn a character into {longest:,} bytes, "
            f"expected at most {LONGEST_REPLACEMENT:,}",
            hint="leave it alone unless you trust its source; SentencePiece would run out of memory or time",
        )


def _fields(message: bytes, wanted: int) -> Iterator[bytes]:
    """The contents of a field each time that a protobuf message has it.

    Raises:
        IndexError, ValueError: it is no such message.
    """
    at, end, piece = 0, len(message), _PIECES << 3 | 2
    while at < end:
        while at + 1 < end and message[at] == piece and wanted != _PIECES and message[at + 1] < _ONE_BYTE:
            at += 2 + message[at + 1]  # nearly all there is: tens of thousands of short pieces
        if at >= end:
            break
        key, at = _varint(message, at)
        key &= _KEY  # as protobuf reads it
        kind = key & 7
        if kind == 0:
            _, at = _varint(message, at)
        elif kind == 2:
            size, at = _varint(message, at)
            if key >> 3 == wanted:
                yield message[at : at + size]
            at += size
        elif kind in _SIZES:
            at += _SIZES[kind]
        else:
            raise ValueError(f"it has a field of type {kind}")
    if at > end:
        raise ValueError("it is cut short")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and the place behind it."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < _ONE_BYTE:
            return value, at
        if shift > 63:
            raise ValueError("it has a number that is too long")
