"""Training on plain text, alone, beside bitext and from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.corpus import read_bitext
from calque.errors import CorpusError, Stopped, UsageError
from calque.tasks.train import Watcher
from calque.training import Progress

OPTIONS: dict[str, Any] = {"vocabulary_size": 400, "dimension": 32, "epochs": 4, "threads": 1, "batch_size": 32}


@pytest.fixture
def spanish(demo_bitext: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "demo.es.txt"
    path.write_text("".join(f"{pair.target}\n" for pair in read_bitext(demo_bitext["en-es"])))
    return path


def parameters(model: calque.Model) -> Any:
    return model.encoder.parameters["embeddings"]


def test_words_of_one_sentence_become_alike(spanish: Path, tmp_path: Path) -> None:
    text = [line for line in spanish.read_text().splitlines() if len(line.split()) >= 6]
    halves = [" ".join(line.split()[:3]) for line in text], [" ".join(line.split()[3:]) for line in text]

    def nearer(model: calque.Model) -> float:
        """The half of a sentence is nearer to its other half than to this share of all other halves."""
        cosines = model.encode(halves[0], normalize=True) @ model.encode(halves[1], normalize=True).T
        return float((cosines < cosines.diagonal()[:, None]).mean())

    untrained = calque.train([], tmp_path / "untrained", text=spanish, **OPTIONS | {"epochs": 0})
    trained = calque.train([], tmp_path / "trained", text=spanish, **OPTIONS | {"epochs": 20})
    assert trained.languages == ("es",)
    assert nearer(trained) > nearer(untrained) + 0.15


def test_text_is_learnt_from_beside_bitext(demo_bitext: dict[str, Path], spanish: Path, tmp_path: Path) -> None:
    def trained(name: str, **more: Any) -> calque.Model:
        return calque.train(demo_bitext["en-de"], tmp_path / name, **OPTIONS | more)

    alone, beside = trained("alone"), trained("beside", text=[spanish], weights={"demo.es": 0.5})
    assert beside.about.data == ("demo.en-de:920", "demo.es:920×0.5")
    assert beside.languages == ("en", "de", "es")
    assert alone.languages == ("en", "de")
    hola = "Tengo hambre."
    assert np.abs(beside.encode([hola])).sum() > 0


def test_the_share_that_is_left_out_matters_only_to_text(
    demo_bitext: dict[str, Path], spanish: Path, tmp_path: Path
) -> None:
    def rows(name: str, share: float, **more: Any) -> Any:
        options = OPTIONS | {"epochs": 1, "leave_out": share}
        return parameters(calque.train(demo_bitext["en-de"], tmp_path / f"{name}{share}", **options, **more))

    assert (rows("bitext", 0.4) == rows("bitext", 0.2)).all()
    assert (rows("text", 0.4, text=spanish) != rows("text", 0.2, text=spanish)).any()


@pytest.mark.parametrize("mixing", ["one-pair", "mixed"])
def test_a_stopped_training_on_text_ends_with_the_bytes_it_would_have_had(
    demo_bitext: dict[str, Path], spanish: Path, tmp_path: Path, mixing: str
) -> None:
    options = OPTIONS | {"text": spanish, "mixing": mixing, "annealing": 2}
    whole = calque.train(demo_bitext["en-de"], tmp_path / "whole", **options)
    heard: list[Progress] = []

    def hear(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) == 7:
            raise KeyboardInterrupt

    with pytest.raises((Stopped, KeyboardInterrupt)):
        calque.train(
            demo_bitext["en-de"],
            tmp_path / "stopped",
            watcher=Watcher(progress=hear, checkpoint_minutes=0),
            **options,
        )
    resumed = calque.resume(tmp_path / "stopped", threads=2)
    assert (parameters(resumed) == parameters(whole)).all()
    assert resumed.about.data == whole.about.data


def test_a_larger_corpus_than_memory_leaves_words_out_as_well(
    demo_bitext: dict[str, Path], spanish: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.training.large_corpus.MOST_BYTES", 30_000)
    model = calque.train(demo_bitext["en-de"], tmp_path / "m", text=spanish, **OPTIONS)
    assert model.about.data == ("demo.en-de:920", "demo.es:920")


def test_a_model_is_adapted_to_text_that_has_no_translation(spanish: Path, tmp_path: Path) -> None:
    first = calque.train([], tmp_path / "first", text=spanish, **OPTIONS)
    few = tmp_path / "few.es"
    few.write_text("El gato duerme en la casa.\n" * 3 + "La casa tiene un gato negro.\n" * 3)
    adapted = calque.train([], tmp_path / "adapted", text=few, init=tmp_path / "first", epochs=2, freeze=0, threads=1)
    assert adapted.vocabulary.pieces == first.vocabulary.pieces
    assert (parameters(adapted) != parameters(first)).any()
    assert adapted.about.data == ("demo.es:920", "few.es:6")


def test_text_in_a_language_that_the_model_lacks_cannot_adapt_it(spanish: Path, tmp_path: Path) -> None:
    calque.train([], tmp_path / "first", text=spanish, **OPTIONS | {"epochs": 1})
    german = tmp_path / "few.de"
    german.write_text("Die Katze schläft.\n")
    with pytest.raises(UsageError, match=r"few\.de is de-de, and .* knows es"):
        calque.train([], tmp_path / "adapted", text=german, init=tmp_path / "first")
    assert not (tmp_path / "adapted").exists() or not any((tmp_path / "adapted").iterdir())


def test_neither_bitext_nor_text_is_nothing_to_learn_from(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no bitext given"):
        calque.train([], tmp_path / "m")


def test_bitext_given_as_text_is_refused_before_anything_is_written(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match="expected plain text"):
        calque.train([], tmp_path / "m", text=demo_bitext["en-es"])
    assert not any((tmp_path / "m").glob("*"))


def test_a_blstm_learns_from_text_too(spanish: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    losses: list[float] = []
    watcher = Watcher(progress=lambda now: losses.append(now.loss) if now.ends_epoch else None)
    options = OPTIONS | {"encoder": "blstm", "dimension": 16, "epochs": 3}
    calque.train([], tmp_path / "m", text=spanish, watcher=watcher, **options)
    assert losses[-1] < losses[0]
