"""The vocabulary of a tokenizer.json, cut by Hugging Face's tokenizers as other libraries cut it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..at_exit import native_call
from ..errors import ModelError, UsageError
from ..surrogates import without_surrogates
from .by_words import Reading, reading_of
from .pieces import Piece, word_spans
from .tokenizer_limits import check_definition
from .tokens import Tokens

_BATCH = 1 << 12  # texts whose encodings, which are large, are in memory at once
_NEIGHBOURS = "abcdefghijklmnopqrstuvwxyz0123456789"


class TokenizerVocabulary:
    """Row i is token i. Texts are read to their end and get no special tokens, whatever the tokenizer.json says.

    `unknown` is the token that is left out of averages, as model2vec does; None where all count, as for
    sentence-transformers.
    """

    kind = "tokenizer"

    def __init__(self, definition: bytes, unknown: int | None, size: int | None = None) -> None:
        """
        With its `size`, the tokenizer is opened only for the first text. So give it for a definition that has been
        checked.

        Raises:
            ModelError: tokenizers cannot open it; from whatever needs it first, if the size was given.
        """
        self.definition = definition
        self.unknown = unknown
        self._expected = size
        self.size: int = _size(self._tokenizer) if size is None else size

    @classmethod
    def without_unknown(cls, definition: bytes) -> TokenizerVocabulary:
        """With the tokenizer's own unknown token left out, if it has one."""
        vocabulary = cls(definition, None)
        vocabulary.unknown = _unknown_token(vocabulary._tokenizer, definition)
        return vocabulary

    @property
    def bare_definition(self) -> bytes:
        """One that makes other libraries, too, read texts to their end and add nothing to them."""
        described = json.loads(self.definition)
        left_out = {name: None for name in ("truncation", "padding", "post_processor") if described.get(name)}
        if not left_out:
            return self.definition
        return json.dumps({**described, **left_out}, ensure_ascii=False).encode()

    @cached_property
    def _tokenizer(self) -> Any:
        import tokenizers

        _require_known(tokenizers.__version__)
        check_definition(self.definition)
        with _refusing("open the vocabulary"), native_call():
            tokenizer = tokenizers.Tokenizer.from_buffer(self.definition)
        if self._expected not in (None, _size(tokenizer)):
            raise ModelError(f"the vocabulary has {_size(tokenizer)} tokens, but there are {self._expected} rows")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _reading(self) -> Reading:
        with _refusing("normalize by this vocabulary"):
            return reading_of(self._tokenizer)

    @property
    def splits_at_spaces(self) -> bool:
        return self._reading.by_words and self._neighbour is not None

    @property
    def folds_case(self) -> bool:
        return self._reading.folds_case

    @cached_property
    def _neighbour(self) -> str | None:
        added = self._reading.added
        return next((word for word in _NEIGHBOURS if not (added and added.search(word))), None)

    def steady_words(self, words: Sequence[str], tokens: Tokens, threads: int) -> npt.NDArray[np.bool_]:
        """Each word is tried between two others.

        A mark at its beginning that joins the space before it, or a literal "▁" where that stands for a space, can
        make a difference. Added tokens do, too, and tell capitals from small letters where nothing else does.
        """
        neighbour, added = self._neighbour, self._reading.added
        near = self.encode([f"{neighbour} {word} {neighbour}" for word in words], threads=threads)
        beside = self.encode([str(neighbour)])[0].tolist()
        return np.fromiter(
            (
                near[at].tolist() == beside + tokens[at].tolist() + beside and not (added and added.search(word))
                for at, word in enumerate(words)
            ),
            np.bool_,
            len(words),
        )

    @property
    def pieces(self) -> list[str]:
        """Numbers that no token has are there too, as nothing."""
        names = [""] * self.size
        for token, id in self._tokenizer.get_vocab().items():
            names[id] = token
        return names

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        """tokenizers has threads of its own: `threads` says whether to use them, RAYON_NUM_THREADS how many."""
        parts = [self._batch(texts[at : at + _BATCH], threads) for at in range(0, len(texts), _BATCH)]
        tokens = Tokens.concatenate(parts, self.size)
        return tokens if self.unknown is None else tokens.without(self.unknown)

    def _batch(self, texts: Sequence[str], threads: int) -> Tokens:
        try:
            ids = self._cut(list(texts), threads)
        except (TypeError, UnicodeEncodeError):  # which one depends on the version
            ids = self._cut([without_surrogates(text) for text in texts], threads)
        return Tokens.from_lists(ids, self.size)

    def _cut(self, texts: list[str], threads: int) -> list[list[int]]:
        tokenizer = self._tokenizer
        with _refusing("cut a text by this vocabulary"), native_call():
            if threads > 1:
                encodings = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
            else:
                encodings = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
        return [encoding.ids for encoding in encodings]

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        """What is unknown and left out is shown as the text has it."""
        text = without_surrogates(text)
        tokenizer = self._tokenizer
        with _refusing("cut a text by this vocabulary"), native_call():
            encoding = tokenizer.encode(text, add_special_tokens=False)
        words = _words_at(text, encoding.offsets)
        return [
            Piece(text[slice(*place)], None, word) if id == self.unknown else Piece(token, id, word)
            for token, id, place, word in zip(encoding.tokens, encoding.ids, encoding.offsets, words, strict=True)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return TokenizerVocabulary, (self.definition, self.unknown, self.size)


def _require_known(version: str) -> None:
    """Refuse a version that pyproject.toml excludes, which may be installed all the same, and would refuse all texts.

    Raises:
        UsageError: it is 1.0 or later, whose tokenizers encode only after `compile()`.
    """
    if int(version.partition(".")[0]) >= 1:
        raise UsageError(
            f"Calque needs tokenizers below 1, got {version}, which cuts texts in another way",
            hint="pip install 'tokenizers<1'",
        )


@contextmanager
def _refusing(to_do: str) -> Iterator[None]:
    """tokenizers has no error of its own: it raises Exception, or where its Rust panics, what is not even that."""
    try:
        yield
    except (TypeError, UnicodeEncodeError, KeyboardInterrupt, SystemExit, MemoryError, ModelError):
        raise
    except BaseException as problem:
        raise ModelError(f"tokenizers cannot {to_do}: {problem}") from problem


def _size(tokenizer: Any) -> int:
    """One more than the largest id: numbers may be left out."""
    return max(tokenizer.get_vocab().values(), default=-1) + 1


def _unknown_token(tokenizer: Any, definition: bytes) -> int | None:
    """Unigram gives it as a number, which only its description tells; all others as a name."""
    if type(tokenizer.model).__name__ == "Unigram":
        found: int | None = json.loads(definition)["model"].get("unk_id")
        return found
    name = tokenizer.model.unk_token
    return tokenizer.token_to_id(name) if name is not None else None


def _words_at(text: str, places: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The word that each token's first character other than white space lies in; else the next, or else the last."""
    ends = [end for _, end in word_spans(text)]
    for begin, end in places:
        cut = text[begin:end]
        first = begin + len(cut) - len(cut.lstrip(" \t\n\r\u00a0\u3000"))
        yield max(0, min(int(np.searchsorted(ends, first, "right")), len(ends) - 1))
