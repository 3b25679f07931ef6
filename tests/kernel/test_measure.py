"""What cleaning counts in a text, against a slow twin that asks Python about each character."""

from __future__ import annotations

import string
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calque import _kernel
from calque.corpus import Pair
from calque.corpus.cleaning.measures import Batch
from strategies import any_character, texts, words

BREAKS = "\t\n\v\f\r\x85"
VARIATION_SELECTORS = {chr(point) for point in [*range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)]}
# Characters that a byte 0x80 to 0xBF turns into, be it read as Windows-1252 or as Latin-1.
TAILS = {*bytes(range(0x80, 0xC0)).decode("cp1252", "ignore"), *map(chr, range(0x80, 0xC0))}
HEADS = {chr(byte) for byte in range(0xC2, 0xF5)}


def kind_of(character: str) -> str:
    """Letter, digit, space, control, hidden or other."""
    category = unicodedata.category(character)
    if character in VARIATION_SELECTORS or category == "Cf":
        return "hidden"
    if 0x20000 <= ord(character) < 0x32000:
        return "letter"  # the planes of Han, whatever this Python's Unicode knows of them
    if character in BREAKS or category[0] == "Z":
        return "space"
    if character == "\ufffd" or category in ("Cc", "Co", "Cs"):
        return "control"
    return {"L": "letter", "M": "letter"}.get(category[0], "digit" if category == "Nd" else "other")


def count(text: str, *kinds: str) -> int:
    return sum(kind_of(each) in kinds for each in text)


def words_of(text: str) -> int:
    return len("".join(" " if kind_of(each) == "space" else "x" for each in text).split())


def measures(text: str, language: str = "en") -> dict[str, int]:
    found = Batch([Pair(text, "")], (language, language)).source
    return {name: found[name][0] for name in found.dtype.names}


@given(texts)
@settings(max_examples=300)
@example("\u200b\ufeff\u00ad")
@example("❤\ufe0f\U000e0101")
@example("\U000f0000\U0010fffd\ud800")
def test_counts_are_those_of_a_slow_twin(text: str) -> None:
    found = measures(text)
    assert found["characters"] == len(text)
    assert found["words"] == words_of(text)
    assert found["visible"] == count(text, "letter", "digit", "other")
    assert found["letters"] == count(text, "letter")
    assert found["controls"] == count(text, "control")
    digits = [str(unicodedata.digit(each)) for each in text if kind_of(each) == "digit"]
    assert found["digits"].tolist() == [digits.count(digit) for digit in string.digits]


@given(st.text(any_character, max_size=200))
@settings(max_examples=200)
def test_any_text_of_any_characters_is_counted_alike(text: str) -> None:
    found = measures(text)
    assert (found["characters"], found["words"]) == (len(text), words_of(text))
    assert found["visible"] == count(text, "letter", "digit", "other")


@given(st.text(st.sampled_from(sorted(TAILS | HEADS | set("aé ÿÁ—"))), max_size=30))
@settings(max_examples=200)
def test_mojibake_is_counted_where_a_head_stands_before_a_tail(text: str) -> None:
    expected = sum(one in HEADS and two in TAILS for one, two in pairwise(text))
    assert measures(text)["mojibake"] == expected


def script_of(character: str) -> str:
    """As the character's name tells it; marks that join any script belong to none."""
    name = unicodedata.name(character, "")
    for script in (
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "ARABIC",
        "DEVANAGARI",
        "HANGUL",
        "HIRAGANA",
        "KATAKANA",
        "CJK",
        "THAI",
    ):
        if script in name:
            return script
    return "any" if name.startswith("COMBINING") else "other"


SCRIPTS = {
    "en": {"LATIN"},
    "ru": {"CYRILLIC"},
    "sr": {"CYRILLIC", "LATIN"},
    "sr-Latn": {"LATIN"},
    "el": {"GREEK"},
    "ar": {"ARABIC"},
    "hi": {"DEVANAGARI"},
    "th": {"THAI"},
    "ko": {"HANGUL", "CJK"},
    "ja": {"HIRAGANA", "KATAKANA", "CJK"},
    "zh": {"CJK"},
    "zh-Hant": {"CJK"},
}
ALPHABET = "abÄßżĐйЖђѣαΩάابپحकखिअกขำ한글어ひらアイ水木鐵國" + "\u0301\u0308" + " .,5"


