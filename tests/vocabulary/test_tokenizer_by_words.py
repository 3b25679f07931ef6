"""A tokenizer.json is read word by word where, and only where, that gives the tokens of the whole text."""

from __future__ import annotations

import base64
import json
import pickle
import sys
import unicodedata
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from calque.encoder import AverageEncoder
from calque.errors import ModelError, UsageError
from calque.vocabulary.tokenizer_json import TokenizerVocabulary
from foreign_folders import (
    BY_WORDS,
    EVERY,
    FOLDING,
    WHOLE,
    bpe,
    lowered,
    precompiled,
    random_rows,
    squeeze,
    strip_right,
    tokenizer,
    tokenizer_text,
    unigram,
)
from strategies import texts, words

ADDED = ["[MASK]", "[mask]", "[UNK]", "<mask>", "<MASK>", "a<mask>b", "<unk>", "<s>dog", "[CLS]x[SEP]", "▁dog", "do▁g"]
several_words = st.lists(st.one_of(words, st.sampled_from(ADDED), st.sampled_from(["", "a", "DOG", "dog"])), max_size=8)
any_text = st.one_of(texts, several_words.map(" ".join))


@cache
def vocabulary(kind: str) -> TokenizerVocabulary:
    return TokenizerVocabulary(tokenizer_text(kind).encode(), None)


@cache
def encoder(kind: str) -> AverageEncoder:
    """It stays warm from example to example."""
    made = vocabulary(kind)
    return AverageEncoder(made, random_rows(made.size))


@cache
def opened(definition: bytes) -> Tokenizer:
    return Tokenizer.from_buffer(definition)


@cache
def odd_marks() -> list[str]:
    """White space, control characters, and characters that become a space."""
    every = (chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF)
    return [
        mark
        for mark in every
        if mark.isspace()
        or unicodedata.category(mark) in ("Cc", "Cf", "Zs")
        or " " in unicodedata.normalize("NFKC", mark)
    ]


def assert_plain(encoder: AverageEncoder, several: list[str]) -> None:
    """Against the tokenizers library itself and exact means. Remembered sums are 16-bit numbers."""
    assert isinstance(encoder.vocabulary, TokenizerVocabulary)
    plain = opened(encoder.vocabulary.definition)
    clean = ["".join("\ufffd" if "\ud800" <= mark <= "\udfff" else mark for mark in text) for text in several]
    ids = [plain.encode(text, add_special_tokens=False).ids for text in clean]
    expected = [encoder.embeddings[each].mean(axis=0) if each else np.zeros(encoder.dimension) for each in ids]
    wrong = np.abs(encoder.encode(several) - expected).max(axis=1) > 2e-4
    assert [several[number] for number in np.flatnonzero(wrong)] == []


@pytest.mark.parametrize("kind", BY_WORDS)
def test_these_are_read_word_by_word(kind: str) -> None:
    made = vocabulary(kind)
    assert made.splits_at_spaces
    assert made.folds_case == (kind in FOLDING)


@pytest.mark.parametrize("kind", WHOLE)
def test_these_are_read_whole(kind: str) -> None:
    assert not vocabulary(kind).splits_at_spaces


@pytest.mark.parametrize("kind", [*BY_WORDS, *WHOLE])
@given(text=any_text)
@example(text="A\u00a0dog\u3000runs\u2028fast\x85.")
@example(text="\u0301 \u0301a \u200d b \u200d\u0301c")
@example(text="x ▁ y ▁dog dog▁ d▁og")
@example(text="a\0b \0 c")
@example(text="  two   dogs ")
@example(text="[MASK] [mask] a [MASK] <mask> b<mask>")
@example(text="\ud83d \ude42 x\udfffy")
@example(text="\u0600 \u0301 \u0600a")
@settings(max_examples=80)
def test_any_text_has_the_mean_of_the_rows_of_its_tokens(kind: str, text: str) -> None:
    assert_plain(encoder(kind), [text])


@pytest.mark.parametrize("kind", BY_WORDS)
@given(several=several_words)
@settings(max_examples=80)
def test_a_text_of_steady_words_has_their_tokens_one_by_one(kind: str, several: list[str]) -> None:
    made = vocabulary(kind)
    alone = made.encode(several)
    steady = made.steady_words(several, alone, 1)
    kept = [word for word, holds in zip(several, steady, strict=True) if holds and " " not in word]
    text = "  ".join(["", *kept, ""])
    assert made.encode([text])[0].tolist() == made.encode(kept).ids.tolist()


@pytest.mark.parametrize("kind", FOLDING)
@given(word=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12))
@example(word="[MASK]")
@example(word="<UNK>")
@settings(max_examples=80)
def test_where_case_is_folded_a_steady_ascii_word_has_the_tokens_of_its_small_letters(kind: str, word: str) -> None:
    made = vocabulary(kind)
    alone = made.encode([word])
    if made.steady_words([word], alone, 1)[0]:
        assert alone[0].tolist() == made.encode([word.lower()])[0].tolist()


