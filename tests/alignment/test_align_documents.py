"""Whole documents: what is merged, missing, blank or much longer on one side is found, and nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.alignment import Alignment, Document, align_documents

DIMENSION = 64


def sentences(count: int, seed: int = 1) -> Document:
    """Sentences that have nothing to do with each other, of 20 to 100 characters."""
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((count, DIMENSION)).astype(np.float32)
    return Document.of(vectors, ["x" * length for length in draw.integers(20, 100, count)])


def translated(document: Document, noise: float = 0.5, seed: int = 2) -> Document:
    """The same in another language, as well as a model knows it."""
    draw = np.random.default_rng(seed)
    spread = np.sqrt((document.sums**2).mean(axis=1, keepdims=True))
    made = document.sums + noise * spread * draw.standard_normal(document.sums.shape)
    return Document(made.astype(np.float32), document.lengths)


def merged(document: Document, sizes: Sequence[int]) -> Document:
    """So many sentences as one; 0 leaves one out."""
    sums, lengths, at = [], [], 0
    for size in sizes:
        if size:
            sums.append(document.sums[at : at + size].sum(axis=0))
            lengths.append(document.lengths[at : at + size].sum())
        at += size or 1
    return Document(np.array(sums), np.array(lengths))


def with_blank(document: Document, before: Sequence[int]) -> Document:
    return Document(np.insert(document.sums, before, 0, axis=0), np.insert(document.lengths, before, 0))


def blocks(found: Sequence[Alignment]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(each.source, each.target) for each in found]


def identity(count: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [((at,), (at,)) for at in range(count)]


def assert_complete(found: Sequence[Alignment], sources: int, targets: int) -> None:
    assert [each for block in found for each in block.source] == list(range(sources))
    assert [each for block in found for each in block.target] == list(range(targets))


@given(
    sources=st.integers(1, 30),
    targets=st.integers(1, 30),
    blank=st.lists(st.integers(0, 29), max_size=6),
    max_size=st.integers(2, 8),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=60)
def test_every_sentence_occurs_once_and_in_order(
    sources: int, targets: int, blank: list[int], max_size: int, seed: int
) -> None:
    source = with_blank(sentences(sources, seed), [at % (sources + 1) for at in blank])
    target = with_blank(sentences(targets, seed + 1), [at % (targets + 1) for at in blank[:2]])
    found = align_documents(source, target, max_size)
    assert_complete(found, len(source), len(target))
    for block in found:
        full = int(source.has_vector[list(block.source)].sum() + target.has_vector[list(block.target)].sum())
        assert full <= max_size
        assert block.cost == 0 if not (block.source and block.target) else block.cost >= 0


@pytest.mark.parametrize("count", [1, 2, 3, 100, 2000])
def test_a_document_aligned_with_itself_is_the_identity(count: int) -> None:
    document = sentences(count)
    found = align_documents(document, document)
    assert blocks(found) == identity(count)
    assert max(block.cost for block in found) < 1e-3


def test_equal_sentences_are_aligned_in_order() -> None:
    one = sentences(1)
    same = Document(np.repeat(one.sums, 12, axis=0), np.repeat(one.lengths, 12))
    assert_complete(align_documents(same, same), 12, 12)
    three = Document(same.sums[:3], same.lengths[:3])
    assert blocks(align_documents(three, three)) == identity(3)


@pytest.mark.parametrize("large", [False, True])
def test_merged_sentences_are_found_on_either_side(large: bool) -> None:
    count = 1500 if large else 12
    sizes = [1, 2, 1, 3] + [1] * (count - 7)
    source, target = sentences(count), merged(translated(sentences(count)), sizes)
    expected = [((0,), (0,)), ((1, 2), (1,)), ((3,), (2,)), ((4, 5, 6), (3,))]
    expected += [((at,), (at - 3,)) for at in range(7, count)]
    assert blocks(align_documents(source, target)) == expected
    assert blocks(align_documents(target, source)) == [(one, two) for two, one in expected]


def test_one_to_one_leaves_a_half_of_a_merged_sentence_out() -> None:
    source, target = sentences(6), merged(translated(sentences(6)), [1, 2, 1, 1, 1])
    found = align_documents(source, target, max_size=2)
    assert max(len(side) for block in found for side in (block.source, block.target)) == 1
    assert_complete(found, 6, 5)
    assert blocks(found)[0] == ((0,), (0,))
    assert blocks(found)[-3:] == [((3,), (2,)), ((4,), (3,)), ((5,), (4,))]


@pytest.mark.parametrize(("begin", "end"), [(0, 700), (900, 1600), (1500, 2000)])
def test_a_missing_chapter_is_left_out(begin: int, end: int) -> None:
    source = sentences(2000)
    kept = np.r_[0:begin, end:2000]
    found = align_documents(source, translated(source).only(kept))
    expected = [((at,), (at,)) for at in range(begin)]
    expected += [((at,), (at - (end - begin),)) for at in range(end, 2000)]
    right = {block for block in blocks(found) if all(block)} & set(expected)
    assert len(right) >= 0.99 * len(expected)
    assert sum(not block.target for block in found) >= 0.9 * (end - begin)


def test_a_short_passage_is_found_in_a_long_document() -> None:
    source = sentences(3000)
    found = align_documents(source, translated(source).only(np.arange(1200, 1210)))
    assert_complete(found, 3000, 10)
    inside = [((1200 + at,), (at,)) for at in range(1, 9)]  # its ends may take a neighbour along
    assert [block for block in blocks(found) if block[1]][1:-1] == inside


def test_one_sentence_against_many() -> None:
    source = sentences(50)
    found = align_documents(source, translated(source).only(np.array([20])))
    assert_complete(found, 50, 1)
    assert ((20,), (0,)) in blocks(found)


def test_blank_lines_stand_alone_or_belong_to_the_block_around_them() -> None:
    source = with_blank(sentences(4), [0, 2, 4])  # blank, 0, 1, blank, 2, 3, blank
    target = merged(translated(sentences(4)), [1, 2, 1])
    assert blocks(align_documents(source, target)) == [
        ((0,), ()),
        ((1,), (0,)),
        ((2, 3, 4), (1,)),
        ((5,), (2,)),
        ((6,), ()),
    ]


def test_documents_without_any_vector_have_nothing_in_common() -> None:
    blank = Document(np.zeros((2, DIMENSION), np.float32), np.zeros(2, np.float32))
    assert blocks(align_documents(blank, sentences(1))) == [((0,), ()), ((1,), ()), ((), (0,))]


def test_cheaper_skips_leave_more_out() -> None:
    source, target = sentences(30, seed=3), sentences(30, seed=4)
    left_out = [sum(not all(block[:2]) for block in align_documents(source, target, skip=skip)) for skip in (0.1, 5)]
    assert left_out == [60, 0]
