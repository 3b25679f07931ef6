"""One vocabulary, merged from one a language."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.demo import sentences
from calque.errors import CorpusError, UsageError
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.build import count_words
from calque.vocabulary.merging import allotments, merged, merged_vocabulary, most_common
from calque.vocabulary.sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary, TooFewPieces
from calque.vocabulary.spec import Kind

COST = 1.0  # of a piece, as a log-probability


def made_up(seed: int, often: int) -> Counter[str]:
    """Forty words of a language of its own, over the letters that all share, each also before a comma.

    What occurs in one word only is no piece to some versions of SentencePiece, however common the word.
    """
    draw = random.Random(seed)
    syllables = [one + two for one in "bdgklmnprst" for two in "aeiou"]
    words = {"".join(draw.choices(syllables, k=3)): often * (40 - rank) for rank in range(40)}
    return Counter({**words, **{f"{word},": count for word, count in words.items()}})


LARGE, SMALL = "la", ("sa", "sb", "sc", "sd")
WORDS = {LARGE: made_up(0, 1000)} | {language: made_up(seed, 1) for seed, language in enumerate(SMALL, 1)}


@pytest.fixture(scope="module")
def vocabulary() -> SentencePieceVocabulary:
    return merged_vocabulary(WORDS, 150)


def cut(vocabulary: SentencePieceVocabulary, word: str) -> list[str]:
    return [vocabulary.pieces[id] for id in vocabulary.cuts([word])[0]]


@pytest.mark.parametrize("language", SMALL)
def test_words_that_a_pool_of_languages_cuts_into_letters_stay_whole(
    vocabulary: SentencePieceVocabulary, language: str
) -> None:
    pooled = SentencePieceVocabulary.train(sum(WORDS.values(), Counter()), vocabulary.size)
    common = [word for word, _ in WORDS[language].most_common(16) if word.isalpha()]
    assert [cut(vocabulary, word) for word in common] == [[SPACE + word] for word in common]
    assert sum(cut(pooled, word) == [SPACE, *word] for word in common) >= 3


def test_a_piece_is_as_likely_as_in_a_text_drawn_from_the_members() -> None:
    members = {language: SentencePieceVocabulary.train(WORDS[language], 40) for language in WORDS}
    weights = {language: 1.0 + at for at, language in enumerate(members)}
    made = merged(members, weights)
    assert set(made.pieces) == {piece for member in members.values() for piece in member.pieces}
    assert made.pieces[UNKNOWN] == members[LARGE].pieces[UNKNOWN]
    for piece, score in zip(made.pieces[1:], made.scores[1:], strict=True):
        chance = 0.0
        for language, member in members.items():
            own = dict(zip(member.pieces[1:], map(math.exp, member.scores[1:]), strict=True))
            chance += weights[language] / sum(weights.values()) * own.get(piece, 0.0) / sum(own.values())
        assert score == pytest.approx(math.log(chance) - COST, abs=1e-4)
    assert made.scores[1:] == sorted(made.scores[1:], reverse=True)


def test_of_one_language_the_pieces_are_its_own() -> None:
    alone = SentencePieceVocabulary.train(WORDS[LARGE], 40)
    made = merged_vocabulary({LARGE: WORDS[LARGE]}, 40)
    assert set(made.pieces) == set(alone.pieces)
    assert made.size == 40


@pytest.mark.parametrize("size", [300, 1000, 20_000])
def test_what_a_language_s_own_vocabulary_knows_is_never_unknown_nor_are_there_more_pieces_than_asked_for(
    size: int,
) -> None:
    words = {language: count_words(lines[:200]) for language, lines in sentences().items()}
    vocabulary = merged_vocabulary(words, size)
    assert vocabulary.size <= size
    for own in words.values():
        alone = SentencePieceVocabulary.train(own, 150)  # the same characters are left out, be it larger or smaller
        known = [word for word, ids in zip(own, alone.cuts(list(own)), strict=True) if UNKNOWN not in ids]
        assert len(known) > 0.95 * len(own)
        assert not any(UNKNOWN in ids for ids in vocabulary.cuts(known))


def test_it_is_the_same_each_time_whatever_the_order_of_the_languages(vocabulary: SentencePieceVocabulary) -> None:
    assert merged_vocabulary(WORDS, 150).model == vocabulary.model
    other = merged_vocabulary(dict(reversed(WORDS.items())), 150)
    assert sorted(other.pieces) == sorted(vocabulary.pieces)


def test_of_more_words_than_are_learnt_from_the_most_common_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Counter({"often": 9, "seldom": 2, "once": 1, "late": 1, "ever": 1})
    assert most_common(words) == words
    monkeypatch.setattr("calque.vocabulary.merging._MOST_CHARACTERS", 16)
    kept = most_common(words)
    assert {"often", "seldom"} < set(kept)
    assert len(kept) == 3
    assert kept == most_common(Counter(dict(reversed(words.items()))))  # whichever of the equals, always the same


MANY = Counter({chr(0x4E00 + number): 1 for number in range(300)})


def test_a_language_of_many_characters_gets_what_it_needs_and_the_others_less() -> None:
    vocabulary = merged_vocabulary({"zh": MANY, **WORDS}, 450)
    assert 300 < vocabulary.size <= 450
    assert not any(UNKNOWN in ids for ids in vocabulary.cuts(list(MANY)))


def test_too_few_pieces_for_all_characters_are_an_error_that_tells_how_many_will_do() -> None:
    words = {"zh": MANY, "la": WORDS[LARGE]}
    with pytest.raises(TooFewPieces, match="200 pieces are fewer than the bitext's characters") as problem:
        merged_vocabulary(words, 200)
    enough = problem.value.supported
    assert f"--vocabulary-size {enough} or more" in str(problem.value.hint)
    assert merged_vocabulary(words, enough).size <= enough
    with pytest.raises(TooFewPieces):
        merged_vocabulary(words, enough - 1)


def test_a_language_of_nothing_to_learn_from_is_named() -> None:
    with pytest.raises(CorpusError, match="zz: SentencePiece could not learn"):
        merged_vocabulary({LARGE: WORDS[LARGE], "zz": Counter({"\u200b": 3})}, 100)


sizes_of_texts = st.dictionaries(
    st.text("abcdef", min_size=2, max_size=3), st.integers(1, 10**10), min_size=1, max_size=40
)


@given(texts=sizes_of_texts, data=st.data())
def test_allotments_use_up_the_size_and_give_each_language_what_it_needs(
    texts: dict[str, int], data: st.DataObject
) -> None:
    needed = {language: data.draw(st.integers(2, 3000)) for language in texts}
    size = sum(needed.values()) + data.draw(st.integers(0, 100_000))
    given = allotments(texts, needed, size)
    assert all(given[language] >= needed[language] for language in texts)
    assert size - len(texts) <= sum(given.values()) <= size


@given(texts=sizes_of_texts, size=st.integers(4_000, 200_000))
def test_a_larger_text_never_gets_fewer_pieces_and_none_gets_nearly_all(texts: dict[str, int], size: int) -> None:
    given = allotments(texts, dict.fromkeys(texts, 50), size)
    by_text = [given[language] for language in sorted(texts, key=texts.__getitem__)]
    assert by_text == sorted(by_text)
    assert max(by_text) <= max(size / 12, size / len(texts))
    assert min(by_text) >= min(800, size // (2 * len(texts)))


def test_one_language_in_several_forms_is_one() -> None:
    def texts() -> list[tuple[str, str]]:
        return [("en-GB", "the colour of the dog"), ("en", "the color of the dog"), ("es", "el color del perro")]

    def plain() -> list[tuple[str, str]]:
        return [(language[:2], text) for language, text in texts()]

    spec = VocabularySpec("sp", 60, "merged")
    one, two = build_vocabulary(spec, texts), build_vocabulary(spec, plain)
    assert one.pieces == two.pieces


@pytest.mark.parametrize("kind", ["word", "trigram"])
def test_only_pieces_can_be_merged(kind: Kind) -> None:
    with pytest.raises(UsageError, match=f"only SentencePiece vocabularies can be merged, not {kind}") as problem:
        build_vocabulary(VocabularySpec(kind, 100, "merged"), lambda: [("en", "text")])
    assert "--vocabulary sp" in str(problem.value.hint)


def test_text_without_words_is_an_error() -> None:
    with pytest.raises(CorpusError, match="the text holds no words"):
        build_vocabulary(VocabularySpec("sp", 100, "merged"), lambda: [("en", ""), ("es", " ")])