@pytest.mark.parametrize("kind", BY_WORDS)
def test_nearly_all_real_words_are_steady(kind: str) -> None:
    made = vocabulary(kind)
    several = sorted({word for line in EVERY for word in line.split(" ")})
    assert made.steady_words(several, made.encode(several), 2).all()


@pytest.mark.parametrize("kind", [*BY_WORDS, *WHOLE])
def test_real_sentences_and_odd_marks_agree_in_a_batch(kind: str) -> None:
    assert len(odd_marks()) > 200
    marked = [f"The {mark}dog{mark}runs{mark} fast {mark} today" for mark in odd_marks()]
    assert_plain(encoder(kind), [*EVERY[::8], *marked])


def test_capitals_with_marks_are_not_mistaken_for_small_letters_with_marks() -> None:
    marks = [chr(point) for point in range(sys.maxunicode + 1) if unicodedata.combining(chr(point))][::7]
    for letter in "AHIKŁ":
        assert_plain(encoder("bert"), [letter.lower() + mark for mark in marks] + [letter + mark for mark in marks])


def changed(kind: str, **changes: Any) -> TokenizerVocabulary:
    """With parts of the tokenizer.json replaced."""
    described = json.loads(tokenizer_text(kind)) | changes
    return TokenizerVocabulary(json.dumps(described).encode(), None)


def test_what_is_not_known_to_go_by_words_does_not() -> None:
    def of(made: Tokenizer) -> bool:
        return TokenizerVocabulary(made.to_str().encode(), None).splits_at_spaces

    assert not changed("bert", pre_tokenizer=None).splits_at_spaces
    assert not of(unigram(precompiled(), squeeze("▁"), pre_tokenizer=pre_tokenizers.WhitespaceSplit()))
    assert not of(unigram(strip_right(), squeeze(), precompiled()))  # which may make spaces again
    assert not of(bpe(normalizers.Prepend("▁"), pre_tokenizers.WhitespaceSplit()))
    assert not of(bpe(normalizers.Replace(" ", "▁"), pre_tokenizers.WhitespaceSplit()))
    assert not of(bpe(None, pre_tokenizers.Sequence([pre_tokenizers.Digits(), pre_tokenizers.WhitespaceSplit()])))
    assert not of(bpe(None, pre_tokenizers.CharDelimiterSplit(" ")))
    across = unigram(*lowered)
    across.model = models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("▁a▁dog", -1.0)], unk_id=0)
    assert of(across)
    across.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    assert not of(across)


def test_random_cuts_are_read_whole() -> None:
    described = json.loads(tokenizer_text("bpe"))
    described["model"]["dropout"] = 0.5
    assert not TokenizerVocabulary(json.dumps(described).encode(), None).splits_at_spaces


@pytest.mark.parametrize("content", ["New York", "new\u00a0york", "a▁b"])
@pytest.mark.parametrize("normalized", [True, False])
def test_an_added_token_of_several_words_makes_texts_be_read_whole(content: str, normalized: bool) -> None:
    made = tokenizer("bert")
    made.add_tokens([AddedToken(content, normalized=normalized)])
    assert not TokenizerVocabulary(made.to_str().encode(), None).splits_at_spaces


def test_words_with_added_tokens_are_read_among_their_neighbours() -> None:
    made = tokenizer("bert")
    made.add_tokens([AddedToken("dogs", single_word=True, normalized=True), AddedToken("ca", lstrip=True, rstrip=True)])
    held = TokenizerVocabulary(made.to_str().encode(), None)
    assert held.splits_at_spaces
    assert_plain(
        AverageEncoder(held, random_rows(held.size)), ["the dogs run", "a cat DOGS ca t", "dogs,dogsca ca", "no"]
    )


def test_a_template_of_special_tokens_adds_none() -> None:
    made = tokenizer("bert")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    held = TokenizerVocabulary(made.to_str().encode(), None)
    assert held.splits_at_spaces
    assert held.encode(["the dog"])[0].tolist() == vocabulary("bert").encode(["the dog"])[0].tolist()


def test_a_template_that_says_all_twice_is_read_whole() -> None:
    made = tokenizer("bert")
    made.post_processor = processors.TemplateProcessing(single="$A $A", special_tokens=[])
    held = TokenizerVocabulary(made.to_str().encode(), None)
    assert not held.splits_at_spaces
    assert len(held.encode(["the dog"])[0]) == 2 * len(vocabulary("bert").encode(["the dog"])[0])


