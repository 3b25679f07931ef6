"""More pieces for another language: its words are cut well, and what was known is cut as before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.demo import sentences
from calque.errors import CorpusError
from calque.vocabulary.extension import extended
from calque.vocabulary.sentencepiece import UNKNOWN, SentencePieceVocabulary


def words_of(*texts: str) -> Counter[str]:
    return Counter(word for text in texts for word in text.split())


ENGLISH, SPANISH, GERMAN = (words_of(*sentences()[language]) for language in ("en", "es", "de"))
GREEK = words_of(*["ο σκύλος τρέχει", "η γάτα κοιμάται", "ο σκύλος κοιμάται", "η γάτα τρέχει γρήγορα"] * 3)


@pytest.fixture(scope="module")
def old() -> SentencePieceVocabulary:
    return SentencePieceVocabulary.train(ENGLISH + SPANISH, 800)


@pytest.fixture(scope="module")
def new(old: SentencePieceVocabulary) -> SentencePieceVocabulary:
    return extended(old, GERMAN, ENGLISH, 600)


def pieces_a_word(vocabulary: SentencePieceVocabulary, words: Counter[str]) -> float:
    lengths = zip(words.values(), vocabulary.cuts(list(words)), strict=True)
    return sum(count * len(cut) for count, cut in lengths) / words.total()


def test_old_pieces_keep_their_ids_and_new_ones_follow(
    old: SentencePieceVocabulary, new: SentencePieceVocabulary
) -> None:
    assert new.pieces[: old.size] == old.pieces
    assert new.scores[: old.size] == old.scores
    assert old.size + 100 < new.size <= old.size + 600
    assert len(set(new.pieces)) == new.size


def test_the_new_language_is_cut_into_fewer_pieces(old: SentencePieceVocabulary, new: SentencePieceVocabulary) -> None:
    assert pieces_a_word(new, GERMAN) < 0.8 * pieces_a_word(old, GERMAN)


def test_known_words_are_cut_as_before_but_for_a_few(
    old: SentencePieceVocabulary, new: SentencePieceVocabulary
) -> None:
    for words, share in ((ENGLISH, 0.01), (SPANISH, 0.1)):  # Spanish was not there when German was added
        listed = list(words)
        changed = [a != b for a, b in zip(old.cuts(listed), new.cuts(listed), strict=True)]
        assert (
            sum(words[word] for word, differs in zip(listed, changed, strict=True) if differs) < share * words.total()
        )


def test_old_pieces_that_are_words_are_cut_as_before(
    old: SentencePieceVocabulary, new: SentencePieceVocabulary
) -> None:
    words = [piece[1:] for piece in old.pieces if piece.startswith("\u2581") and len(piece) > 1]
    assert new.cuts(words) == old.cuts(words)


def test_every_new_piece_is_taken_somewhere(old: SentencePieceVocabulary, new: SentencePieceVocabulary) -> None:
    taken = {id for cut in new.cuts(list(GERMAN)) for id in cut}
    assert taken >= set(range(old.size, new.size))


@pytest.mark.parametrize(("times", "stays"), [(1, True), (400, False)])
def test_a_piece_that_known_text_would_take_often_is_left_out(
    old: SentencePieceVocabulary, times: int, stays: bool
) -> None:
    new = Counter({"zuqkwo": 100, "zuqkwi": 100, "bizuqkwen": 100})
    known = Counter({"zuqkworld": times, "dog": 5000})
    made = extended(old, new, known, 600)
    assert (made.cuts(["zuqkworld"]) != old.cuts(["zuqkworld"])) == stays


def test_another_script_is_known_even_if_known_text_quotes_it(old: SentencePieceVocabulary) -> None:
    assert any(UNKNOWN in cut for cut in old.cuts(list(GREEK)))
    made = extended(old, GREEK, ENGLISH + Counter({"σκύλος": 1000}), 600)
    assert not any(UNKNOWN in cut for cut in made.cuts(list(GREEK)))
    listed = list(ENGLISH + SPANISH)
    assert made.cuts(listed) == old.cuts(listed)


def test_the_same_words_give_the_same_bytes(old: SentencePieceVocabulary, new: SentencePieceVocabulary) -> None:
    assert extended(old, GERMAN, ENGLISH, 600).model == new.model


def test_fewer_pieces_than_characters_are_refused(old: SentencePieceVocabulary) -> None:
    with pytest.raises(CorpusError, match="20 pieces are fewer than the bitext's characters") as problem:
        extended(old, GERMAN, ENGLISH, 20)
    assert "--add-pieces" in str(problem.value.hint)


@given(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=12).map("".join))
def test_a_cut_changes_only_where_a_new_piece_is_taken(
    old: SentencePieceVocabulary, new: SentencePieceVocabulary, word: str
) -> None:
    (before,), (after,) = old.cuts([word]), new.cuts([word])
    assert before == after or max(after) >= old.size
