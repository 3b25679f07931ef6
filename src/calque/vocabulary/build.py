"""Making a vocabulary from a corpus."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..batches import batches
from ..errors import CorpusError, UsageError
from .protocol import Vocabulary
from .sentencepiece import SentencePieceVocabulary
from .sharing import SeparateVocabularies
from .trigrams import TrigramVocabulary
from .words import WordVocabulary

Kind = Literal["sp", "word", "trigram"]
Sharing = Literal["joint", "separate", "separate-unshared"]
Texts = Callable[[], Iterable[tuple[str | None, str]]]  # (language, text); can be gone through again

_SAMPLE = 2_000_000  # texts counted one by one, before sampling begins
_MOST_WORDS = 2_000_000  # distinct ones held while counting
_LONGEST_WORD = 100  # characters; what is longer is no word
_BATCH = 10_000


@dataclass(frozen=True)
class VocabularySpec:
    kind: Kind = "sp"
    size: int = 20_000
    sharing: Sharing = "joint"


def build_vocabulary(spec: VocabularySpec, texts: Texts) -> Vocabulary:
    """Learns the vocabulary that `spec` asks for.

    Raises:
        CorpusError: there is too little text for it.
        UsageError: languages must be told apart, and a text has none.
    """
    if spec.size < 1:
        raise UsageError(f"a vocabulary needs at least 1 piece, got {spec.size}")
    if spec.sharing == "joint":
        return _train(spec, (text for _, text in texts()))
    members = {}
    for language in _languages(texts()):
        members[language] = _train(spec, (text for other, text in texts() if other == language))
    return SeparateVocabularies(members, shared=spec.sharing == "separate")


def _train(spec: VocabularySpec, texts: Iterable[str]) -> Vocabulary:
    vocabulary: Vocabulary
    if spec.kind == "trigram":
        vocabulary = TrigramVocabulary.train(batches(texts, _BATCH), spec.size)
        if not vocabulary.size:
            raise CorpusError("the bitext holds no words")
    else:
        words = count_words(texts)
        if not words:
            raise CorpusError("the bitext holds no words")
        learn = SentencePieceVocabulary.train if spec.kind == "sp" else WordVocabulary.train
        vocabulary = learn(words, spec.size)
    return vocabulary


def count_words(texts: Iterable[str], sample: int = _SAMPLE, most: int = _MOST_WORDS) -> Counter[str]:
    """How often each word occurs, estimated from fewer and fewer of the texts as they grow many.

    After each `sample` texts that were counted, half as many are from then on, at twice the weight. When there are too
    many distinct words, the rarest so far are forgotten.
    """
    counts: Counter[str] = Counter()
    draw = random.Random(0).random  # the same sample each time
    weight, counted = 1, 0
    for text in texts:
        if weight > 1 and draw() * weight >= 1:
            continue
        for word in _chunks(text):
            counts[word] += weight
        counted += 1
        if counted % sample == 0:
            weight *= 2
        if counted % _BATCH == 0 and len(counts) > most:
            counts = Counter(dict(counts.most_common(most // 2)))
    return counts


def _chunks(text: str) -> Iterator[str]:
    for word in text.replace("\0", " ").split():
        if len(word) <= _LONGEST_WORD:
            yield word
        else:  # text without spaces: its pieces are learnt from slices
            yield from (word[at : at + _LONGEST_WORD] for at in range(0, len(word), _LONGEST_WORD))


def _languages(texts: Iterable[tuple[str | None, str]]) -> list[str]:
    found: dict[str, None] = {}
    for language, _ in texts:
        if language is None:
            raise UsageError(
                "separate vocabularies need to know the languages of the bitext",
                hint="pass --languages en es, or name the file like corpus.en-es.tsv",
            )
        found.setdefault(language)
    return list(found)