@pytest.mark.parametrize("language", SCRIPTS)
@given(text=st.text(ALPHABET, max_size=30))
@settings(max_examples=60)
def test_letters_are_expected_if_they_are_in_the_language_s_script(language: str, text: str) -> None:
    scripts = SCRIPTS[language] | {"any"}
    letters = [each for each in text if kind_of(each) == "letter"]
    found = measures(text, language)
    assert found["expected"] == sum(script_of(each) in scripts for each in letters)
    assert found["wide"] == sum(script_of(each) in {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"} for each in letters)


def hashes(*all_texts: str) -> list[int]:
    return Batch([Pair(text, "") for text in all_texts]).source["text_hash"].tolist()


@given(texts, texts)
@settings(max_examples=200)
@example("水", "4l")  # the same bytes in memory
@example("BADC", "䅂䍄")
@example("a\0\0\x01", "aĀ")
@example("", "\0")
@example("a" * 8, "a" * 8 + "\0")
def test_texts_have_equal_hashes_if_and_only_if_they_are_equal(one: str, two: str) -> None:
    first, second, again = hashes(one, two, "".join(list(one)))
    assert (first == second) == (one == two)
    assert first == again


def test_a_hundred_thousand_short_texts_have_as_many_hashes() -> None:
    short = [f"{number}" for number in range(50_000)]
    short += [chr(0x4E00 + at % 20_000) * (1 + at // 20_000) for at in range(50_000)]
    assert len(set(hashes(*short))) == len(short)


def letters_hash(text: str) -> int:
    return int(measures(text)["letters_hash"])


def has_small_letters_of_one_character(text: str) -> bool:
    return all(len(each.lower()) == 1 for each in text)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lt"]), max_size=20).filter(has_small_letters_of_one_character))
@settings(max_examples=200)
def test_the_hash_of_letters_does_not_see_case(text: str) -> None:
    # Character by character: lower() of a whole text makes a final sigma of the last one.
    assert letters_hash(text) == letters_hash("".join(each.lower() for each in text))


@given(words, st.text(" .,;:!?-–«»()0123456789٣\t\u00a0\u3000\u200b\ufe0f", max_size=6), st.integers(0, 40))
@settings(max_examples=200)
def test_the_hash_of_letters_does_not_see_punctuation_digits_and_spaces(word: str, noise: str, place: int) -> None:
    at = min(place, len(word))
    assert letters_hash(word) == letters_hash(word[:at] + noise + word[at:])


@given(st.text("abcdé水ж", max_size=12), st.text("abcdé水ж", max_size=12))
@settings(max_examples=200)
def test_the_hash_of_letters_sees_letters_and_their_order(one: str, two: str) -> None:
    assert (letters_hash(one) == letters_hash(two)) == (one == two)


def test_the_number_of_threads_does_not_change_anything() -> None:
    pairs = [Pair(f"Satz {number} — Ж水{'é' * (number % 7)}", "x" * (number % 50)) for number in range(5000)]
    one = Batch(pairs, ("en", "es"), threads=1)
    for threads in (2, 3, 8):
        other = Batch(pairs, ("en", "es"), threads)
        np.testing.assert_array_equal(one.source, other.source)
        np.testing.assert_array_equal(one.target, other.target)


def test_more_digits_than_can_be_counted_stay_at_the_largest_number() -> None:
    assert measures("7" * 70_000 + "3")["digits"].tolist() == [0, 0, 0, 1, 0, 0, 0, 65_535, 0, 0]


def test_no_pairs_have_no_measures() -> None:
    assert len(Batch([]).source) == 0


def test_a_selection_keeps_what_was_counted() -> None:
    batch = Batch([Pair("a", "b"), Pair("cc", "dd"), Pair("eee", "fff")])
    assert batch.source["characters"].tolist() == [1, 2, 3]
    chosen = batch.select(np.array([True, False, True]))
    assert chosen.pairs == [Pair("a", "b"), Pair("eee", "fff")]
    assert chosen.source["characters"].tolist() == [1, 3]
    assert chosen.target["characters"].tolist() == [1, 3]


@pytest.mark.parametrize("rows", [["text"], [("one",)], [("a", 5)], [("a", None)]])
def test_what_is_no_pair_of_texts_is_refused(rows: list[object]) -> None:
    kinds, small = np.zeros(128, np.uint16), np.arange(128, dtype=np.uint32)
    with pytest.raises(ValueError, match=r"rows must be tuples|texts must be str"):
        _kernel.measure(rows, 1, kinds, small, 0, 0, 1)  # type: ignore[arg-type]


def test_characters_beyond_the_tables_are_others() -> None:
    kinds, small = np.ones(128, np.uint16), np.arange(128, dtype=np.uint32)
    raw = _kernel.measure([("aé水🙂", "")], 0, kinds, small, 0, 0, 1)
    assert raw.view(np.uint32)[0, 4:8].tolist() == [4, 1, 4, 1]  # characters, words, visible, letters
