"""The table that remembers the sums of whole words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import flat

from calque import _kernel

DIMENSION = 40
NOT_WRITTEN = 2**32 - 1
EMBEDDINGS = np.random.default_rng(1).standard_normal((256, DIMENSION), dtype=np.float32)


class Encoded(NamedTuple):
    vectors: npt.NDArray[np.float32]
    missing: list[str]
    again: list[int]
    plain: list[int]
    pieces: npt.NDArray[np.uint32]


def table(most_words: int = 1000, fold_case: bool = False) -> _kernel.WordTable:
    return _kernel.WordTable(DIMENSION, most_words, fold_case, seed=7)


def encode(
    words: _kernel.WordTable, texts: list[str], which: Any = None, normalize: bool = False, threads: int = 1
) -> Encoded:
    which = np.arange(len(texts)) if which is None else which
    out = np.full((len(texts), DIMENSION), np.nan, np.float32)
    pieces = np.full(len(texts), NOT_WRITTEN, np.uint32)
    missing, again, plain = words.encode(texts, np.array(which, np.uint64), out, pieces, normalize, threads)
    return Encoded(out, missing, again.tolist(), plain.tolist(), pieces)


def pieces_of(word: str) -> list[int]:
    """A stand-in for a vocabulary: a word's pieces are its bytes."""
    return list(word.encode("utf-8", "replace"))


def add(words: _kernel.WordTable, missing: list[str]) -> None:
    words.add(missing, *flat([pieces_of(word) for word in missing]), EMBEDDINGS)


def mean_of(text: str) -> Any:
    """The slow twin."""
    pieces = [piece for word in text.split(" ") for piece in pieces_of(word)]
    return EMBEDDINGS[pieces].mean(axis=0) if pieces else np.zeros(DIMENSION)


def assert_near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(EMBEDDINGS).max())


WORDS = st.text(st.characters(exclude_characters=" ", exclude_categories=["Cs"]), max_size=12)
SEPARATORS = st.sampled_from([" ", "  ", " " * 70])


@given(words=st.lists(WORDS, max_size=20), separator=SEPARATORS, threads=st.integers(1, 3))
def test_once_its_words_are_added_a_text_has_the_mean_of_its_rows(
    words: list[str], separator: str, threads: int
) -> None:
    texts = [separator.join(words), separator + separator.join(words[::-1]) + separator, separator]
    memory = table()
    first = encode(memory, texts, threads=threads)
    assert first.missing == sorted({word for word in words if word}, key=str.encode)
    add(memory, first.missing)
    second = encode(memory, texts, threads=threads)
    assert second.missing == second.again == second.plain == []
    for text, vector in zip(texts, second.vectors, strict=True):
        assert_near(vector, mean_of(text))
    assert second.pieces.tolist() == [sum(len(pieces_of(word)) for word in words)] * 2 + [0]


@given(words=st.lists(WORDS.filter(bool), min_size=1, max_size=20))
def test_normalised_vectors_have_length_one(words: list[str]) -> None:
    memory = table()
    add(memory, words)
    vectors = encode(memory, [" ".join(words), ""], normalize=True).vectors
    np.testing.assert_allclose(np.linalg.norm(vectors[0]), 1, rtol=1e-5)
    assert not vectors[1].any()
    mean = mean_of(" ".join(words))
    assert vectors[0] @ mean > (1 - 1e-5) * np.linalg.norm(mean)


def test_a_text_with_missing_words_is_named_and_the_others_are_done() -> None:
    memory = table()
    add(memory, ["a", "b"])
    found = encode(memory, ["a b", "a c", "", "d"])
    assert found.missing == ["c", "d"]
    assert found.again == [1, 3]
    assert_near(found.vectors[0], mean_of("a b"))
    assert not found.vectors[2].any()


def test_only_the_texts_asked_for_are_written() -> None:
    memory = table()
    add(memory, ["a"])
    found = encode(memory, ["a", "a", "a"], which=[1])
    assert np.isnan(found.vectors).all(axis=1).tolist() == [True, False, True]
    assert found.pieces.tolist() == [NOT_WRITTEN, 1, NOT_WRITTEN]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 14, 15, 16, 17, 31, 47, 48])
def test_words_of_any_length_up_to_48_bytes_are_told_apart(length: int) -> None:
    memory = table()
    words = [letter + "x" * (length - 1) for letter in "abc"] + ["x" * (length - 1) + letter for letter in "def"]
    add(memory, words)
    found = encode(memory, words)
    assert found.missing == []
    for word, vector in zip(words, found.vectors, strict=True):
        assert_near(vector, mean_of(word))


def test_words_that_end_in_nul_bytes_differ_from_those_that_do_not() -> None:
    memory = table()
    counts = (1, 2, 7, 8, 13, 14, 15, 16, 17, 23, 24, 25, 47)
    words = [letter + "\0" * count for letter in ("", "a") for count in counts]
    add(memory, words)
    assert len(memory) == len(words)
    for word, vector in zip(words, encode(memory, words).vectors, strict=True):
        assert_near(vector, mean_of(word))


@pytest.mark.parametrize("word", ["x" * 49, "é" * 25, "語" * 17, "🙂" * 13])
def test_a_word_longer_than_48_bytes_needs_the_plain_path(word: str) -> None:
    found = encode(table(), ["a", f"a {word} b"])
    assert found.plain == [1]
    assert found.again == [0]


