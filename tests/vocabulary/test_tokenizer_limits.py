"""A tokenizer.json that would take all memory or time is refused before it is opened; those in use are not."""

from __future__ import annotations

import base64
import json
from string import punctuation
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from calque.errors import ModelError
from calque.vocabulary.expressions import check_expression
from calque.vocabulary.tokenizer_json import TokenizerVocabulary
from calque.vocabulary.tokenizer_limits import MOST_GROWTH, check_definition

GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT_4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
GPT_4O = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def charsmap(replacement: str) -> str:
    """Compiled rules as they lie in a file: a map of the size given first, then replacements that end with NUL."""
    return base64.b64encode((4).to_bytes(4, "little") + bytes(4) + replacement.encode() + b"\0").decode()


def definition(**parts: Any) -> bytes:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "dog": 2}, unk_token="[UNK]"))
    return json.dumps({**json.loads(tokenizer.to_str()), **parts}).encode()


def written(part: Any) -> Any:
    return json.loads(part.__getstate__())


def replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def replace_all(expression: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": expression}, "content": new}


def sequence(*members: Any) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(members)}


PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": charsmap("صلى الله عليه وسلم")}

IN_USE = {
    "BERT": written(normalizers.BertNormalizer()),
    "XLM-R": sequence(PRECOMPILED, replace_all(" {2,}", " ")),
    "ALBERT": sequence(
        *(replace("``", '"'), replace("''", '"'), {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}),
        *(PRECOMPILED, replace_all(" {2,}", " ")),
    ),
    "T5": sequence(PRECOMPILED, {"type": "Strip", "strip_left": False, "strip_right": True}, replace_all(" {2,}", "▁")),
    "Llama": sequence({"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")),
    "CLIP": sequence({"type": "NFC"}, replace_all(r"\s+", " "), {"type": "Lowercase"}),
    "potion": sequence(
        written(normalizers.BertNormalizer()),
        *(replace(mark, f" {mark} ") for mark in punctuation),
        *(replace_all(r"\s+", " "), {"type": "Strip", "strip_left": True, "strip_right": True}),
    ),
    "bytes": written(normalizers.ByteLevel()),
    "none": None,
}


@pytest.mark.parametrize("name", IN_USE)
def test_normalizers_in_use_are_allowed(name: str) -> None:
    check_definition(definition(normalizer=IN_USE[name]))


@pytest.mark.parametrize(
    "expression", [GPT_2, GPT_4, GPT_4O, CLIP, r"\s+", " {2,}", r"[\n\r\x0b\x0c]{1,8}", r"\[[(+*]+"]
)
def test_splitters_in_use_are_allowed(expression: str) -> None:
    splitter = pre_tokenizers.Split(Regex(expression), "isolated")
    made = definition(pre_tokenizer=written(pre_tokenizers.Sequence([splitter, pre_tokenizers.ByteLevel(False)])))
    assert TokenizerVocabulary(made, None).size == 3


def nested(part: dict[str, Any], times: int) -> dict[str, Any]:
    for _ in range(times):
        part = sequence(part)
    return part


BERT = written(normalizers.BertNormalizer())
GROWING = {
    "eight nested": nested(sequence(*[replace("a", "a" * 20)] * 8), 8),
    "back and forth": sequence(*[replace("a", "bbbb"), replace("b", "aaaa")] * 4),
    "by capitals": sequence(*[replace("a", "AAAA"), {"type": "Lowercase"}] * 6),
    "by Unicode's forms": sequence(*[replace(" ", "\ufdfa"), {"type": "NFKD"}] * 8),
    "by ligatures": sequence(*[replace("f", "ﬃﬃﬃ"), {"type": "NFKC"}] * 4),
    "between characters": sequence(*[replace_all("", "bb")] * 8),
    "by expressions": sequence(*[replace_all(".", "bbbbbb")] * 5),
    "by empty strings": sequence(*[replace("", "xx")] * 8),
    "as bytes": sequence(*[{"type": "ByteLevel"}] * 6),
    "by rules": {"type": "Precompiled", "precompiled_charsmap": charsmap("a" * (MOST_GROWTH + 1))},
    "by rules again and again": sequence(*[PRECOMPILED] * 3),
    "at once": replace("a", "a" * 10_000),
    "a hundredfold": replace("a", "b" * 100),
    "in front": sequence(*[{"type": "Prepend", "prepend": "a" * 200}] * 8),
    "many": sequence(*[{"type": "Lowercase"}] * 1000),
    "by BERT's small letters": sequence(replace("z", "A" * 80), BERT, replace("a", "z" * 80)),
    "by BERT's bare letters": sequence(replace("z", "á" * 80), BERT, replace("a", "z" * 80)),
    "by spaces of many kinds": sequence(replace("z", "\u2028" * 99), {"type": "Nmt"}, replace(" ", "z" * 99)),
    "by composing": sequence(replace("z", "e\u0301" * 99), {"type": "NFC"}, replace("é", "z" * 99)),
    "by composing, compatibly": sequence(replace("z", "e\u0301" * 99), {"type": "NFKC"}, replace("é", "z" * 99)),
}


@pytest.mark.parametrize("name", GROWING)
def test_normalizers_that_blow_a_text_up_are_refused(name: str) -> None:
    made = definition(normalizer=GROWING[name])
    for opens in (TokenizerVocabulary.without_unknown, lambda content: TokenizerVocabulary(content, None)):
        with pytest.raises(ModelError, match="this vocabulary is refused: ") as problem:
            opens(made)
        assert "trust" in str(problem.value.hint)


