"""Language codes in all the forms that files use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus.languages import best_fit, fits, is_language, require_standard, script_of, standard
from calque.errors import UsageError


@pytest.mark.parametrize(
    ("tag", "usual"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("eng", "en"),
        ("eng_Latn", "en"),
        ("en_GB", "en-GB"),
        ("en-gb", "en-GB"),
        ("en_US.UTF-8", "en-US"),
        ("zho_Hans", "zh-Hans"),
        ("zh_cn", "zh-CN"),
        ("sr@latin", "sr-Latn"),
        ("sr_RS@latin", "sr-Latn-RS"),
        ("ca@valencia", "ca"),
        ("ber", "ber"),
        ("iw", "he"),
        (" en ", "en"),
        ("es-419", "es-419"),
        ("", None),
        ("sentence", None),
        ("English", None),
        ("a", None),
        ("en es", None),
        ("en\n", "en"),
    ],
)
def test_codes_have_one_usual_form(tag: str, usual: str | None) -> None:
    assert standard(tag) == usual


@given(st.text(max_size=12))
def test_anything_is_a_code_or_is_not(tag: str) -> None:
    usual = standard(tag)
    assert usual is None or standard(usual) == usual


@given(st.from_regex(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?([.@][a-z]{3,8})?", fullmatch=True))
def test_the_usual_form_of_what_looks_like_a_code_is_its_own(tag: str) -> None:
    usual = standard(tag)
    assert usual is None or standard(usual) == usual
    assert fits(tag, tag) in (None, 0)


@pytest.mark.parametrize(
    ("wanted", "found", "fit"),
    [
        ("en", "en", True),
        ("en", "eng", True),
        ("en", "en-GB", True),
        ("en-GB", "en", True),
        ("en-GB", "en-US", False),
        ("en", "es", False),
        ("zh", "cmn", True),
        ("zh", "zh-TW", True),
        ("zh-Hans", "zh-CN", True),
        ("zh-Hans", "zh-TW", False),
        ("zh-CN", "zh_Hant", False),
        ("sr", "sr-Latn", True),
        ("sr-Latn", "sr-Cyrl", False),
        ("pt", "pt_BR", True),
        ("en", "no code", False),
        ("no code", "en", False),
    ],
)
def test_a_language_fits_its_regions_but_not_another_s(wanted: str, found: str, fit: bool) -> None:
    assert (fits(wanted, found) is not None) is fit


def test_the_best_fit_is_the_nearest() -> None:
    assert best_fit("en", ["de", "en-GB", "en"]) == 2
    assert best_fit("en-GB", ["en-US", "en", "en-GB"]) == 2
    assert best_fit("en-GB", ["en-US", "en"]) == 1
    assert best_fit("en", ["en-GB", "en-US"]) == 0
    assert best_fit("fr", ["de", "en"]) is None
    assert best_fit("fr", []) is None


def test_two_codes_are_taken_in_their_usual_form() -> None:
    assert require_standard(["eng", "pt_BR"]) == ("en", "pt-BR")


@pytest.mark.parametrize("tags", [["en"], [], ["en", "es", "de"]])
def test_more_or_fewer_than_two_are_a_mistake_of_the_call(tags: list[str]) -> None:
    with pytest.raises(UsageError, match=f"expected two languages, got {len(tags)}"):
        require_standard(tags)


def test_what_is_no_code_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError) as problem:
        require_standard(["en", "Spanish"])
    assert problem.value.message == "'Spanish' is not a language code"
    assert "eng_Latn" in str(problem.value.hint)


@pytest.mark.parametrize(("tag", "known"), [("en", True), ("pt_BR", True), ("xx", False), ("qqqq", False), ("", False)])
def test_codes_in_use_are_told_from_others(tag: str, known: bool) -> None:
    assert is_language(tag) is known


@pytest.mark.parametrize(
    ("language", "script"),
    [
        ("en", "Latn"),
        ("ru", "Cyrl"),
        ("ja", "Jpan"),
        ("zh-TW", "Hant"),
        ("sr", "Cyrl"),
        ("sr-Latn", "Latn"),
        ("??", None),
    ],
)
def test_a_language_has_its_script(language: str, script: str | None) -> None:
    assert script_of(language) == script
