"""Making a vocabulary from a corpus."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..batches import batches
from ..errors import CorpusError, UsageError
from .merging import merged_vocabulary
from .protocol import Vocabulary
from .sentencepiece import SentencePieceVocabulary
from .sharing import SeparateVocabularies
from .spec import VocabularySpec
from .trigrams import TrigramVocabulary
from .words import WordVocabulary

Texts = Callable[[], Iterable[tuple[str | None, str]]]  # (language, text); can be gone through again

_SAMPLE = 2_000_000  # texts counted one by one, before sampling begins
_MOST_WORDS = 2_000_000  # distinct ones held while counting
_LONGEST_WORD = 100  # characters; what is longer is no word
_BATCH = 10_000


def build_vocabulary(spec: VocabularySpec, texts: Texts) -> Vocabulary:
    """Learns the vocabulary that `spec` asks for.

    Raises:
        CorpusError: there is too little text for it.
        UsageError: languages must be told apart, and a text has none.
    """
    if spec.size < 1:
        raise UsageError(
            f"a vocabulary needs at least 1 piece, got {spec.size}", hint="leave out --vocabulary-size, or give more"
        )
    if spec.sharing == "joint":
        return _train(spec, (text for _, text in texts()))
    if spec.sharing == "merged":
        return _merged(spec, texts)
    members = {}
    for language in _languages(texts()):
        members[language] = _train(spec, (text for other, text in texts() if other == language))
    return SeparateVocabularies(members, shared=spec.sharing == "separate")


def _merged(spec: VocabularySpec, texts: Texts) -> Vocabulary:
    if spec.kind != "sp":
        raise UsageError(
            f"only SentencePiece vocabularies can be merged, not {spec.kind} vocabularies",
            hint="pass --vocabulary sp, or leave out --sharing",
        )
    from ..corpus.languages import base  # with it come the readers of bitext, which an opened model need not wait for

    counters: dict[str, WordCounter] = {}
    for batch in batches(texts(), _BATCH):
        for language, some in _by_language(batch).items():
            counters.setdefault(base(language), WordCounter()).add(some)
    words = {language: counter.counts for language, counter in counters.items() if counter.counts}
    if not words:
        raise _no_words()
    return merged_vocabulary(words, spec.size)


def _train(spec: VocabularySpec, texts: Iterable[str]) -> Vocabulary:
    vocabulary: Vocabulary
    if spec.kind == "trigram":
        vocabulary = TrigramVocabulary.train(batches(texts, _BATCH), spec.size)
        if not vocabulary.size:
            raise _no_words()
    else:
        words = count_words(texts)
        if not words:
            raise _no_words()
        vocabulary = _learn(spec)(words, spec.size)
    return vocabulary


def _learn(spec: VocabularySpec) -> Callable[[Counter[str], int], Vocabulary]:
    if spec.kind == "word":
        return WordVocabulary.train
    return SentencePieceVocabulary.train_at_most if spec.or_fewer else SentencePieceVocabulary.train


def count_words(texts: Iterable[str], sample: int = _SAMPLE, most: int = _MOST_WORDS) -> Counter[str]:
    """How often each word occurs, estimated from fewer and fewer of the texts as they grow many."""
    counter = WordCounter(sample, most)
    for batch in batches(texts, _BATCH):
        counter.add(batch)
    return counter.counts


class WordCounter:
    """How often each word occurs, in bounded memory.

    After each `sample` texts that were counted, half as many are from then on, at twice the weight. When there are too
    many distinct words, the rarest so far are forgotten.
    """

    def __init__(self, sample: int = _SAMPLE, most: int = _MOST_WORDS) -> None:
        self.counts: Counter[str] = Counter()
        self._sample, self._most = sample, most
        self._draw = random.Random(0).random  # the same sample each time
        self._weight, self._counted = 1, 0

    def add(self, texts: Sequence[str]) -> None:
        """Count some texts, a few thousand of them."""
        if self._weight > 1:
            texts = [text for text in texts if self._draw() * self._weight < 1]
        words = _chunks(" ".join(texts))
        if self._weight == 1:
            self.counts.update(words)  # which counts in C
        else:
            for word, count in Counter(words).items():
                self.counts[word] += self._weight * count
        self._counted += len(texts)
        if self._counted >= self._sample:
            self._counted -= self._sample
            self._weight *= 2
        if len(self.counts) > self._most:
            self.counts = Counter(dict(self.counts.most_common(self._most // 2)))


def _chunks(text: str) -> list[str]:
    """The words, and slices of what is too long to be one: text without spaces."""
    words = text.replace("\0", " ").split()
    if len(max(words, key=len, default="")) <= _LONGEST_WORD:
        return words
    return [word[at : at + _LONGEST_WORD] for word in words for at in range(0, len(word), _LONGEST_WORD)]


def _by_language(texts: Iterable[tuple[str | None, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language, text in texts:
        if language is None:
            raise _languages_needed()
        found.setdefault(language, []).append(text)
    return found


def _languages(texts: Iterable[tuple[str | None, str]]) -> list[str]:
    found: dict[str, None] = {}
    for language, _ in texts:
        if language is None:
            raise _languages_needed()
        found.setdefault(language)
    return list(found)


def _no_words() -> CorpusError:
    return CorpusError("the text holds no words", hint="are the lines blank? a pair of bitext has text on both sides")


def _languages_needed() -> UsageError:
    return UsageError(
        "vocabularies by language need to know the languages of the bitext",
        hint="pass --languages en es, or name the file like corpus.en-es.tsv",
    )