def test_rules_that_end_before_their_trie_are_refused_before_memory_is_asked_for() -> None:
    short = base64.b64encode(b"\xff\xff\xff\x7fabc").decode()
    made = definition(normalizer={"type": "Precompiled", "precompiled_charsmap": short})
    with pytest.raises(ModelError, match="precompiled_charsmap holds 7 bytes, expected 2,147,483,651 or more"):
        TokenizerVocabulary.without_unknown(made)


def test_what_is_opened_only_for_the_first_text_is_refused_then() -> None:
    vocabulary = TokenizerVocabulary(definition(normalizer=GROWING["eight nested"]), None, size=3)
    with pytest.raises(ModelError, match="its normalizers make more than 64 characters of one"):
        vocabulary.encode(["a dog"])


BACKTRACKING = [
    *(r"(a+)+$", r"(a|a)*$", r"(?:a|aa)+$", r"(?:a*)*", r"a+*", r"(a?a?)*b", "a?" * 30 + "a" * 30, "(a|a)" * 30),
    *(r".*.*.*.*.*.*=", r"(a{0,1000}){0,1000}", r"((a|b){16}){16}", r"((a|aa){3}){5}b", r"([ab]|[a])+"),
    *("a*a*a*a*b", "a{1,16}a{1,16}a{1,16}a{1,16}b", "(a|aa|aaa|aaaa)" * 7, r"\x{(a+)+$}", r"\o{(a+)+$}", r"\u{(a+)+$}"),
    *("(?Wx)#[\n(a+)+$", "(?~b)(?~b)(?~b)(?~b)c", "((?~b))*", "(?y{g})a", "(?@a)", "(?{a})", "(?<a)(?=b)(?#c)"),
    *("(?x)#[\n(a+)+$", r"\c[(a+)+$]", r"(?#[)(a+)+]", r"(?<x>a\g<x>?)", r"(a)\1*", r"(?<x>a)\k<x>", r"[\c](a+)+"),
]


@pytest.mark.parametrize("expression", BACKTRACKING)
@pytest.mark.parametrize("kind", ["normalizer", "pre_tokenizer"])
def test_expressions_that_backtrack_for_ever_are_refused(kind: str, expression: str) -> None:
    part = replace_all(expression, "")
    if kind == "pre_tokenizer":
        part = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    with pytest.raises(ModelError, match=f"a regular expression in its {kind} (repeats|has)"):
        check_definition(definition(**{kind: part}))


def test_an_expression_is_refused_for_its_length() -> None:
    with pytest.raises(ValueError, match="has 300,000 characters"):
        check_expression("a" * 300_000)


def test_templates_that_repeat_a_text_are_refused() -> None:
    template = written(processors.TemplateProcessing(single="$A $A", pair="$A $B"))
    twice = definition(post_processor=template)
    check_definition(twice)
    again = definition(post_processor={"type": "Sequence", "processors": [template] * 12})
    with pytest.raises(ModelError, match="its templates repeat each text 4096 times"):
        check_definition(again)


@pytest.mark.parametrize("marks", ["xy", "  "])
def test_marks_before_marks_are_refused(marks: str) -> None:
    """Metaspaces of two marks, each of which cuts at its own: a text has more parts with each."""
    some = [pre_tokenizers.Metaspace(mark) if mark != " " else pre_tokenizers.ByteLevel(True) for mark in marks]
    check_definition(definition(pre_tokenizer=written(pre_tokenizers.Sequence(some))))
    part = written(pre_tokenizers.Sequence(some * 15))
    with pytest.raises(ModelError, match="it puts a mark before each word 30 times over"):
        check_definition(definition(pre_tokenizer=part))


def test_words_that_take_the_square_of_their_length_are_refused() -> None:
    model = json.loads(Tokenizer(models.WordPiece({"a": 0}, max_input_chars_per_word=10**9)).to_str())["model"]
    with pytest.raises(ModelError, match="it cuts words of up to 1,000,000,000 characters"):
        check_definition(definition(model=model))


def test_a_piece_of_unigram_that_is_freed_by_too_deep_a_recursion_is_refused() -> None:
    def model(size: int) -> dict[str, Any]:
        return {"type": "Unigram", "unk_id": 0, "vocab": [["[UNK]", 0.0], ["é" * size, -1.0]], "byte_fallback": False}

    assert TokenizerVocabulary(definition(model=model(500)), None).size == 2
    with pytest.raises(ModelError, match="it has a piece of 2,000,000 bytes, expected at most 1,000"):
        check_definition(definition(model=model(1_000_000)))


@pytest.mark.parametrize("name", ["continuing_subword_prefix", "end_of_word_suffix"])
def test_marks_that_every_piece_of_a_word_would_get_are_short(name: str) -> None:
    model = json.loads(Tokenizer(models.BPE({"a": 0}, [])).to_str())["model"]
    check_definition(definition(model={**model, name: "##"}))
    with pytest.raises(ModelError, match=f"its {name} has 1,000,000 characters, expected at most 256"):
        check_definition(definition(model={**model, name: "#" * 1_000_000}))


def test_a_name_that_comes_twice_is_refused() -> None:
    content = definition(normalizer=IN_USE["BERT"]).replace(b'"normalizer":', b'"normalizer": null, "normalizer":', 1)
    with pytest.raises(ModelError, match="names the same thing twice"):
        check_definition(content)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"[" * 100_000, b'{"normalizer": 5}', b'{"normalizer": {}}'])
def test_what_is_no_definition_is_an_error(content: bytes) -> None:
    with pytest.raises(ModelError, match="tokenizers cannot open the vocabulary"):
        check_definition(content)
