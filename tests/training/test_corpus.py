"""The bitext as ids."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from calque.corpus import Bitext
from calque.errors import CorpusError
from calque.training import TrainingCorpus, tokenise
from calque.training.corpus import Part
from calque.vocabulary import Tokens
from calque.vocabulary.words import WordVocabulary

WORDS = WordVocabulary(["dog", "cat", "perro", "gato"])


def bitext(folder: Path, name: str, *lines: str) -> Bitext:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Bitext((str(path),), ("en", "es"))


def sides(corpus: TrainingCorpus) -> list[tuple[list[int], list[int]]]:
    return [(corpus.source[pair].tolist(), corpus.target[pair].tolist()) for pair in range(len(corpus))]


def test_pairs_become_ids_in_their_order(tmp_path: Path) -> None:
    one = bitext(tmp_path, "one.tsv", "dog cat\tperro gato", "cat\tgato")
    two = bitext(tmp_path, "two.tsv", "dog\tperro perro")
    corpus = tokenise([one, two], WORDS, threads=1)
    assert sides(corpus) == [([0, 1], [2, 3]), ([1], [3]), ([0], [2, 2])]
    assert corpus.parts == (Part(("en", "es"), 2), Part(("en", "es"), 1))


def test_pairs_with_a_side_of_nothing_but_unknown_text_are_left_out(tmp_path: Path) -> None:
    lines = ["xyzzy\tperro", "dog\tperro", "dog\tplugh", "xyzzy\tplugh", "cat xyzzy\tplugh gato", "dog\t", "\tgato"]
    corpus = tokenise([bitext(tmp_path, "some.tsv", *lines)], WORDS, threads=1)
    assert sides(corpus) == [([0], [2]), ([1], [3])]
    assert corpus.parts == (Part(("en", "es"), 2),)


@pytest.mark.parametrize("lines", [["xyzzy\tplugh"], ["\t"], [" \t \u3000"]], ids=["unknown", "empty", "blank"])
def test_a_bitext_of_which_nothing_remains_is_an_error_that_names_it(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(CorpusError, match=r"no sentence pairs in .*none\.tsv"):
        tokenise([bitext(tmp_path, "none.tsv", *lines)], WORDS, threads=1)


@pytest.mark.parametrize(("size", "type"), [(65_535, np.uint16), (65_536, np.uint16), (65_537, np.uint32)])
def test_ids_take_two_bytes_where_they_can(tmp_path: Path, size: int, type: type) -> None:
    vocabulary = WordVocabulary([f"w{number}" for number in range(size)])
    last = f"w{size - 1}"
    corpus = tokenise([bitext(tmp_path, "b.tsv", f"w0 {last}\t{last}")], vocabulary, threads=1)
    assert corpus.source.ids.dtype == corpus.target.ids.dtype == type
    assert sides(corpus) == [([0, size - 1], [size - 1])]


def test_many_pairs_are_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.training.corpus._BATCH", 7)
    counted: list[int] = []
    many = bitext(tmp_path, "many.tsv", *["dog\tperro", "cat\tgato", "xyzzy\tgato"] * 10)
    corpus = tokenise([many], WORDS, threads=1, report=counted.append)
    assert sides(corpus) == [([0], [2]), ([1], [3])] * 10
    assert counted == sorted(counted)
    assert counted[-1] == 20


def corpus_of(source: list[list[int]], target: list[list[int]]) -> TrainingCorpus:
    return TrainingCorpus(Tokens.from_lists(source, 10), Tokens.from_lists(target, 10), (Part(None, len(source)),))


def test_the_digest_changes_with_anything_that_training_sees() -> None:
    digests = [
        corpus_of([[1, 2], [3]], [[4], [5]]).digest,
        corpus_of([[1], [2, 3]], [[4], [5]]).digest,
        corpus_of([[2, 1], [3]], [[4], [5]]).digest,
        corpus_of([[4], [5]], [[1, 2], [3]]).digest,
        corpus_of([[3], [1, 2]], [[5], [4]]).digest,
        corpus_of([[1, 2]], [[4]]).digest,
    ]
    assert len(set(digests)) == len(digests)
    assert corpus_of([[1, 2], [3]], [[4], [5]]).digest == digests[0]


def test_the_digest_changes_with_which_pairs_belong_to_which_languages() -> None:
    corpus = corpus_of([[1], [2]], [[3], [4]])
    others = [(Part(("en", "es"), 1), Part(("en", "de"), 1)), (Part(("en", "en"), 2),)]
    digests = {dataclasses.replace(corpus, parts=parts).digest for parts in others}
    assert len(digests | {corpus.digest}) == 3


def test_a_corpus_is_monolingual_if_both_sides_of_all_parts_are_one_language() -> None:
    def monolingual(*languages: tuple[str, str] | None) -> bool:
        corpus = corpus_of([[1]] * len(languages), [[2]] * len(languages))
        return dataclasses.replace(corpus, parts=tuple(Part(each, 1) for each in languages)).monolingual

    assert monolingual(("en", "en"))
    assert monolingual(("en", "en"), ("es", "es"))
    assert not monolingual(("en", "en"), ("en", "es"))
    assert not monolingual(("en", "es"))
    assert not monolingual(None)