def test_a_text_of_more_than_4096_words_needs_the_plain_path() -> None:
    memory = table()
    add(memory, ["a", "b"])
    found = encode(memory, [" ".join(["a", "b"] * 2048), " ".join(["a"] * 4097), "b"])
    assert found.plain == [1]
    assert_near(found.vectors[0], mean_of("a b"))
    assert_near(found.vectors[2], mean_of("b"))


def test_a_full_table_forgets_everything_and_goes_on() -> None:
    memory = table(most_words=10)
    for start in range(0, 100, 4):
        words = [f"w{number}" for number in range(start, start + 4)]
        add(memory, words)
        assert len(memory) <= 10
        for word, vector in zip(words, encode(memory, words).vectors, strict=True):
            assert_near(vector, mean_of(word))


def test_more_words_than_the_table_can_take_leave_some_missing() -> None:
    memory = table(most_words=10)
    words = [f"w{number:02}" for number in range(30)]
    found = encode(memory, words)
    assert len(found.missing) == 10
    add(memory, words)
    assert len(memory) == 10
    after = encode(memory, words)
    assert len(after.again) == 20
    for number in set(range(30)) - set(after.again):
        assert_near(after.vectors[number], mean_of(words[number]))


def test_the_table_grows_to_many_words() -> None:
    memory = table(most_words=50_000)
    words = [f"{number:x}" for number in range(40_000)]
    add(memory, words[:100])
    add(memory, words)
    assert len(memory) == 40_000
    found = encode(memory, words, threads=2)
    assert found.missing == []
    for number in range(0, 40_000, 997):
        assert_near(found.vectors[number], mean_of(words[number]))


@given(word=st.text("amzAMZ@[`{09", min_size=1, max_size=40))
def test_case_is_folded_when_asked(word: str) -> None:
    for fold_case in (False, True):
        memory = table(fold_case=fold_case)
        add(memory, [word])
        known = fold_case or word == word.lower()
        assert (encode(memory, [word.lower()]).missing == []) == known


@pytest.mark.parametrize(("one", "two"), [("@", "`"), ("[", "{"), ("é", "É"), ("ı", "İ"), ("ǆ", "Ǆ"), ("\0", "@")])
@given(before=st.text("aAzé", max_size=10), after=st.text("aAzé", max_size=10))
def test_folding_case_unites_nothing_but_the_letters_a_to_z(one: str, two: str, before: str, after: str) -> None:
    memory = table(fold_case=True)
    add(memory, [before + one + after])
    assert encode(memory, [before + two + after]).missing != []


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    memory = table()
    found = encode(memory, ["a\ud800b", "\udfff", "\ud83d\ude42"])
    assert found.missing == ["a\ufffdb", "\ufffd", "\ufffd\ufffd"]
    add(memory, ["\ufffd"])
    assert_near(encode(memory, ["\udfff"]).vectors[0], mean_of("\ufffd"))


def test_many_threads_give_what_one_gives() -> None:
    texts = [" ".join(f"w{(number * step) % 300}" for step in range(number % 30)) for number in range(5000)]
    memory = table()
    alone, many = encode(memory, texts, threads=1), encode(memory, texts, threads=8)
    assert alone.missing == many.missing
    assert alone.again == many.again
    add(memory, alone.missing)
    vectors = encode(memory, texts, threads=1).vectors
    for threads in (2, 8):
        np.testing.assert_array_equal(encode(memory, texts, threads=threads).vectors, vectors)


def test_the_same_words_under_another_seed_have_the_same_vectors() -> None:
    texts = ["one two", "a rather long word: Donaudampfschifffahrt"]
    vectors = []
    for seed in (0, 1, (1 << 64) - 1):
        memory = _kernel.WordTable(DIMENSION, 100, False, seed)
        add(memory, " ".join(texts).split(" "))
        vectors.append(encode(memory, texts).vectors)
    np.testing.assert_array_equal(vectors[0], vectors[1])
    np.testing.assert_array_equal(vectors[0], vectors[2])


@pytest.mark.parametrize("dimension", [1, 15, 16, 17, 300, 321, 8192])
def test_any_dimension_up_to_8192_works(dimension: int) -> None:
    embeddings = np.random.default_rng(dimension).standard_normal((3, dimension), dtype=np.float32)
    memory = _kernel.WordTable(dimension, 10, False, 1)
    memory.add(["a", "b"], *flat([[0, 1], [2]]), embeddings)
    out = np.zeros((1, dimension), np.float32)
    memory.encode(["a b"], np.arange(1, dtype=np.uint64), out, np.zeros(1, np.uint32), False, 1)
    np.testing.assert_allclose(out[0], embeddings.mean(axis=0), rtol=0, atol=1e-4 * np.abs(embeddings).max())


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="8192"):
        _kernel.WordTable(8193, 10, False, 1)
    with pytest.raises(ValueError, match="another dimension"):
        table().add(["a"], *flat([[0]]), np.zeros((1, 8), np.float32))
    with pytest.raises(ValueError, match="one offset a word"):
        table().add(["a", "b"], *flat([[0]]), EMBEDDINGS)
    with pytest.raises(ValueError, match="outside the table"):
        table().add(["a"], *flat([[256]]), EMBEDDINGS)
    with pytest.raises(ValueError, match="no such sentence"):
        encode(table(), ["a"], which=[1])
    with pytest.raises(ValueError, match="must be str"):
        encode(table(), ["a", b"b"])  # type: ignore[list-item]
