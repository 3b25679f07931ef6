"""tokenizer.json cuts text as SentencePiece does, whatever the text: the same ids, those of unknown pieces aside."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.demo import sentences
from calque.model import Model
from calque.model.tokenizer import tokenizer_json
from calque.surrogates import without_surrogates
from calque.vocabulary import Vocabulary
from calque.vocabulary.normalise import normalise
from calque.vocabulary.sentencepiece import SPACE, SentencePieceVocabulary
from strategies import texts as odd_texts

tokenizers = pytest.importorskip("tokenizers")

Check = Callable[[Sequence[str]], None]

# But for ideographs and syllables, which no rule is about.
ASSIGNED = [
    character
    for character in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(character) not in ("Cn", "Co", "Cs")
    and not unicodedata.name(character, "").startswith(("CJK UNIFIED", "HANGUL SYLLABLE", "TANGUT", "EGYPTIAN"))
]
SETTLED = [character for character in ASSIGNED if ord(character) < 0x2C00]  # no library is older than these
COMPOSED = [character for character in SETTLED if unicodedata.normalize("NFD", character) != character]
MARKS = [character for character in SETTLED if unicodedata.combining(character)]


@pytest.fixture(scope="module")
def alike(small_model: Model) -> Check:
    """Fails unless all texts have the same pieces either way, in a vocabulary that knows every character by itself."""
    assert isinstance(small_model.vocabulary, SentencePieceVocabulary)
    known = (set("".join(map(normalise, ASSIGNED))) | {SPACE, *"하한핛ガパ"}) - {"\0"}
    vocabulary = small_model.vocabulary.of_pieces([(character, -9.0) for character in sorted(known)] + [("▁dog", -3.0)])
    return checked(vocabulary)


def checked(vocabulary: Vocabulary) -> Check:
    described = tokenizer_json(vocabulary)
    assert described is not None
    tokenizer = tokenizers.Tokenizer.from_str(described)

    def check(texts: Sequence[str]) -> None:
        theirs = [encoded.ids for encoded in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        for text, got, expected in zip(texts, theirs, vocabulary.encode(texts), strict=True):
            # Two cuts of a word may be as likely as each other; the order of pieces does not matter to a mean.
            assert sorted(id for id in got if id != vocabulary.unknown) == sorted(expected), ascii(text)

    return check


def test_sentences_are_cut_alike(small_model: Model) -> None:
    alike = checked(small_model.vocabulary)
    for lines in sentences().values():
        alike([*lines, *(line.upper() for line in lines), *(line.replace(" ", "") for line in lines)])
        alike([unicodedata.normalize("NFD", line.upper()) for line in lines])


@pytest.mark.parametrize("frame", ["{}dog", "A{}b {}"])
def test_every_character_is_read_alike(alike: Check, frame: str) -> None:
    alike([frame.replace("{}", character) for character in ASSIGNED])


def test_every_composed_character_is_read_alike_when_it_is_taken_apart(alike: Check) -> None:
    alike([unicodedata.normalize("NFD", f"a{character}e") for character in COMPOSED])
    alike([unicodedata.normalize("NFD", f"a{character}e".upper()) for character in COMPOSED])


def test_marks_after_any_letter_are_read_alike(alike: Check) -> None:
    draw = random.Random(1)
    alike([f"{letter}\u0301{draw.choice(MARKS)}e" for letter in SETTLED])
    alike([f"{letter}{draw.choice(MARKS)}{draw.choice(MARKS)}e" for letter in SETTLED])
    alike([f"{draw.choice('aeoAEOâÂ')}{one}{two}" for one in MARKS for two in draw.sample(MARKS, 20)])


@pytest.mark.parametrize(
    "text",
    [
        "<unk>",
        "an <unk> piece",
        "dog<UNK>cat",
        "<s> dog </s> [UNK]",
        "E\u0301TE\u0301",  # capitals with accents of their own
        "Ẹ\u0300kọ\u0301",  # Yoruba, whose tones have no composed form
        "А\u0301нна",  # Russian with its stress
        "a\u0302\u0301 \u00e2\u0301 a\u0323\u0302 \u00e2\u0323",  # Vietnamese, composed in part
        "مَدَّ مَدَّ",  # shadda and fatha in either order
        "ｶﾞﾊﾟ カ\u3099ハ\u309a",  # half-width and taken apart
        "\u1112\u1161\u11ab ㅎㅏㄴ 하ㄳ",  # Hangul by the letter
        "10～20〜30~40",
        "\x02a\x02 \x01\u0301b",
        "\u0301\u0301",
        "\u0344x\u0344",
        "\x85dog\x85",
        "\u2581dog \u2581\u2581 cat",
        "dog\u200d\u200ccat A\u200dB",
        "A\U0001f3fdB ©\ufe0f 1\ufe0f\u20e3",
    ],
    ids=ascii,
)
def test_what_other_rules_would_read_otherwise_is_read_alike(alike: Check, text: str) -> None:
    alike([text])


def test_text_may_be_long(small_model: Model) -> None:
    checked(small_model.vocabulary)(["a" * 5000, "dog " * 2000, "".join(sentences()["en"][:20]).replace(" ", "")])


@given(st.lists(odd_texts.map(without_surrogates), max_size=8))
def test_any_text_is_cut_alike(alike: Check, texts: list[str]) -> None:
    alike(texts)
