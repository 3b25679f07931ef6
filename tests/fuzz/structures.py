"""Damage that keeps a file's form, so that it gets past the parser: JSON with odd values, tensors with odd headers."""

from __future__ import annotations

import copy
import json
import random
import struct
from typing import Any

from mutations import mutated

ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 15, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, 10**30),
    *(0.0, -0.5, 2.5, 1e308, float("inf"), float("nan"), "", "a", "\0", "\ud800", "é🙂", "..", "../a", "/etc", "a/b"),
    *([], {}, [[]], [None], [0], ["a"], [1 << 62, 4], {"": ""}, {"a": {}}),
]


def json_mutated(whole: bytes, chance: random.Random) -> bytes:
    """Bytes now and then, values most often."""
    try:
        parsed = json.loads(whole)
    except (ValueError, RecursionError):
        return mutated(whole, chance)
    if chance.random() < 0.2:
        return mutated(whole, chance)
    return json.dumps(changed(parsed, chance)).encode()


def changed(value: Any, chance: random.Random) -> Any:
    """The same with some values in it replaced, left out or put elsewhere."""
    holder = [value]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        places = list(_places(holder))
        container, key = chance.choice(places)
        match chance.randrange(6):
            case 0 if container is not holder:
                del container[key]
            case 1 if isinstance(container, dict):
                container[chance.choice(["a", "", "format", "\ud800", str(key) * 2])] = copy.deepcopy(container[key])
            case 1 if container is not holder:
                container.append(copy.deepcopy(container[key]))
            case 2:
                other, place = chance.choice(places)
                container[key] = copy.deepcopy(other[place])
            case 3 if isinstance(container[key], int | float):
                container[key] = chance.choice([container[key] + 1, container[key] - 1, -container[key]])
            case _:
                container[key] = copy.deepcopy(chance.choice(ODD))
    return holder[0]


def _places(value: Any) -> Any:
    """(container, key) of every value inside, however deep."""
    inside = list(enumerate(value)) if isinstance(value, list) else list(value.items())
    for key, inner in inside:
        yield value, key
        if isinstance(inner, list | dict):
            yield from _places(inner)


def pieces_mutated(whole: bytes, chance: random.Random) -> bytes:
    """A SentencePiece model: its pieces, its settings, the compiled rules of its normalisation, or any of its bytes."""
    from google.protobuf.message import DecodeError
    from sentencepiece import sentencepiece_model_pb2

    try:
        model = sentencepiece_model_pb2.ModelProto.FromString(whole)  # type: ignore[attr-defined]
    except DecodeError:
        return mutated(whole, chance)
    rules = model.normalizer_spec.precompiled_charsmap
    piece = chance.choice(model.pieces)
    match chance.randrange(9):
        case 0:
            return mutated(whole, chance)
        case 1:
            piece.score = chance.choice([float("nan"), float("inf"), -float("inf"), 1e38, -1e38, 0.0])
        case 2:
            piece.piece = chance.choice(["", "a" * 100_000, "\0", "<0x41>", "▁", "▁▁", model.pieces[0].piece])
        case 3:
            piece.type = chance.choice([1, 2, 3, 4, 5, 6])
        case 4:
            del model.pieces[chance.randrange(len(model.pieces)) :]
        case 5:
            model.trainer_spec.model_type = chance.choice([1, 2, 3, 4])
            model.trainer_spec.byte_fallback = chance.random() < 0.5
            model.trainer_spec.unk_id = chance.choice([0, -1, 5, 1000, (1 << 31) - 1])
        case 6:
            model.normalizer_spec.add_dummy_prefix = chance.random() < 0.5
            model.normalizer_spec.remove_extra_whitespaces = chance.random() < 0.5
            model.normalizer_spec.escape_whitespaces = chance.random() < 0.5
        case 7:
            at = 4 * chance.randrange(len(rules) // 4) if len(rules) > 4 else 0
            rules = rules[:at] + chance.choice([b"\xff" * 4, b"\0" * 4, chance.randbytes(4)]) + rules[at + 4 :]
            model.normalizer_spec.precompiled_charsmap = rules
        case 8:
            rules = chance.choice([b"", b"\0", rules[:-1], rules.rstrip(b"\0"), b"\4\0\0\0" + rules[4:], rules[:4096]])
            model.normalizer_spec.precompiled_charsmap = rules
    changed_model: bytes = model.SerializePartialToString()
    return changed_model


def tokenizer_mutated(whole: bytes, chance: random.Random) -> bytes:
    """A tokenizer.json with parts that multiply a text or try for ever, nested and repeated, or as json_mutated."""
    try:
        described = json.loads(whole)
    except (ValueError, RecursionError):
        described = None
    if chance.random() < 0.4 or not isinstance(described, dict):
        return json_mutated(whole, chance)
    letter, other = chance.choice("ae A"), chance.choice("ae ﬁ\ufdfa")
    times = chance.choice([1, 2, 5, 20, 300, 100_000])
    expression = chance.choice(
        [*("(a+)+$", "(a|a)*b", "(?:a?){30}", ".*.*.*.*.*b", "", "(?=a)", "a{0,9999}{0,9999}", "(", "[[", r"\g<0>")]
    )
    parts = {
        "normalizer": [
            {"type": "Replace", "pattern": {"String": letter}, "content": other * times},
            {"type": "Replace", "pattern": {"Regex": expression}, "content": other * times},
            {"type": "Prepend", "prepend": letter * times},
            *({"type": kind} for kind in ("NFKD", "NFKC", "Lowercase", "ByteLevel", "Sideways")),
        ],
        "pre_tokenizer": [
            {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False},
        ],
    }
    kind = chance.choice(list(parts))
    members = chance.choices(parts[kind], k=chance.choice([1, 2, 8, 40]))
    made: dict[str, Any] = {"type": "Sequence", f"{kind}s": members * chance.choice([1, 1, 8])}
    for _ in range(chance.choice([0, 1, 8, 60])):
        made = {"type": "Sequence", f"{kind}s": [made]}
    if chance.random() < 0.5 and described.get(kind):
        made[f"{kind}s"].insert(0, described[kind])
    return json.dumps({**described, kind: made}).encode()


def tensors_mutated(whole: bytes, chance: random.Random) -> bytes:
    """A safetensors file: its header's values, its numbers, or any of its bytes."""
    length = int.from_bytes(whole[:8], "little")
    header, data = whole[8 : 8 + length], whole[8 + length :]
    match chance.randrange(5):
        case 0:
            return mutated(whole, chance)
        case 1:
            return whole[: 8 + length] + mutated(data, chance)
        case 2:
            return whole[: 8 + length] + numbers_mutated(data, chance)
        case _:
            header = json_mutated(header, chance)
            header += b" " * (-len(header) % 64 if chance.random() < 0.8 else 0)
    return len(header).to_bytes(8, "little") + header + data


def numbers_mutated(whole: bytes, chance: random.Random) -> bytes:
    """Floats, some of which become others that are not finite, huge or tiny."""
    odd = chance.choice([float("nan"), float("inf"), -float("inf"), 3e38, -1e30, 1e18, 1e-38, -0.0])
    content, packed = bytearray(whole), struct.pack("<f", odd)
    for _ in range(chance.choice([1, 2, 50])):
        at = 4 * chance.randrange(max(len(whole) // 4, 1))
        content[at : at + 4] = packed
    return bytes(content)
