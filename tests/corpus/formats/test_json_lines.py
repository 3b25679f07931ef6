"""JSON Lines: which keys hold the texts, and what is wrong with a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import error_of, read, read_back, written

from calque.corpus import Columns, Pair, find_bitexts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.jsonl"


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


@pytest.mark.parametrize(
    ("first", "languages"),
    [
        ({"en": "dog", "es": "perro"}, ("en", "es")),
        ({"id": 7, "en": "dog", "score": 0.5, "es": "perro", "tags": []}, ("en", "es")),
        ({"eng_Latn": "dog", "spa_Latn": "perro"}, ("en", "es")),
        ({"translation": {"en": "dog", "es": "perro"}}, ("en", "es")),
        ({"id": "0", "translation": {"en": "dog", "es": "perro"}}, ("en", "es")),
        ({"source": "dog", "target": "perro"}, None),
        ({"id": "0", "target": "perro", "source": "dog"}, None),
        ({"sentence1": "dog", "sentence2": "perro", "label": "x"}, None),
        ({"question": "dog", "answer": "perro"}, None),
        (["dog", "perro"], None),
    ],
)
def test_the_first_line_says_where_the_texts_are(path: Path, first: object, languages: tuple[str, str] | None) -> None:
    assert read(path, lines(first, first)) == (languages, [("dog", "perro")] * 2)


@pytest.mark.parametrize("nested", [True, False])
def test_languages_choose_keys_and_their_order(path: Path, nested: bool) -> None:
    value: dict[str, object] = {"de": "Hund", "en": "dog", "es": "perro"}
    content = lines({"translation": value} if nested else value)
    assert read(path, content, ("spa", "en")) == (("es", "en"), [("perro", "dog")])


@pytest.mark.parametrize("columns", [("b", "c"), (2, 3), ("B", 3)])
def test_columns_choose_keys(path: Path, columns: Columns) -> None:
    assert read(path, lines({"a": 1, "b": "dog", "c": "perro"}), columns=columns).pairs == [("dog", "perro")]


def test_columns_choose_places_of_a_list(path: Path) -> None:
    assert read(path, lines([0.7, "dog", "perro"]), columns=(2, 3), format="jsonl").pairs == [("dog", "perro")]


def test_keys_may_come_in_any_order_and_be_more(path: Path) -> None:
    content = lines({"en": "a", "es": "b"}, {"es": "d", "x": {}, "en": "c"})
    assert read(path, content).pairs == [("a", "b"), ("c", "d")]


def test_blank_lines_are_skipped_and_counted(path: Path) -> None:
    content = '\n  \n{"en": "a", "es": "b"}\n\n \t\r\n{"en": "c"}\n'
    assert error_of(path, content).message == f"{path}, line 6: no key 'es'"
    assert read(path, content.replace('"c"', '"c", "es": "d"')).pairs == [("a", "b"), ("c", "d")]


def test_null_is_a_blank_side(path: Path) -> None:
    content = lines({"en": None, "es": "b"}, {"en": "c", "es": None})
    assert read(path, content).pairs == [("", "b"), ("c", "")]
    assert list(find_bitexts([str(path)])[0].pairs()) == []


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"en": "a", "es": 5}', "expected a text in 'es', got a number"),
        ('{"en": "a", "es": NaN}', "expected a text in 'es', got a number"),
        ('{"en": true, "es": "b"}', "expected a text in 'en', got true or false"),
        ('{"en": ["a"], "es": "b"}', "expected a text in 'en', got a list"),
        ('{"en": {"a": 1}, "es": "b"}', "expected a text in 'en', got an object"),
        ('{"en": "a"}', "no key 'es'"),
        ('["a", "b"]', "expected an object as on the first line, got a list"),
        ('"ab"', "expected an object as on the first line, got a text"),
        ("null", "expected an object as on the first line, got null"),
        ('{"en": "a", "es": "b"} x', "not JSON (Extra data at position 24)"),
        ('{"en": "a", "es": "b"},', "not JSON (Extra data at position 23)"),
        ('{"en": "a", "es": "b', "not JSON (Unterminated string starting at at position 19)"),
        ("{'en': 'a', 'es': 'b'}", "not JSON ("),
        ('{"en": "a\tb", "es": "b"}', "not JSON (Invalid control character at at position 10)"),
        ("no json", "not JSON ("),
    ],
)
def test_a_line_that_does_not_fit_is_named(path: Path, second: str, message: str) -> None:
    problem = error_of(path, f'{{"en": "a", "es": "b"}}\n{second}\n')
    assert problem.message.startswith(f"{path}, line 2: {message}")
    assert problem.hint is not None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["a", "b", "c"], "expected 2 columns, got 3"),
        (["a"], "expected 2 columns, got 1"),
        (["a", 5], "expected a text in column 2, got a number"),
        ({"en": "a", "es": "b"}, "expected a list as on the first line, got an object"),
        ("ab", "expected a list as on the first line, got a text"),
    ],
)
def test_a_list_that_does_not_fit_is_named(path: Path, value: object, message: str) -> None:
    assert error_of(path, lines(["a", "b"], value)).message == f"{path}, line 2: {message}"


@pytest.mark.parametrize("second", [{"en": "a", "es": "b"}, {"translation": ["a", "b"]}, {"translation": None}, ["a"]])
def test_a_line_without_the_translation_is_named(path: Path, second: object) -> None:
    problem = error_of(path, lines({"translation": {"en": "a", "es": "b"}}, second))
    assert problem.message.startswith(f"{path}, line 2: ")


@pytest.mark.parametrize(
    "content",
    [
        '[{"en": "a", "es": "b"}, {"en": "c", "es": "d"}]\n',
        '[\n  {\n    "en": "a",\n    "es": "b"\n  }\n]\n',
        '[\n{"en": "a", "es": "b"},\n{"en": "c", "es": "d"}\n]\n',
        '{\n  "en": "a",\n  "es": "b"\n}\n',
    ],
)
def test_json_that_is_not_a_line_each_is_an_error_that_says_so(path: Path, content: str) -> None:
    problem = error_of(path, content)
    assert problem.message.startswith(f"{path}, line 1: ")
    assert "one object a line" in str(problem.hint)
    assert "jq -c" in str(problem.hint)


@pytest.mark.parametrize("line", ['{"a": ' * 100_000, "[" * 100_000, '{"en": ' + "9" * 10_000 + "}"])
@pytest.mark.parametrize("before", ["", '{"en": "a", "es": "b"}\n'])
def test_nesting_and_numbers_beyond_measure_are_errors(path: Path, before: str, line: str) -> None:
    problem = error_of(path, f"{before}{line}\n", format="jsonl")
    assert problem.message.startswith(f"{path}, line {2 if before else 1}: ")


@pytest.mark.parametrize(
    "content", ["5\n", '"text"\n', "null\n", "{}\n", '{"en": "a"}\n', '{"a": "", "b": "", "c": ""}\n']
)
def test_a_first_line_that_names_no_two_texts_is_an_error(path: Path, content: str) -> None:
    assert error_of(path, content, format="jsonl").message.startswith(f"{path}, line 1: ")


def test_of_a_key_that_comes_twice_the_last_counts(path: Path) -> None:
    assert read(path, '{"en": "a", "es": "b", "en": "c"}\n').pairs == [("c", "b")]


def test_half_of_a_surrogate_pair_becomes_the_replacement_character(path: Path) -> None:
    content = r'{"en": "a\ud800b", "es": "\ud83d\ude42"}' + "\n" + r'{"en": "\uDC00", "es": "\\ud800"}' + "\n"
    assert read(path, content).pairs == [("a\ufffdb", "🙂"), ("\ufffd", r"\ud800")]


def test_a_mark_at_the_start_and_spaces_around_are_no_part_of_it(path: Path) -> None:
    assert read(path, '\ufeff  {"en": "a", "es": "b"}  \r\n {"en": "c", "es": "d"}').pairs == [("a", "b"), ("c", "d")]


def test_a_first_line_longer_than_the_first_look_is_known(path: Path) -> None:
    pair = ("dog " * 50_000, "perro")
    assert read(path, written("jsonl", [pair])).pairs == [pair]
    assert read(path, lines(pair)).pairs == [pair]


def test_bytes_that_are_not_utf8_are_named_with_their_line(path: Path) -> None:
    problem = error_of(path, b'{"en": "a", "es": "b"}\n{"en": "\xe9", "es": "b"}\n')
    assert problem.message == f"{path}, line 2: not UTF-8 (byte 0xe9 at position 9)"


def test_pairs_before_an_error_are_given(path: Path) -> None:
    path.write_text('{"en": "a", "es": "b"}\nbroken\n')
    assert next(find_bitexts([str(path)])[0].batches()) == [Pair("a", "b")]


@pytest.mark.parametrize(
    ("languages", "keys"),
    [
        (("en", "es"), ["en", "es"]),
        (("en", "ber"), ["en", "ber"]),
        (("en", "en"), ["source", "target"]),
        (None, ["source", "target"]),
    ],
)
def test_keys_are_the_languages_if_they_differ(languages: tuple[str, str] | None, keys: list[str]) -> None:
    assert list(json.loads(written("jsonl", [("a", "b")], languages))) == keys


def test_text_is_written_as_it_is() -> None:
    assert (
        written("jsonl", [("¿Qué?", '"日本"\n')], ("es", "ja")) == '{"es": "¿Qué?", "ja": "\\"日本\\"\\n"}\n'.encode()
    )


texts = st.text(st.characters(exclude_categories=[]))


@given(st.lists(st.tuples(texts, texts)), st.sampled_from([None, ("en", "es")]))
def test_what_is_written_comes_back_but_for_halves_of_surrogate_pairs(
    rows: list[tuple[str, str]], languages: tuple[str, str] | None
) -> None:
    whole = [tuple(text.encode("utf-8", "replace").decode() for text in row) for row in rows]
    assert read_back("jsonl", written("jsonl", rows, languages)) == (languages if rows else None, whole)


@given(st.lists(st.tuples(texts, texts), min_size=1))
def test_escaped_text_is_read(rows: list[tuple[str, str]]) -> None:
    content = lines(*({"en": source, "es": target} for source, target in rows)).encode()
    whole = [tuple(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in row) for row in rows]
    assert read_back("jsonl", content).pairs == whole
