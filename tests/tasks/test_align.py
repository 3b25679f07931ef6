"""Two documents in, blocks out: in Python, and as files in each format."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path

import pytest

import calque
from calque.alignment import Alignment
from calque.corpus import read_bitext
from calque.demo import sentences
from calque.errors import CorpusError, UsageError
from calque.model import Model
from calque.tasks.align import Aligned, align_files

ENGLISH, SPANISH = sentences()["en"][:40], sentences()["es"][:40]
TOGETHER = [f"{SPANISH[0]} {SPANISH[1]}", *SPANISH[2:]]  # the first two sentences in one


def blocks(found: list[Alignment]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(each.source, each.target) for each in found]


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    Path("book.en").write_text("\n".join(["It is raining.", "", "A\tdog\truns. "]) + "\n", encoding="utf-8")
    Path("book.es").write_text("It is raining.\nA dog runs.\n", encoding="utf-8")
    return "book.en", "book.es"


def test_translations_are_found_and_what_is_one_sentence_there_is_one_block(small_model: Model) -> None:
    found = calque.align(ENGLISH, TOGETHER, small_model)
    assert [each for block in found for each in block.source] == list(range(40))
    assert [each for block in found for each in block.target] == list(range(39))
    assert found[0][:2] == ((0, 1), (0,))
    whole = {((at,), (at - 1,)) for at in range(2, 40)}
    assert len(whole & set(blocks(found))) > 30


def test_three_sentences_are_enough(small_model: Model) -> None:
    assert blocks(calque.align(ENGLISH[:3], SPANISH[:3], small_model)) == [((at,), (at,)) for at in range(3)]
    assert blocks(calque.align(ENGLISH[:1], SPANISH[:1], small_model)) == [((0,), (0,))]


def test_one_to_one_has_no_larger_blocks(small_model: Model) -> None:
    found = calque.align(ENGLISH, TOGETHER, small_model, max_size=2)
    assert {len(side) for block in found for side in block[:2]} == {0, 1}


def test_a_folder_will_do_as_a_model(small_model: Model) -> None:
    assert calque.align(ENGLISH, TOGETHER, small_model.path) == calque.align(ENGLISH, TOGETHER, small_model)


def test_the_number_of_threads_does_not_show(small_model: Model) -> None:
    assert calque.align(ENGLISH, SPANISH, small_model, threads=1) == calque.align(
        ENGLISH, SPANISH, small_model, threads=3
    )


def test_languages_reach_vocabularies_of_their_own(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = {"vocabulary_size": 300, "dimension": 16, "epochs": 0, "seed": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", sharing="separate", **options)
    with pytest.raises(UsageError, match="a text's language is needed"):
        calque.align(ENGLISH, SPANISH, model)
    assert sum(len(block.source) for block in calque.align(ENGLISH, SPANISH, model, languages=["en", "es"])) == 40


@pytest.mark.parametrize(
    ("source", "options", "kind", "message"),
    [
        ([], {}, CorpusError, "the source document holds no sentence"),
        (["", "  "], {}, CorpusError, "the source document holds no sentence"),
        ("It rains.", {}, UsageError, "the source document: expected a list of sentences, got one str"),
        (ENGLISH, {"max_size": 1}, UsageError, r"max_size: expected 2 \(one to one\) to 20, got 1"),
        (ENGLISH, {"max_size": 21}, UsageError, "max_size: expected 2"),
        (ENGLISH, {"skip": -1}, UsageError, "skip: expected 0 or more, got -1"),
        (ENGLISH, {"skip": float("nan")}, UsageError, "skip: expected 0 or more, got nan"),
        (ENGLISH, {"languages": ["en", "zh"]}, UsageError, "the model knows en, es, de, fr, not zh"),
        (ENGLISH, {"languages": ["en"]}, UsageError, "expected two languages, got 1"),
    ],
)
def test_mistakes_are_told(
    small_model: Model, source: list[str], options: dict[str, object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        calque.align(source, SPANISH, small_model, **options)  # type: ignore[arg-type]


def test_vecaligns_format_is_the_default(small_model: Model, documents: tuple[str, str]) -> None:
    assert align_files(*documents, "out.txt", small_model) == Aligned(2, 1, 0)
    shape = r"\[0\]:\[0\]:0\.00000\d\n\[1\]:\[\]:0\.000000\n\[2\]:\[1\]:0\.00000\d\n"
    assert re.fullmatch(shape, Path("out.txt").read_text())


def test_a_block_of_several_is_written_as_lists(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("\n".join(ENGLISH), encoding="utf-8")
    (tmp_path / "two").write_text("\n".join(TOGETHER), encoding="utf-8")
    align_files(tmp_path / "one", tmp_path / "two", tmp_path / "out", small_model)
    cost = calque.align(ENGLISH, TOGETHER, small_model)[0].cost
    assert (tmp_path / "out").read_text().splitlines()[0] == f"[0, 1]:[0]:{cost:.6f}"
    assert 0 < cost < 1


def test_tsv_has_the_text_and_reads_as_bitext(small_model: Model, documents: tuple[str, str]) -> None:
    align_files(*documents, "out.tsv", small_model, format="tsv")
    costs, *cells = zip(*(line.split("\t") for line in Path("out.tsv").read_text().splitlines()), strict=True)
    assert [float(cost) for cost in costs] == pytest.approx([0, 0, 0], abs=1e-5)
    texts = ("It is raining.", "", "A dog runs.")
    assert cells == [texts, texts, ("0", "1", "2"), ("0", "", "1")]
    pairs = list(read_bitext("out.tsv", columns=(2, 3)))
    assert [tuple(pair) for pair in pairs] == [("It is raining.",) * 2, ("A dog runs.",) * 2]


def test_json_lines_hold_numbers_cost_and_text(small_model: Model, documents: tuple[str, str]) -> None:
    align_files(*documents, "out.jsonl", small_model, format="jsonl")
    first, second, _ = (json.loads(line) for line in Path("out.jsonl").read_text().splitlines())
    assert first["cost"] == pytest.approx(0, abs=1e-5)
    del first["cost"]
    assert first == {"source": [0], "target": [0], "source_text": "It is raining.", "target_text": "It is raining."}
    assert second == {"source": [1], "target": [], "cost": 0.0, "source_text": "", "target_text": ""}


@pytest.mark.parametrize("empty", ["", "\n\n", " \n"])
def test_a_file_without_a_sentence_is_named_and_nothing_is_written(
    small_model: Model, documents: tuple[str, str], empty: str
) -> None:
    Path("empty.es").write_text(empty)
    with pytest.raises(CorpusError, match=r"empty\.es holds no sentence"):
        align_files(documents[0], "empty.es", "out.txt", small_model)
    assert not Path("out.txt").exists()


@pytest.mark.data
def test_a_long_document_is_aligned_wherever_it_is_cut(small_model: Model, real_data: Path) -> None:
    pairs = list(islice(read_bitext(real_data / "bitext" / "europarl.en-es.tsv.xz"), 3000))
    source = [pair.source for pair in pairs]
    found = calque.align(source, source[:1000] + source[2000:], small_model)
    expected = [((at,), (at,)) for at in range(1000)] + [((at,), (at - 1000,)) for at in range(2000, 3000)]
    assert len(set(expected) & set(blocks(found))) > 1980
