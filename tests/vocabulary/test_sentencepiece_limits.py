"""A SentencePiece model whose rules would fill the memory is refused before SentencePiece sees it."""

from __future__ import annotations

import pytest

from calque.errors import ModelError
from calque.model import Model
from calque.vocabulary.sentencepiece import SentencePieceVocabulary
from calque.vocabulary.sentencepiece_limits import LONGEST_REPLACEMENT, check_rules

KEY_OF_RULES, KEY_OF_CHARSMAP = b"\x1a", b"\x12"


@pytest.fixture
def small_pieces(small_model: Model) -> SentencePieceVocabulary:
    assert isinstance(small_model.vocabulary, SentencePieceVocabulary)
    return small_model.vocabulary


def with_charsmap(vocabulary: SentencePieceVocabulary, charsmap: bytes) -> bytes:
    proto = vocabulary._proto()
    proto.normalizer_spec.precompiled_charsmap = charsmap
    return bytes(proto.SerializeToString())


def varint(number: int) -> bytes:
    high, low = divmod(number, 128)
    return bytes([low | 128]) + varint(high) if high else bytes([low])


def field(key: bytes, content: bytes) -> bytes:
    return key + varint(len(content)) + content


def replacing(size: int) -> bytes:
    """A map of no size, and one replacement."""
    return bytes(4) + b"x" * size + b"\0"


def test_rules_of_its_own_are_allowed(small_pieces: SentencePieceVocabulary) -> None:
    assert len(small_pieces.charsmap) > 10_000
    check_rules(small_pieces.model)


def test_rules_that_make_megabytes_of_a_character_are_refused(small_pieces: SentencePieceVocabulary) -> None:
    """Without the limit, a hundred letters end the whole process."""
    content = small_pieces.charsmap
    size = 4 + int.from_bytes(content[:4], "little")
    forged = content[:size] + content[size:].replace(b"\0", b"x") + b"x" * 20_000_000 + b"\0"
    model = with_charsmap(small_pieces, forged)
    for opens in (SentencePieceVocabulary, lambda model: SentencePieceVocabulary(model, small_pieces.size)):
        with pytest.raises(ModelError, match=r"this vocabulary is refused: its rules may turn .* 20,\d{3},\d{3} bytes"):
            opens(model).encode(["A" * 100])


@pytest.mark.parametrize(
    "key",
    [KEY_OF_RULES, b"\x9a\x00", b"\x9a\x80\x80\x80\x10"],
    ids=["plain", "longer than need be", "of more than 32 bits, as protobuf cuts it"],
)
@pytest.mark.parametrize(
    "before", [b"", field(KEY_OF_RULES, b""), b"\x28\x01", b"\x2d" + bytes(4), field(b"\x0a", b"a")]
)
def test_rules_are_found_wherever_they_lie(small_pieces: SentencePieceVocabulary, key: bytes, before: bytes) -> None:
    rules = field(b"\x0a", b"name") + field(KEY_OF_CHARSMAP, replacing(LONGEST_REPLACEMENT + 1))
    with pytest.raises(ModelError, match="refused"):
        check_rules(small_pieces.model + before + field(key, rules) + field(b"\x0a", b"a" * 300))
    few = field(KEY_OF_CHARSMAP, replacing(LONGEST_REPLACEMENT))
    check_rules(small_pieces.model + before + field(key, few))


@pytest.mark.parametrize(
    "model", [b"\x1a", b"\x1a\xff\x01", b"\x0b", b"\x0a", b"\x0a\x05a", b"\x80" * 20, b"\x1a\x02\x12\x09"]
)
def test_what_is_no_model_is_an_error(model: bytes) -> None:
    with pytest.raises(ModelError, match="SentencePiece cannot open the vocabulary"):
        check_rules(model)
