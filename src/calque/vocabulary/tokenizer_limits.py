"""Limits on what a tokenizer.json may ask for, checked before `tokenizers` sees it.

A few hundred bytes can make a text a million times as long, or a regular expression try for hours, and `tokenizers`
then ends the whole process. Real definitions stay far below these limits.
"""

from __future__ import annotations

import base64
import binascii
import json
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import ModelError
from .expressions import check_expression

MOST_PARTS = 256  # of one kind, such as normalizers, those inside of others included
MOST_GROWTH = 64  # characters that normalizers may make of one; Unicode's own forms make 18 of U+FDFA
LONGEST_CONTENT = 256  # characters that a normalizer puts in, or that a model puts before or behind a piece
MOST_NAMED = 2048  # distinct characters that normalizers name
LONGEST_WORD = 1000  # characters of a word that WordPiece may cut, which takes time by their square or worse
LONGEST_PIECE = 1000  # bytes of a Unigram piece: `tokenizers` frees them by a recursion of that depth
MOST_PREFIXES = 2  # pre-tokenizers that put something before each part of a text

_HINT = "leave it alone unless you trust its source; `tokenizers` would run out of memory or time"
_KINDS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_FORMS = {"NFC", "NFD", "NFKC", "NFKD"}
_NEVER_GROWING = {"Strip", "StripAccents"}
_PREFIXING = {"ByteLevel", "Metaspace"}
# Regular expressions of squeezers and strippers, which match at least one character.
_NEVER_EMPTY = {" +", " {2,}", r"\s+", r"\s{2,}", r"\A +", r" +\z", r"^\s+", r"\s+$"}

Part = dict[str, Any]


def check_definition(definition: bytes) -> None:
    """
    Raises:
        ModelError: it is no JSON object, or asks for more than these limits.
    """
    try:
        described = json.loads(definition, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as problem:
        raise ModelError(f"tokenizers cannot open the vocabulary: {problem}") from problem
    if not isinstance(described, dict):
        raise ModelError("tokenizers cannot open the vocabulary: expected an object")
    try:
        parts = {kind: list(_flat(described.get(kind))) for kind in _KINDS}
        for kind, some in parts.items():
            if len(some) > MOST_PARTS:
                raise _refused(f"it has {len(some)} parts in its {kind}, expected at most {MOST_PARTS}")
            for part in some:
                _check_pattern(kind, part)
        _check_growth(parts["normalizer"])
        _check_prefixes(parts["pre_tokenizer"])
        _check_templates(parts["post_processor"])
        _check_model(described.get("model"))
    except (TypeError, KeyError, AttributeError, ValueError, RecursionError) as problem:
        raise ModelError(f"tokenizers cannot open the vocabulary: it is not understood: {problem!r}") from problem


def _refused(why: str) -> ModelError:
    return ModelError(f"this vocabulary is refused: {why}", hint=_HINT)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that comes twice may be read one way here and another way by `tokenizers`."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object names the same thing twice")
    return made


def _flat(part: Any) -> Iterator[Part]:
    """The parts that a part consists of; a Sequence counts, too, so that empty ones cannot nest for ever."""
    if part is None:
        return
    yield part
    if part["type"] == "Sequence":
        for value in part.values():
            for member in value if isinstance(value, list) else ():
                yield from _flat(member)


def _check_pattern(kind: str, part: Part) -> None:
    pattern = part.get("pattern")
    if isinstance(pattern, dict) and "Regex" in pattern:
        try:
            check_expression(pattern["Regex"])
        except ValueError as problem:
            raise _refused(f"a regular expression in its {kind} {problem}") from problem


class _Growth:
    """How many characters the normalizers from some part on make of one character, by character.

    They are gone through from the last to the first. Characters that no part names are alike. What Unicode's own forms
    make of a text's rare characters, eighteen at the most, is not counted for those.
    """

    def __init__(self) -> None:
        self.other = 1.0
        self.named: dict[str, float] = {}

    def of(self, text: str) -> float:
        return sum(self.named.get(character, self.other) for character in text)

    @property
    def most(self) -> float:
        return max([self.other, *self.named.values()])

    def at_least(self, characters: str, growth: float) -> None:
        for character in set(characters):
            self.named[character] = max(self.named.get(character, self.other), growth)

    def everywhere(self, change: Callable[[float], float]) -> None:
        self.other = change(self.other)
        self.named = {character: change(growth) for character, growth in self.named.items()}

    def through(self, form: Callable[[str], str], always: bool = True) -> None:
        """Named characters are first turned into others; unless `always`, they may also stay as they are."""
        for character in list(self.named):
            self.at_least(character.upper(), self.named[character])
        for character, before in list(self.named.items()):
            made = self.of(form(character))
            self.named[character] = made if always else max(before, made)

    def composed(self) -> None:
        """Several characters may first become one, such as a letter and its accent."""
        composed = [self.named[each] for each in self.named if unicodedata.decomposition(each)]
        if composed:
            self.everywhere(lambda before: max(before, *composed))