def test_truncation_and_padding_are_left_out() -> None:
    made = tokenizer("bert")
    made.enable_truncation(3)
    made.enable_padding(length=3)
    held = TokenizerVocabulary(made.to_str().encode(), None)
    assert held.splits_at_spaces
    for text in ("the", "the dog and the cat and the dog"):
        assert held.encode([text])[0].tolist() == vocabulary("bert").encode([text])[0].tolist()


@pytest.mark.parametrize("kind", ["bert", "gpt2", "new-xlm-r"])
def test_threads_make_no_difference(kind: str) -> None:
    one, two = (vocabulary(kind).encode(EVERY, threads=threads) for threads in (1, 2))
    assert one.ids.tolist() == two.ids.tolist()
    assert one.offsets.tolist() == two.offsets.tolist()


def test_the_unknown_token_is_left_out_where_that_is_asked_for() -> None:
    for kind, name in (("bert", "[UNK]"), ("new-xlm-r", "<unk>"), ("words", "[UNK]")):
        left_out = TokenizerVocabulary.without_unknown(tokenizer_text(kind).encode())
        assert left_out.unknown == tokenizer(kind).token_to_id(name)
        assert left_out.pieces[left_out.unknown] == name
        counted = vocabulary(kind).encode(["the 漢 dog"])[0].tolist()
        assert left_out.unknown in counted
        assert left_out.encode(["the 漢 dog"])[0].tolist() == [id for id in counted if id != left_out.unknown]
    assert TokenizerVocabulary.without_unknown(models_without_unknown()).unknown is None


def models_without_unknown() -> bytes:
    return Tokenizer(models.BPE({"a": 0, "b": 1}, [])).to_str().encode()


def test_an_unknown_word_and_no_unknown_token_is_an_error() -> None:
    made = TokenizerVocabulary(Tokenizer(models.WordLevel({"a": 0}, unk_token="[UNK]")).to_str().encode(), None)
    with pytest.raises(ModelError, match="tokenizers cannot cut a text by this vocabulary"):
        made.encode(["b"])


@pytest.mark.parametrize("kind", [*BY_WORDS, *WHOLE])
@given(text=any_text)
@settings(max_examples=40)
def test_a_trace_has_the_rows_of_the_tokens_and_words_in_order(kind: str, text: str) -> None:
    made = TokenizerVocabulary.without_unknown(tokenizer_text(kind).encode()) if kind == "bert" else vocabulary(kind)
    pieces = made.trace(text)
    assert [piece.row for piece in pieces if piece.row is not None] == made.encode([text])[0].tolist()
    assert [piece.word for piece in pieces] == sorted(piece.word for piece in pieces)


def test_a_trace_names_the_pieces_and_their_words() -> None:
    made = TokenizerVocabulary.without_unknown(tokenizer_text("bert").encode())
    pieces = made.trace(" The dog\u00a0漢 the.")
    assert [(piece.text, piece.word) for piece in pieces] == [("the", 0), ("dog", 1), ("漢", 2), ("the", 3), (".", 3)]
    assert pieces[2].row is None


def test_a_copy_by_pickle_cuts_alike() -> None:
    again = pickle.loads(pickle.dumps(vocabulary("bert")))
    assert again.encode(EVERY[:50]).ids.tolist() == vocabulary("bert").encode(EVERY[:50]).ids.tolist()


def test_it_opens_only_for_the_first_text_if_its_size_is_given() -> None:
    lazy = TokenizerVocabulary(b"no tokenizer", None, 5)
    with pytest.raises(ModelError, match="tokenizers cannot open the vocabulary"):
        lazy.encode(["a"])
    other = TokenizerVocabulary(tokenizer_text("bert").encode(), None, 5)
    with pytest.raises(ModelError, match=r"the vocabulary has \d+ tokens, but there are 5 rows"):
        other.encode(["a"])


@pytest.mark.parametrize("version", ["1.0.0rc1", "1.0.0", "2.3"])
def test_a_version_of_tokenizers_that_must_compile_first_is_refused(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr("tokenizers.__version__", version)
    with pytest.raises(UsageError, match=f"needs tokenizers below 1, got {version}") as refused:
        TokenizerVocabulary(tokenizer_text("bert").encode(), None)
    assert refused.value.hint == "pip install 'tokenizers<1'"


def test_a_definition_at_which_tokenizers_panics_is_an_error() -> None:
    described = json.loads(tokenizer_text("new-xlm-r"))
    replacements_that_are_no_text = base64.b64encode((8).to_bytes(4, "little") + b"abcdefgh\xff\xff").decode()
    described["normalizer"]["normalizers"][0]["precompiled_charsmap"] = replacements_that_are_no_text
    with pytest.raises(ModelError, match="tokenizers cannot open the vocabulary: Precompiled"):
        TokenizerVocabulary(json.dumps(described).encode(), None)
