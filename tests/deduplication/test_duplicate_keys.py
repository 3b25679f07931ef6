"""What makes two lines the same before any vector is asked."""

from __future__ import annotations

import pytest
from hypothesis import given

from calque.deduplication.keys import keys_of
from strategies import texts


def same_letters(one: str, two: str, numbers: bool = True) -> bool:
    letters = keys_of([(one,), (two,)], numbers).letters
    return bool(letters[0] == letters[1])


def same_digits(one: str, two: str) -> bool:
    digits = keys_of([(one,), (two,)]).digits
    return bool(digits[0] == digits[1])


@pytest.mark.parametrize(
    ("one", "two"),
    [("The dog runs.", "the DOG runs!"), ("a 1,000 b", "A 1.000 B"), ("x 12", "12 x"), ("dogs", "d-o g s")],
)
def test_case_and_punctuation_do_not_matter(one: str, two: str) -> None:
    assert same_letters(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("I have 3 dogs.", "I have 5 dogs."),
        ("3 to 2", "2 to 3"),
        ("dog", "dog 1"),
        ("की", "का"),
        ("☃", "☀"),
        ("é", "e"),
    ],
)
def test_letters_and_digits_do(one: str, two: str) -> None:
    assert not same_letters(one, two)


def test_numbers_can_be_ignored_but_not_where_there_is_nothing_else() -> None:
    assert same_letters("I have 3 dogs.", "I have 5 dogs.", numbers=False)
    assert not same_letters("12:30", "12:31", numbers=False)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("1,000 dogs", "1.000 Hunde", True),
        ("5 May 2010", "5. Mai 2010", True),
        ("٣ كلاب", "3 dogs", True),
        ("no digit", "none", True),
        ("13", "31", False),
        ("1", "", False),
        ("1.5", "1,5", True),
        ("1.5", "15", False),
        ("-5", "5", False),
        ("at −5", "at -5", True),
        ("A-5", "A 5", True),
        ("1 000 000", "1,000,000", True),
        ("1.000,50", "1,000.50", True),
        ("12 30", "1230", False),
        ("2024-01-02", "2024.01.02", True),
        ("version 1.2.3", "version 12.3", False),
        ("5 %", "5%", True),
        ("5%", "5", False),
        ("$250", "250 $", True),
        ("$250", "€250", False),
        ("-$5", "$5", False),
        ("x < 5", "x > 5", False),
    ],
)
def test_digits_are_compared_in_their_order_in_any_script(one: str, two: str, same: bool) -> None:
    assert same_digits(one, two) is same


@given(texts, texts)
def test_a_pair_is_the_same_only_if_both_sides_are(one: str, two: str) -> None:
    keys = keys_of([(one, two), (one, two), (two, one)])
    assert keys.text[0] == keys.text[1]
    assert keys.letters[0] == keys.letters[1]
    assert (keys.text[0] == keys.text[2]) == (one == two)


def test_only_what_shows_nothing_at_all_is_blank() -> None:
    assert keys_of([("",), (" \u200b",), (".",)]).blank.tolist() == [True, True, False]
    assert keys_of([("", "a"), ("", " ")]).blank.tolist() == [False, True]
    assert keys_of([]).text.tolist() == []
