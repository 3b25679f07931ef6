"""What languages share: everything, the pieces that coincide, or nothing."""

from __future__ import annotations

from itertools import combinations

import pytest

from calque.demo import sentences
from calque.errors import UsageError
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from calque.vocabulary.build import count_words
from calque.vocabulary.spec import Kind, Sharing

SIZES = {"sp": 300, "word": 400, "trigram": 500}
TEXT = {language: lines[:300] for language, lines in sentences().items() if language in ("en", "es", "fr")}

each_kind = pytest.mark.parametrize("kind", SIZES)


def build(kind: Kind, sharing: Sharing) -> Vocabulary:
    spec = VocabularySpec(kind, SIZES[kind], sharing)
    return build_vocabulary(spec, lambda: ((language, text) for language in TEXT for text in TEXT[language]))


def pieces(vocabulary: Vocabulary, text: str, language: str | None = None) -> list[str]:
    return [vocabulary.pieces[id] for id in vocabulary.encode([text], language)[0]]


def used(vocabulary: Vocabulary, language: str) -> set[int]:
    return set(vocabulary.encode(TEXT[language], language).ids.tolist())


@each_kind
def test_a_joint_vocabulary_needs_no_language_and_has_the_size_asked_for(kind: Kind) -> None:
    vocabulary = build(kind, "joint")
    assert vocabulary.size == SIZES[kind]
    assert pieces(vocabulary, TEXT["es"][0]) == pieces(vocabulary, TEXT["es"][0], "es") != []


@each_kind
def test_separate_vocabularies_share_the_rows_of_pieces_that_coincide(kind: Kind) -> None:
    vocabulary = build(kind, "separate")
    members = {language: build_alone(kind, language) for language in TEXT}
    assert vocabulary.size == len({piece for member in members.values() for piece in member.pieces})
    assert len(set(vocabulary.pieces)) == vocabulary.size
    for language, member in members.items():
        assert pieces(vocabulary, TEXT[language][7], language) == pieces(member, TEXT[language][7])


@each_kind
def test_unshared_vocabularies_have_no_row_in_common(kind: Kind) -> None:
    vocabulary = build(kind, "separate-unshared")
    assert vocabulary.size == sum(build_alone(kind, language).size for language in TEXT)
    for one, two in combinations(TEXT, 2):
        assert used(vocabulary, one)
        assert used(vocabulary, one).isdisjoint(used(vocabulary, two))


@each_kind
def test_the_first_language_s_pieces_keep_their_names_and_others_are_marked(kind: Kind) -> None:
    vocabulary, alone = build(kind, "separate-unshared"), build_alone(kind, "es")
    assert pieces(vocabulary, TEXT["en"][3], "en") == pieces(build_alone(kind, "en"), TEXT["en"][3])
    assert pieces(vocabulary, TEXT["es"][3], "es") == [f"es:{piece}" for piece in pieces(alone, TEXT["es"][3])]


@pytest.mark.parametrize("sharing", ["separate", "separate-unshared"])
@pytest.mark.parametrize("language", [None, "de", ""])
def test_a_missing_or_unknown_language_is_an_error_that_names_the_known(sharing: Sharing, language: str | None) -> None:
    with pytest.raises(UsageError, match="en, es, fr") as problem:
        build("word", sharing).encode(["text"], language)
    assert "language" in str(problem.value.hint)


@pytest.mark.parametrize("sharing", ["merged", "separate", "separate-unshared"])
def test_a_bitext_of_unknown_languages_cannot_be_kept_apart(sharing: Sharing) -> None:
    with pytest.raises(UsageError, match="need to know the languages") as problem:
        build_vocabulary(VocabularySpec("sp", 10, sharing), lambda: [("en", "text"), (None, "texto")])
    assert "--languages" in str(problem.value.hint)


def test_a_size_below_one_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError, match="at least 1 piece, got 0"):
        build_vocabulary(VocabularySpec("word", 0), lambda: [("en", "text")])


def test_when_there_are_too_many_words_the_rarest_are_forgotten() -> None:
    texts = [f"often seldom{number}" for number in range(30_000)]
    counted = count_words(iter(texts), most=5_000)
    assert counted["often"] == 30_000
    assert len(counted) <= 15_000


def test_of_a_large_text_a_sample_is_counted() -> None:
    texts = [f"always {'half' if number % 2 else 'other'}" for number in range(40_000)]
    counted = count_words(iter(texts), sample=1_000)
    assert counted == count_words(iter(texts), sample=1_000)
    assert counted["always"] == pytest.approx(40_000, rel=0.1)
    assert counted["half"] == pytest.approx(20_000, rel=0.1)
    assert count_words(iter(texts), sample=40_000) == {"always": 40_000, "half": 20_000, "other": 20_000}


def test_long_runs_without_spaces_are_learnt_from_slices() -> None:
    counted = count_words(["长" * 250])
    assert counted == {"长" * 100: 2, "长" * 50: 1}


def build_alone(kind: Kind, language: str) -> Vocabulary:
    return build_vocabulary(VocabularySpec(kind, SIZES[kind]), lambda: ((language, text) for text in TEXT[language]))
