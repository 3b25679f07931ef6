"""One form for all ways to write the same text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.surrogates import without_surrogates
from calque.vocabulary.normalise import normalise


@given(st.text())
def test_a_normal_form_stays_as_it_is(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_every_character_has_a_normal_form_that_stays() -> None:
    normal = {normalise(chr(code)) for code in range(0x110000) if not 0xD800 <= code < 0xE000}
    assert [text for text in normal if normalise(text) != text] == []


@given(st.text())
def test_composed_and_decomposed_text_are_the_same(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))


@given(st.text(st.characters(codec="ascii")))
def test_case_does_not_matter(text: str) -> None:
    assert normalise(text.upper()) == normalise(text)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Ｃafé\u00a0ROUGE ", "café rouge"),
        ("ﬁne", "fine"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("a\u3000b\tc\nd\u2028e", "a b c d e"),
        ("ℌello №5", "hello no5"),
        ("", ""),
        (" \u3000 ", ""),
    ],
)
def test_forms_and_cases_and_spaces_are_unified(text: str, normal: str) -> None:
    assert normalise(text) == normal


@given(st.text(st.characters()))
def test_lone_surrogates_become_replacement_characters(text: str) -> None:
    expected = "".join("\ufffd" if 0xD800 <= ord(character) < 0xE000 else character for character in text)
    assert without_surrogates(text) == expected
