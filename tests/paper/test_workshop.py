"""Samples, vocabularies that a text does not support, and pictures that cannot be drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import shelf

from calque.corpus import read_bitext
from calque.errors import CalqueError, UsageError
from calque.model import Model
from calque.paper.library import Library
from calque.paper.workshop import Experiment, Score, Scores, Workshop

OPTIONS = {"recipe": "paper", "epochs": 1, "dimension": 8}


@pytest.fixture
def workshop(data: Path, tmp_path: Path) -> Workshop:
    made = Workshop(Library(data), shelf.TINY, tmp_path / "out")
    made.open()
    return made


def everyday(workshop: Workshop, language: str = "es") -> list[tuple[str, str]]:
    corpus = workshop.library.require("OpenSubtitles", language, ("tatoeba", "tatoeba-pivot"))
    return [(source, target) for path in corpus.paths for source, target in read_bitext(path)]


def test_a_sample_has_so_many_pairs_of_all_the_files(workshop: Workshop) -> None:
    corpus = workshop.library.require("OpenSubtitles", "es", ("tatoeba", "tatoeba-pivot"))
    assert workshop.size(corpus) == 1200
    (sample,) = workshop.bitext(corpus, 700)
    pairs = [tuple(pair) for pair in read_bitext(sample)]
    assert len(pairs) == 700
    assert set(pairs) <= set(everyday(workshop))
    assert sample.name == "tatoeba+tatoeba-pivot.en-es.tsv"


def test_a_sample_is_the_same_each_time(workshop: Workshop, tmp_path: Path) -> None:
    corpus = workshop.library.require("Europarl", "es")
    (sample,) = workshop.bitext(corpus, 50)
    content = sample.read_bytes()
    assert workshop.bitext(corpus, 50) == (sample,)
    other = Workshop(workshop.library, shelf.TINY, tmp_path / "other")
    other.open()
    assert other.bitext(corpus, 50)[0].read_bytes() == content
    assert workshop.bitext(corpus, 51) != (sample,)


@pytest.mark.parametrize("pairs", [600, 601, 1_000_000])
def test_files_that_are_no_larger_are_used_as_they_are(workshop: Workshop, pairs: int) -> None:
    corpus = workshop.library.require("Europarl", "es")
    assert workshop.bitext(corpus, pairs) == corpus.paths
    assert list((workshop.out / "corpora").iterdir()) == []


def test_pairs_with_an_empty_side_do_not_count(workshop: Workshop) -> None:
    path = workshop.library.data / "bitext" / "europarl.en-es.tsv"
    with path.open("a", encoding="utf-8") as file:
        file.write("\tnada\nnothing\t\n")
    corpus = workshop.library.require("Europarl", "es")
    assert workshop.size(corpus) == 600
    (sample,) = workshop.bitext(corpus, 599)
    assert len(list(read_bitext(sample))) == 599


def test_a_vocabulary_that_the_text_does_not_support_becomes_the_size_it_does(workshop: Workshop) -> None:
    corpus = workshop.library.require("Europarl", "es")
    seen: list[int] = []

    def measure(model: Model) -> Scores:
        seen.append(model.vocabulary.size)
        return {"mean": Score(1.0, signature=model.signature("sts:mean", 5))}

    experiment = Experiment("x", corpus, 300, OPTIONS | {"vocabulary_size": 20_000})
    signature = workshop.scores(experiment, measure, "sts")["mean"].signature
    assert 100 < seen[0] < 20_000
    assert signature.startswith(f"sts:mean|n:5|sp:{seen[0]}|dim:8|recipe:paper|data:europarl.en-es:300|")


def test_what_was_measured_is_not_measured_again_and_its_model_is_gone(workshop: Workshop) -> None:
    experiment = Experiment("x", workshop.library.require("Europarl", "es"), 100, OPTIONS | {"vocabulary": "word"})
    asked: list[Model] = []

    def measure(model: Model) -> Scores:
        asked.append(model)
        return {"mean": Score(12.3456789, 1.0, 2.0, "a signature", {"sets": 4})}

    first = workshop.scores(experiment, measure, "sts")
    again = Workshop(workshop.library, shelf.TINY, workshop.out).scores(experiment, measure, "sts")
    assert first == again
    assert len(asked) == 1
    assert list((workshop.out / "models").iterdir()) == []
    (path,) = (workshop.out / "scores").iterdir()
    assert re.fullmatch(r"x-[0-9a-f]{10}\.sts-[0-9a-f]{6}\.json", path.name)


def test_a_model_whose_measuring_failed_is_opened_and_not_trained_again(workshop: Workshop) -> None:
    said: list[str] = []
    workshop.say = said.append
    experiment = Experiment("x", workshop.library.require("Europarl", "es"), 100, OPTIONS | {"vocabulary": "word"})

    def fail(model: Model) -> Scores:
        raise CalqueError("the disk is full")

    with pytest.raises(CalqueError, match="disk"):
        workshop.scores(experiment, fail, "sts")
    workshop.scores(experiment, lambda model: {"mean": Score(1.0)}, "sts")
    assert said == ["x: training"]


def test_the_development_set_is_a_file_that_training_reads(workshop: Workshop) -> None:
    written = [line.split("\t") for line in workshop.development_set().read_text(encoding="utf-8").splitlines()]
    original = (workshop.library.evaluation / "sts17" / "track5.en-en.tsv").read_text(encoding="utf-8")
    assert [(float(gold), one, two) for gold, one, two in written] == [
        (float(gold), one, two) for gold, one, two in (line.split("\t") for line in original.splitlines())
    ]


def test_without_the_library_that_draws_there_is_a_line_instead(workshop: Workshop) -> None:
    said: list[str] = []
    workshop.say = said.append

    def plot() -> list[Path]:
        raise UsageError("drawing needs the package matplotlib, which is not installed", hint="pip install it")

    assert workshop.draw(plot) == ()
    assert said == ["no picture: drawing needs the package matplotlib, which is not installed (pip install it)"]


def test_a_place_that_cannot_be_written_to(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CalqueError, match=r"cannot write .*/file/corpora"):
        Workshop(Library(data), shelf.TINY, tmp_path / "file").open()
    assert (tmp_path / "file").read_text() == "mine"
