"""Lines and rows that the kernel makes from blocks of bytes, against a few lines of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, product
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _kernel
from calque.corpus import Pair


class Fault(NamedTuple):
    utf8: bool
    line: int
    detail: int
    byte: int


class Found(NamedTuple):
    rows: list[tuple[str, ...]]
    lines: int
    fault: Fault | None


class One(NamedTuple):
    only: str


class Three(NamedTuple):
    first: str
    second: str
    third: str


def raw_lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def slow_row(line: bytes, number: int, columns: list[int], exactly: int) -> tuple[str, ...] | Fault:
    cells = line.split(b"\t")
    begin, texts = 0, {}
    for column, cell in enumerate(cells):
        if column in columns:
            try:
                texts[column] = cell.decode()
            except UnicodeDecodeError as problem:
                return Fault(True, number, begin + problem.start, cell[problem.start])
        begin += len(cell) + 1
    if len(cells) != exactly if exactly else len(cells) <= max(columns):
        return Fault(False, number, len(cells), 0)
    return tuple(texts[column] for column in columns)


def slow_rows(content: bytes, columns: list[int], exactly: int) -> Found:
    rows, number = [], 0
    for number, line in enumerate(raw_lines(content)):
        row = slow_row(line, number, columns, exactly)
        if isinstance(row, Fault):
            return Found(rows, number, row)
        rows.append(row)
    return Found(rows, len(raw_lines(content)), None)


def fault_of(problem: Any, before: int = 0) -> Fault | None:
    return problem and Fault(problem.utf8, before + problem.line, problem.detail, problem.byte)


def blocks(content: bytes, size: int) -> Iterator[tuple[bytearray, int]]:
    """Whole lines, about `size` bytes together, in memory that is used again as by the reader of files."""
    memory = [bytearray(len(content)) for _ in range(3)]
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    while lines:
        block = lines.pop(0)
        while lines and len(block) + len(lines[0]) <= size:
            block += lines.pop(0)
        memory.append(memory.pop(0))
        memory[0][:] = b"?" * len(content)
        memory[0][: len(block)] = block
        yield memory[0], len(block)


def kernel_rows(content: bytes, row: type, columns: list[int], exactly: int, size: int, most: int) -> Found:
    splitter = _kernel.RowSplitter(row, columns, exactly)
    rows: list[tuple[str, ...]] = []
    number = 0
    for block, end in chain(blocks(content, size), [(bytearray(), 0)]):
        splitter.push(block, end)
        while taken := splitter.take(most):
            assert len(taken) <= most
            rows += taken
        number += splitter.lines
        if splitter.problem:
            return Found(rows, number, fault_of(splitter.problem, number - splitter.lines))
    return Found(rows, number, None)


characters = st.one_of(
    st.sampled_from(["a", "\t", "\t", "\n", "\r", "\r\n", " ", "\u00a0", "\u3000", "\x1c", "\x85", "\0"]),
    st.characters(max_codepoint=0x7F),
    st.characters(min_codepoint=0x80, max_codepoint=0xFF),
    st.characters(min_codepoint=0x100, max_codepoint=0x7FF),
    st.characters(min_codepoint=0x800, max_codepoint=0xFFFF, exclude_categories=["Cs"]),
    st.characters(min_codepoint=0x10000),
)
text = st.lists(characters, max_size=60).map(lambda parts: "".join(parts).encode())
cells = st.lists(characters, max_size=20).map("".join)
rows_of_two = st.lists(st.tuples(cells, cells)).map(
    lambda rows: "\n".join("\t".join(cell.replace("\t", "").replace("\n", "") for cell in row) for row in rows).encode()
)
BAD = [b"\xff", b"\x80", b"\xc0\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x99"]  # noise, and characters cut short
BAD += [b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80"]  # half a surrogate pair, beyond Unicode, too long
nearly_text = st.builds(
    lambda content, place, bad: content[: int(place * len(content))] + bad + content[int(place * len(content)) :],
    st.one_of(text, rows_of_two),
    st.floats(0, 1),
    st.sampled_from(BAD),
)
contents = st.one_of(text, rows_of_two, nearly_text, st.binary(max_size=60))


def assert_canonical(string: str) -> None:
    """As Python itself would have made it, down to the number of bytes a character."""
    twin = string.encode().decode()
    assert type(string) is str
    assert sys.getsizeof(string) <= sys.getsizeof(twin)  # which may be shared, and hold its UTF-8 too
    assert string == twin
    assert hash(string) == hash(twin)
    assert string.isascii() is twin.isascii()
    assert string.isprintable() is twin.isprintable()


@settings(max_examples=300)
@given(contents, st.integers(0, 9))
def test_lines_are_those_of_the_slow_twin(content: bytes, spare: int) -> None:
    lines, problem = _kernel.split_lines(bytearray(content + b"\n" * spare), len(content))
    expected = []
    fault = None
    for number, line in enumerate(raw_lines(content)):
        try:
            expected.append(line.decode())
        except UnicodeDecodeError as wrong:
            fault = Fault(True, number, wrong.start, line[wrong.start])
            break
    assert lines == expected
    assert fault_of(problem) == fault
    for line in lines:
        assert_canonical(line)


CASES = [
    (row, columns, exactly)
    for row, width in ((One, 1), (Pair, 2), (Three, 3), (tuple, 2))
    for columns in product(range(3), repeat=width)
    for exactly in (0, *range(max(columns) + 1, 4))
]


@settings(max_examples=300)
@given(contents, st.sampled_from(CASES), st.integers(1, 80), st.integers(1, 5))
def test_rows_are_those_of_the_slow_twin(
    content: bytes, case: tuple[type, tuple[int, ...], int], size: int, most: int
) -> None:
    row, columns, exactly = case
    found = kernel_rows(content, row, list(columns), exactly, size, most)
    expected = slow_rows(content, list(columns), exactly)
    assert found == expected
    for made, slow in zip(found.rows, expected.rows, strict=True):
        assert type(made) is row
        assert hash(made) == hash(slow)
        for cell in made:
            assert_canonical(cell)


@pytest.mark.parametrize(("row", "columns", "exactly"), CASES)
def test_every_choice_of_columns_gives_what_the_slow_twin_gives(
    row: type, columns: tuple[int, ...], exactly: int
) -> None:
    content = "a\tñ\t犬\n\t \t🙂\r\n\u3000\tb\tc\nd\te\tf\n".encode()
    for tail in (b"", b"only one", b"one\ttwo\n", b"one\ttwo\tthree\tfour", b"one\ttwo\t\xff"):
        found = kernel_rows(content + tail, row, list(columns), exactly, 20, 2)
        assert found == slow_rows(content + tail, list(columns), exactly)


@given(st.lists(st.sampled_from("aé犬🙂 "), max_size=40).map("".join))
def test_characters_of_any_width_side_by_side_are_kept(text: str) -> None:
    (row,) = kernel_rows(f"{text}\t{text}\n".encode(), Pair, [0, 1], 2, 100, 10).rows
    assert row == Pair(text, text)
    assert_canonical(row[0])


def test_rows_are_pairs_as_python_makes_them() -> None:
    (row,) = kernel_rows("a\tñ\n".encode(), Pair, [0, 1], 2, 100, 10).rows
    assert isinstance(row, Pair)
    assert row == Pair("a", "ñ")
    assert {row: 1}[Pair("a", "ñ")] == 1
    assert repr(row) == "Pair(source='a', target='ñ')"
    assert row._replace(source="b") == Pair("b", "ñ")


def test_rows_outlive_the_block_they_were_made_from() -> None:
    splitter = _kernel.RowSplitter(Pair, [0, 1], 2)
    block = bytearray("straße\tcalle\n".encode())
    splitter.push(block, len(block))
    splitter.push(bytearray(), 0)
    rows = splitter.take(10)
    block[:] = b"?" * len(block)
    del splitter
    assert rows == [Pair("straße", "calle")]


def test_a_splitter_may_be_dropped_while_it_is_at_work() -> None:
    for _ in range(50):
        splitter = _kernel.RowSplitter(Pair, [0, 1], 2)
        block = bytearray(b"A dog runs.\tUn perro corre.\n" * 1000)
        splitter.push(block, len(block))
        del splitter, block
    assert _kernel.split_lines(bytearray(b"still here\n"), 11) == (["still here"], None)


def test_nothing_has_no_rows() -> None:
    splitter = _kernel.RowSplitter(Pair, [0, 1], 2)
    assert splitter.take(5) == []
    splitter.push(bytearray(), 0)
    assert (splitter.take(5), splitter.lines, splitter.problem) == ([], 0, None)
    assert _kernel.split_lines(bytearray(), 0) == ([], None)


class Wide(Pair):
    """A tuple with a dictionary of its own, which the kernel does not know how to fill."""


@pytest.mark.parametrize("row", [list, str, object, Wide])
def test_a_row_that_is_no_plain_tuple_is_refused(row: Any) -> None:
    with pytest.raises(ValueError, match="row must be tuple or a NamedTuple"):
        _kernel.RowSplitter(row, [0, 1], 2)


def test_calls_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="no columns"):
        _kernel.RowSplitter(Pair, [], 0)
    with pytest.raises(ValueError, match="end lies behind the block"):
        _kernel.RowSplitter(Pair, [0, 1], 2).push(bytearray(3), 4)
    with pytest.raises(ValueError, match="end lies behind the block"):
        _kernel.split_lines(bytearray(3), 4)
    with pytest.raises(TypeError):
        _kernel.split_lines(b"bytes", 2)  # type: ignore[arg-type]


sides = st.text(st.sampled_from(["a", " ", "\u00a0", "\u3000", "\u200b", "\x1c", "犬", "🙂"]), max_size=3)


@given(st.lists(st.builds(Pair, sides, sides)))
def test_rows_with_a_blank_side_are_left_out(rows: list[Pair]) -> None:
    kept = [row for row in rows if all(side and not side.isspace() for side in row)]
    assert _kernel.without_blank(rows) == kept


def test_a_list_without_blank_sides_is_given_back_as_it_is() -> None:
    rows = [Pair("a", "b")]
    assert _kernel.without_blank(rows) is rows


@pytest.mark.parametrize("more", range(8))
def test_what_follows_a_line_longer_than_a_piece_of_memory_has_memory_of_its_own(more: int) -> None:
    lines = ["é" + "a" * ((1 << 20) + more), *(f"{'ñ' * 1000}{number}" for number in range(2000))]
    block = bytearray("".join(f"{line}\n" for line in lines).encode())
    assert _kernel.split_lines(block, len(block))[0] == lines
