"""Sub-word pieces by SentencePiece's unigram model, trained in memory."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..at_exit import native_call
from ..errors import CorpusError, ModelError
from ..surrogates import without_surrogates
from ..threads import require_room
from .pieces import Piece, spaced_words
from .sentencepiece_limits import check_rules
from .tokens import Tokens

# Normalises like Unicode's NFKC, folds case, and treats the many kinds of space as one.
NORMALISATION = "nmt_nfkc_cf"
UNKNOWN = 0
SPACE = "\u2581"

# A fixed number: SentencePiece adds up its expectations thread by thread, and the sum's rounding depends on how many.
_TRAINER_THREADS = 8
_BYTES_A_CHARACTER = 50  # that the trainer takes for a character of the words, about

# Occurrences of words: SentencePiece takes 120 MB for each million, however few the distinct ones are.
_MOST_OCCURRENCES = 32_000_000

# Start from fewer pieces and give up half of them in a round instead of a quarter. It takes 0.4 of the time, and nine
# in ten of a language's pieces are the same.
QUICK: Mapping[str, Any] = {"seed_sentencepiece_size": 200_000, "shrinking_factor": 0.5}


class TooFewWords(CorpusError):
    """A text from which only `supported` pieces can be learnt."""

    def __init__(self, supported: int, size: int) -> None:
        message = f"the bitext supports at most {supported} pieces, not {size}"
        super().__init__(message, hint=f"pass --vocabulary-size {supported}")
        self.supported = supported


class TooFewPieces(CorpusError):
    """A text with so many characters that `supported` pieces are needed."""

    def __init__(self, supported: int, size: int) -> None:
        message = f"{size} pieces are fewer than the bitext's characters"
        super().__init__(message, hint=f"pass --vocabulary-size {supported} or more")
        self.supported = supported


class SentencePieceVocabulary:
    """One SentencePiece model; row i is piece i, and row 0, the unknown piece, is never produced."""

    kind = "sp"
    splits_at_spaces = True
    folds_case = True
    steady_words = None
    unknown = UNKNOWN

    def __init__(self, model: bytes, size: int | None = None) -> None:
        """
        With its `size`, SentencePiece opens the model only for the first text: of 60,000 pieces it builds its tries
        for 60 ms or more. So give it for a model whose bytes have been checked.

        Raises:
            ModelError: it is no SentencePiece model; from whatever needs it first, if the size was given.
        """
        self.model = model
        self._expected = size
        self.size: int = self._processor.get_piece_size() if size is None else size

    @cached_property
    def _processor(self) -> Any:
        import sentencepiece

        check_rules(self.model)
        with native_call():
            try:
                processor = sentencepiece.SentencePieceProcessor(model_proto=self.model)
            except RuntimeError as problem:
                raise ModelError(f"SentencePiece cannot open the vocabulary: {problem}") from problem
            size = processor.get_piece_size()
        if self._expected not in (None, size):
            raise ModelError(f"the vocabulary has {size} pieces, but there are {self._expected} rows")
        return processor

    @classmethod
    def train(
        cls, words: Counter[str], size: int, options: Mapping[str, Any] = MappingProxyType({})
    ) -> SentencePieceVocabulary:
        """Learns `size` pieces from words and how often they occur.

        Pieces never cross a space, so the counts say all that the sentences would, at a fraction of the time. Of very
        many, all counts are divided alike.

        Raises:
            CorpusError: the words do not support so many pieces.
        """
        import sentencepiece

        require_room(_TRAINER_THREADS, _BYTES_A_CHARACTER * sum(map(len, words)))
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(f"{without_surrogates(word)}\t{count}" for word, count in _fewer(words)),
                input_format="tsv",
                model_writer=model,
                model_type="unigram",
                vocab_size=size,
                normalization_rule_name=NORMALISATION,
                unk_id=UNKNOWN,
                bos_id=-1,
                eos_id=-1,
                pad_id=-1,
                num_threads=_TRAINER_THREADS,
                minloglevel=2,
                **options,
            )
        except (RuntimeError, OSError, ValueError) as problem:
            raise _cannot_train(size, problem) from problem
        return cls(model.getvalue())

    @classmethod
    def train_at_most(
        cls, words: Counter[str], size: int, options: Mapping[str, Any] = MappingProxyType({})
    ) -> SentencePieceVocabulary:
        """Learns `size` pieces, or fewer if the words have no more to give.

        Raises:
            CorpusError: the words do not support any number of pieces up to that.
        """
        try:
            return cls.train(words, size, options)
        except TooFewWords as problem:
            return cls.train(words, problem.supported, options)

    @property
    def pieces(self) -> list[str]:
        processor = self._processor
        with _as_text(), native_call():
            return [processor.id_to_piece(id) for id in range(self.size)]

    @property
    def scores(self) -> list[float]:
        processor = self._processor
        with native_call():
            return [processor.get_score(id) for id in range(self.size)]

    @property
    def charsmap(self) -> bytes:
        """The compiled normalisation rules."""
        return bytes(self._proto().normalizer_spec.precompiled_charsmap)

    def _proto(self) -> Any:
        from sentencepiece import sentencepiece_model_pb2

        return sentencepiece_model_pb2.ModelProto.FromString(self.model)  # type: ignore[attr-defined]

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        return Tokens.from_lists(self.cuts(texts, threads), self.size).without(UNKNOWN)

    def cuts(self, texts: Sequence[str], threads: int = 1) -> list[list[int]]:
        """The ids of each text, the unknown piece among them."""
        require_room(min(threads, len(texts)))
        processor = self._processor
        with native_call():
            try:
                ids: list[list[int]] = processor.encode(list(texts), out_type=int, num_threads=threads)
            except (UnicodeEncodeError, TypeError):  # which one depends on the version
                ids = processor.encode([without_surrogates(text) for text in texts], out_type=int, num_threads=threads)
        return ids

    def of_pieces(self, pieces: Iterable[tuple[str, float]]) -> SentencePieceVocabulary:
        """The same with other pieces and their scores, after the unknown one."""
        proto = self._proto()
        del proto.pieces[UNKNOWN + 1 :]
        return _with(proto, pieces)

    def with_pieces(self, pieces: Iterable[tuple[str, float]]) -> SentencePieceVocabulary:
        """The same with more pieces and their scores, after those that there are."""
        return _with(self._proto(), pieces)

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        words = spaced_words(without_surrogates(text))
        processor = self._processor
        with _as_text(), native_call():
            ids, pieces = (processor.encode(words, out_type=kind) for kind in (int, str))
        return [
            Piece(piece, None if id == UNKNOWN else id, word)
            for word in range(len(words))
            for id, piece in zip(ids[word], pieces[word], strict=True)
        ]


@contextmanager
def _as_text() -> Iterator[None]:
    """SentencePiece opens a model whose pieces are any bytes, and only stumbles over them."""
    try:
        yield
    except UnicodeDecodeError as problem:
        raise ModelError(f"the vocabulary holds a piece that is not UTF-8: {problem.reason}") from problem


def _with(proto: Any, pieces: Iterable[tuple[str, float]]) -> SentencePieceVocabulary:
    for piece, score in pieces:
        proto.pieces.add(piece=piece, score=score)
    proto.trainer_spec.vocab_size = len(proto.pieces)
    return SentencePieceVocabulary(proto.SerializeToString(deterministic=True))


def _fewer(words: Counter[str]) -> Iterator[tuple[str, int]]:
    divisor = max(-(-words.total() // _MOST_OCCURRENCES), 1)
    return ((word, count // divisor) for word, count in words.items() if count >= divisor)


def _cannot_train(size: int, problem: Exception) -> CorpusError:
    supported = re.search(r"<= (\d+)", str(problem))
    if "too high" in str(problem) and supported:
        return TooFewWords(int(supported[1]), size)
    if "smaller than required_chars" in str(problem):
        needed = re.search(r"\d+ vs (\d+)", str(problem))
        if needed:
            return TooFewPieces(int(needed[1]), size)
    return CorpusError(f"SentencePiece could not learn {size} pieces: {problem}", hint="is there enough text?")