def _check_growth(normalizers: list[Part]) -> None:
    for part in normalizers:  # so that what a part makes of the characters that another puts in is known exactly
        if part["type"] in ("Replace", "Prepend") and len(_put_in(part)) > LONGEST_CONTENT:
            raise _refused(
                f"a normalizer puts in {len(_put_in(part)):,} characters, expected at most {LONGEST_CONTENT:,}"
            )
    growth = _Growth()
    named = {character for part in normalizers for character in _names(part)}
    if len(named) > MOST_NAMED:
        raise _refused(f"its normalizers name {len(named):,} different characters, expected at most {MOST_NAMED:,}")
    growth.named = dict.fromkeys(named, 1.0)
    put_before = 0.0
    for part in reversed(normalizers):
        if part["type"] == "Prepend":
            put_before += growth.of(_put_in(part))
        _grow(growth, part)
        if growth.most > MOST_GROWTH or put_before > LONGEST_CONTENT:
            raise _refused(f"its normalizers make more than {MOST_GROWTH} characters of one")


def _put_in(part: Part) -> str:
    return str(part["content"] if part["type"] == "Replace" else part["prepend"])


def _names(part: Part) -> str:
    if part["type"] == "Prepend":
        return _put_in(part)
    if part["type"] == "Replace":
        return _put_in(part) + str(part["pattern"].get("String", ""))
    return " "  # which BERT's puts around Chinese characters, and Nmt in place of others


def _grow(growth: _Growth, part: Part) -> None:
    """Take one more part into account, which comes before those that were."""
    kind = part["type"]
    if kind == "Replace":
        _grow_by_replacing(growth, part["pattern"], _put_in(part))
    elif kind in _FORMS:
        if kind.endswith("C"):
            growth.composed()
        growth.through(lambda character: unicodedata.normalize(kind, character))
    elif kind == "Lowercase":
        growth.through(str.lower)
    elif kind == "Nmt":
        space = growth.of(" ")
        growth.everywhere(lambda before: max(before, space))
    elif kind == "BertNormalizer":
        around = 2 * growth.of(" ")
        growth.through(str.lower, always=False)
        growth.through(lambda character: unicodedata.normalize("NFD", character), always=False)
        growth.everywhere(lambda before: before + around)
    elif kind == "ByteLevel":
        most = growth.most
        growth.everywhere(lambda _: 4 * most)
    elif kind == "Precompiled":
        most = growth.most * _longest_replacement(part["precompiled_charsmap"])
        growth.everywhere(lambda _: most)
    elif kind not in _NEVER_GROWING and kind not in ("Sequence", "Prepend"):
        raise _refused(f"Calque does not know its normalizer {kind!r}")


def _grow_by_replacing(growth: _Growth, pattern: dict[str, str], content: str) -> None:
    made = growth.of(content)
    replaced = pattern.get("String")
    if replaced:
        growth.at_least(replaced, made / len(replaced))
    elif pattern.get("Regex") in _NEVER_EMPTY:
        growth.everywhere(lambda before: max(before, made))
    else:  # it may match between any two characters
        growth.everywhere(lambda before: before + made)


def _longest_replacement(charsmap: str | None) -> int:
    """Characters that one may become: the map's second part holds all replacements, each with a NUL behind it."""
    try:
        content = base64.b64decode(charsmap or "")
    except binascii.Error as problem:
        raise ValueError("precompiled_charsmap is no Base64") from problem
    trie = int.from_bytes(content[:4], "little")
    if content and not 4 + trie <= len(content):
        raise ValueError(f"precompiled_charsmap holds {len(content):,} bytes, expected {4 + trie:,} or more")
    replacements = content[4 + trie :]
    return max((len(each.decode("utf-8", "replace")) for each in replacements.split(b"\0")), default=1) or 1


def _check_prefixes(pre_tokenizers: list[Part]) -> None:
    """Each may put a character before every part of a text, and cut at it, so that there are more parts for the next.

    ByteLevel also doubles most bytes.
    """
    prefixes = sum(part["type"] in _PREFIXING for part in pre_tokenizers)
    if prefixes > MOST_PREFIXES:
        raise _refused(
            f"it puts a mark before each word {prefixes} times over, expected at most {MOST_PREFIXES} ByteLevel "
            "or Metaspace"
        )


def _check_templates(post_processors: list[Part]) -> None:
    """A template may repeat a text, and another one what that has made."""
    copies = 1
    for part in post_processors:
        if part["type"] == "TemplateProcessing":
            copies *= max(1, sum("Sequence" in piece for piece in part["single"]))
    if copies > 16:
        raise _refused(f"its templates repeat each text {copies} times")


def _check_model(model: Any) -> None:
    if not isinstance(model, dict):
        return
    longest = model.get("max_input_chars_per_word")
    if isinstance(longest, int) and longest > LONGEST_WORD:
        raise _refused(f"it cuts words of up to {longest:,} characters, expected at most {LONGEST_WORD:,}")
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        mark = model.get(name)
        if isinstance(mark, str) and len(mark) > LONGEST_CONTENT:
            raise _refused(f"its {name} has {len(mark):,} characters, expected at most {LONGEST_CONTENT:,}")
    vocabulary = model.get("vocab")
    if isinstance(vocabulary, list):  # Unigram's
        size = max((len(piece.encode("utf-8", "replace")) for piece, _ in vocabulary), default=0)
        if size > LONGEST_PIECE:
            raise _refused(f"it has a piece of {size:,} bytes, expected at most {LONGEST_PIECE:,}")
