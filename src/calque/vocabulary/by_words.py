"""Whether a Hugging Face tokenizer cuts a text as it cuts the text's words, one by one.

That is decided from what it is made of, by a list of parts that are known: whatever is not on it counts as reading
texts whole. In a text's way to its tokens come added tokens, normalizers, pre-tokenizers, the model and the
post-processor. Only U+0020 separates words here, as in the kernel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from .tokenizer_normaliser import uncomposed

Part = dict[str, Any]  # of tokenizer.json

# A space is like the edge of the text to them: they look at one character, or at one and the marks that follow it.
_LOCAL = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled", "Strip", "StripAccents"}
_SQUEEZED = {" +", " {2,}", r"\s+", r"\s{2,}"}  # regular expressions
_STRIPPED_RIGHT = r" +\z"
_STRIPPED = {r"\A +", _STRIPPED_RIGHT}
_WHITE_SPACE_SPLITTERS = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
# What they do to a word depends on nothing but the word.
_INSIDE_WORDS = _WHITE_SPACE_SPLITTERS | {
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "Punctuation",
    "Split",
    "UnicodeScripts",
}


class Reading(NamedTuple):
    by_words: bool
    folds_case: bool = False
    added: re.Pattern[str] | None = None  # words with added tokens in them are read with their neighbours


def reading_of(tokenizer: Any) -> Reading:
    """Of a tokenizers.Tokenizer that neither truncates nor pads."""
    normalizers, pre_tokenizers = _parts(tokenizer.normalizer), _parts(tokenizer.pre_tokenizer)
    added = list(tokenizer.get_added_tokens_decoder().values())
    by_words = (
        _cuts_at_spaces(normalizers, pre_tokenizers, tokenizer)
        and not _draws_lots(tokenizer.model)
        and all(map(_leaves_tokens, _parts(tokenizer.post_processor)))
        and not any(_spans_words(token, tokenizer.normalizer) for token in added)
    )
    if not by_words:
        return Reading(False)
    names = re.compile("|".join(re.escape(token.content) for token in added), re.IGNORECASE) if added else None
    return Reading(True, _folds_case(tokenizer.normalizer, normalizers), names)


def _parts(part: Any) -> list[Part]:
    """A tokenizer's normalizer, pre-tokenizer or post-processor as the list of what it does in turn."""
    return _flat(json.loads(part.__getstate__())) if part is not None else []


def _flat(part: Part) -> list[Part]:
    if part["type"] != "Sequence":
        return [part]
    (members,) = (value for name, value in part.items() if name != "type")
    return [inner for member in members for inner in _flat(member)]


def _cuts_at_spaces(normalizers: Sequence[Part], pre_tokenizers: Sequence[Part], tokenizer: Any) -> bool:
    if not pre_tokenizers or any(part["type"] not in _INSIDE_WORDS for part in pre_tokenizers):
        return False
    if any(part["type"] == "Metaspace" and part["prepend_scheme"] == "first" for part in pre_tokenizers):
        return False  # a word would depend on whether it comes first
    first = pre_tokenizers[0]
    if first["type"] in _WHITE_SPACE_SPLITTERS:
        return all(_is_local(part, " ") for part in normalizers)
    if first["type"] != "Metaspace" or first["prepend_scheme"] != "always":
        return False
    mark = first["replacement"]
    tidy = all(_is_local(part, f" {mark}") for part in normalizers) and _leaves_single_spaces(normalizers)
    return tidy and (first["split"] or (len(pre_tokenizers) == 1 and _has_no_piece_across(mark, tokenizer)))


def _is_local(normalizer: Part, spaces: str) -> bool:
    """`spaces`: what a run of white space may be replaced by."""
    if normalizer["type"] != "Replace":
        return normalizer["type"] in _LOCAL
    expression, content = normalizer["pattern"].get("Regex"), normalizer["content"]
    if expression is not None:
        if expression in _STRIPPED:
            return bool(content == "")
        return (expression in _SQUEEZED and content in tuple(spaces)) or bool(expression == uncomposed())
    pattern = normalizer["pattern"]["String"]
    return bool(pattern) and not re.search(r"\s", pattern)


def _leaves_single_spaces(normalizers: Sequence[Part]) -> bool:
    """Whether the last of them strip the end and squeeze runs of spaces, each of which would become a token."""
    strips = squeezes = False
    for part in reversed(normalizers):
        if part["type"] == "Strip":
            strips = strips or part["strip_right"]
        elif part["type"] == "Replace" and "Regex" in part["pattern"]:
            strips = strips or part["pattern"]["Regex"] == _STRIPPED_RIGHT
            squeezes = squeezes or part["pattern"]["Regex"] in _SQUEEZED
        else:
            break
    return strips and squeezes


def _has_no_piece_across(mark: str, tokenizer: Any) -> bool:
    """Whether every mark of a space begins a piece.

    Then the best cut of a text is made of the best cuts of its words, even where it was not split into words before:
    with Unigram, whose scores add up, and with BPE, whose merges are local. The mark alone must be a piece, or
    unknown characters on both sides of it would become one.
    """
    if type(tokenizer.model).__name__ not in ("BPE", "Unigram"):
        return False
    pieces = tokenizer.get_vocab(with_added_tokens=False)
    return mark in pieces and not any(mark in piece[1:] for piece in pieces)


def _draws_lots(model: Any) -> bool:
    """Whether it cuts the same word now this way, now that."""
    return any(getattr(model, name, None) for name in ("dropout", "alpha", "nbest_size"))


def _leaves_tokens(post_processor: Part) -> bool:
    """Without special tokens, which nobody asks for here."""
    if post_processor["type"] != "TemplateProcessing":
        return post_processor["type"] in ("BertProcessing", "ByteLevel", "RobertaProcessing")
    return [piece["Sequence"]["id"] for piece in post_processor["single"] if "Sequence" in piece] == ["A"]


def _spans_words(token: Any, normalizer: Any) -> bool:
    """Whether an added token may begin in one word and end in another."""
    content = token.content
    if token.normalized and normalizer is not None:
        content += normalizer.normalize_str(content)
    return bool(re.search(r"[\s\u2581]", content))


def _folds_case(normalizer: Any, normalizers: Sequence[Part]) -> bool:
    """In ASCII words, each character of which is normalized for itself unless some pattern is replaced."""
    if normalizer is None or any(part["type"] == "Replace" and _has_letters(part["pattern"]) for part in normalizers):
        return False
    fold: Callable[[str], str] = normalizer.normalize_str
    return all(fold(letter) == fold(letter.lower()) for letter in ascii_uppercase)


def _has_letters(pattern: dict[str, str]) -> bool:
    return bool(re.search("[A-Za-z]", pattern.get("String", "")))
