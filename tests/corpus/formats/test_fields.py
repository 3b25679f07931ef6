"""Which two of several names are the source and the target."""

from __future__ import annotations

import pytest

from calque.corpus import Columns
from calque.corpus.fields import check_columns, choose_fields, is_header, names_for, names_languages
from calque.corpus.pair import Wanted
from calque.errors import CorpusError

EN_ES = ("en", "es")


@pytest.mark.parametrize(
    ("names", "wanted", "places", "languages"),
    [
        (["en", "es"], Wanted(), (0, 1), EN_ES),
        (["eng_Latn", "spa_Latn"], Wanted(), (0, 1), EN_ES),
        (["one thing", "other thing"], Wanted(), (0, 1), None),
        (["en", "other thing"], Wanted(), (0, 1), None),
        (["id", "source", "target"], Wanted(), (1, 2), None),
        (["TARGET", " Source ", "id"], Wanted(), (1, 0), None),
        (["src", "trg", "id"], Wanted(), (0, 1), None),
        (["de", "es", "en"], Wanted(EN_ES), (2, 1), EN_ES),
        (["es-MX", "en-GB", "es"], Wanted(EN_ES), (1, 2), EN_ES),
        (["en", "source", "target", "es"], Wanted(EN_ES), (0, 3), EN_ES),
        (["source", "target", "id"], Wanted(EN_ES), (0, 1), EN_ES),
        (["first text", "second text"], Wanted(EN_ES), (0, 1), EN_ES),
        (["de", "es", "en"], Wanted(columns=("en", "es")), (2, 1), EN_ES),
        (["de", "es", "en"], Wanted(columns=("EN", "Spa")), (2, 1), EN_ES),
        (["a", "b", "c"], Wanted(columns=(3, 1)), (2, 0), None),
        (["a", "b", "c"], Wanted(columns=("c", 1)), (2, 0), None),
        (["a", "b", "c"], Wanted(EN_ES, (3, 1)), (2, 0), EN_ES),
    ],
)
def test_fields_are_chosen(
    names: list[str], wanted: Wanted, places: tuple[int, int], languages: tuple[str, str] | None
) -> None:
    assert choose_fields(names, wanted, "here") == (*places, languages)


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (["en", "es", "de"], Wanted(), "here: expected two columns, got 3: en, es, de"),
        (["en"], Wanted(), "here: expected two columns, got 1: en"),
        ([], Wanted(), "here: expected two columns, got 0: "),
        (["en", "de", "x"], Wanted(EN_ES), "here: no column for es among en, de, x"),
        (["en", "de"], Wanted(EN_ES), "here: no column for es among en, de"),
        (["a", "b", "c"], Wanted(EN_ES), "here: no column for en and es among a, b, c"),
        (["en", "x", "y"], Wanted(("en", "en")), "here: no column for en and en among en, x, y"),
        (["a", "b"], Wanted(columns=("a", "c")), "here: no column 'c' among a, b"),
        (["a", "b"], Wanted(columns=(1, 3)), "here: no column 3, only 2"),
        (list("abcdefghijklmn"), Wanted(), "here: expected two columns, got 14: a, b, c, d, e, f, g, h, i, j, k, l …"),
    ],
)
def test_what_cannot_be_chosen_is_an_error_that_lists_what_there_is(
    names: list[str], wanted: Wanted, message: str
) -> None:
    with pytest.raises(CorpusError) as problem:
        choose_fields(names, wanted, "here")
    assert problem.value.message == message


@pytest.mark.parametrize(
    ("cells", "wanted", "header"),
    [
        (["source", "target"], Wanted(), True),
        (["x", "Src", "TGT"], Wanted(), True),
        (["source", "target"], Wanted(EN_ES), True),
        (["en", "es"], Wanted(), False),
        (["en", "es"], Wanted(EN_ES), True),
        (["es-MX", "eng"], Wanted(EN_ES), True),
        (["en", "de"], Wanted(EN_ES), False),
        (["en", "x"], Wanted(("en", "en")), False),
        (["A dog", "Un perro"], Wanted(EN_ES), False),
        (["A dog", "Un perro"], Wanted(columns=("en", "es")), True),
        (["A dog", "Un perro"], Wanted(columns=(1, 2)), False),
        (["id", "source", "target"], Wanted(columns=(2, 3)), True),
        (["id", "source", "target"], Wanted(columns=(1, 2)), False),
        (["source"], Wanted(columns=(1, 2)), False),
        (["source"], Wanted(), False),
    ],
)
def test_a_header_names_what_is_wanted_or_is_usual(cells: list[str], wanted: Wanted, header: bool) -> None:
    assert is_header(cells, wanted) is header


def test_codes_alone_are_a_header_where_headers_are_common() -> None:
    assert is_header(["en", "es"], Wanted(), codes=True)
    assert is_header(["id", "en", "es"], Wanted(columns=(2, 3)), codes=True)
    assert not is_header(["id 1", "en", "es"], Wanted(), codes=True)


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (("en", "es"), True),
        (("eng", "spa"), True),
        (("zh-CN", "pt_BR"), True),
        (("en", "es", "de"), True),
        (("the", "el"), False),  # words, though both are codes
        (("en", "eng"), False),
        (("en", "en"), False),
        (("en", "xx"), False),
        (("EN", "ES"), False),
        (("dog", "perro"), False),
        (("", ""), False),
    ],
)
def test_codes_of_different_languages_are_told_from_words(names: tuple[str, ...], languages: bool) -> None:
    assert names_languages(names) is languages


def test_fields_that_are_written_are_named_by_languages_that_differ() -> None:
    assert names_for(("en", "es")) == ("en", "es")
    assert names_for(("en", "en")) == ("source", "target")
    assert names_for(None) == ("source", "target")


@pytest.mark.parametrize("columns", [(1, 1), (0, 1), (-1, 2), ("en", "en"), (1, 0)])
def test_columns_that_make_no_sense_are_errors(columns: Columns) -> None:
    with pytest.raises(CorpusError, match="expected two different columns, counted from 1, got"):
        check_columns(columns)
