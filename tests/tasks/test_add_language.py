"""Languages added to a model: they are learnt, and what the model knew stays."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import CalqueError, Stopped, UsageError
from calque.tasks.train import Watcher
from calque.training import Progress

OPTIONS: dict[str, Any] = {"add_pieces": 500, "threads": 1, "epochs": 10, "batch_size": 32}


@pytest.fixture(scope="module")
def base(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("base") / "base"
    options = {"vocabulary_size": 800, "dimension": 32, "epochs": 20, "threads": 1, "batch_size": 32}
    return calque.train(demo_bitext["en-es"], out, **options)


@pytest.fixture(scope="module")
def added(base: calque.Model, demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("added") / "added"
    return calque.train(demo_bitext["en-de"], out, init=base.path, add_languages=["de"], **OPTIONS)


def agreement(model: calque.Model, one: str, two: str) -> float:
    """The share of sentences whose translation is the nearest."""
    text = sentences()
    cosines = model.encode(text[one], normalize=True) @ model.encode(text[two], normalize=True).T
    return float((cosines.argmax(axis=1) == np.arange(len(cosines))).mean())


def test_the_new_language_is_learnt(base: calque.Model, added: calque.Model) -> None:
    assert agreement(added, "de", "en") > agreement(base, "de", "en") + 0.2
    assert agreement(added, "de", "es") > agreement(base, "de", "es") + 0.1  # which it never saw together


def test_nearly_all_old_rows_stay_as_they_are(base: calque.Model, added: calque.Model) -> None:
    size = base.vocabulary.size
    assert added.vocabulary.pieces[:size] == base.vocabulary.pieces
    moved = (added.embeddings[:size] != base.embeddings).any(axis=1)
    assert 0 < moved.mean() < 0.1
    assert not moved[0]
    assert agreement(added, "en", "es") > agreement(base, "en", "es") - 0.05


def test_the_folder_says_what_it_was_made_from(base: calque.Model, added: calque.Model) -> None:
    assert added.languages == ("en", "es", "de")
    assert added.about.data == ("demo.en-es:920", "demo.en-de:920")
    assert added.about.training["vocabulary_size"] == added.vocabulary.size > base.vocabulary.size
    assert "|recipe:extend,batch-size=32,init=base,added=de|" in added.signature("x", 1)
    assert added.path is not None
    assert "extend,batch-size=32,init=base,added=de" in (added.path / "README.md").read_text(encoding="utf-8")


def test_figures_of_what_stays_as_it_was_are_kept_and_those_of_what_changes_are_not(
    measured_model: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    held_out = tmp_path / "held-out.en-eo.tsv"
    pairs = zip(sentences()["en"][:30], sentences()["es"][:30], strict=True)  # any other language is as good here
    held_out.write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")
    bitext = tmp_path / "new.en-eo.tsv"
    bitext.write_bytes(demo_bitext["en-es"].read_bytes())
    options = {"threads": 1, "epochs": 1, "add_pieces": 50, "dev": held_out}
    added = calque.train(bitext, tmp_path / "a", init=measured_model.path, add_languages=["eo"], **options)
    kept = {each.language: (each.found, each.date) for each in added.about.quality if each.language != "eo"}
    assert kept == {"es": (40, "2026-03-01"), "de": (94, "2026-03-01")}
    assert [each.n for each in added.about.quality if each.language == "eo"] == [30]
    adapted = calque.train(demo_bitext["en-es"], tmp_path / "b", init=measured_model.path, threads=1, epochs=1)
    assert adapted.about.quality == ()


def test_a_model_can_be_added_to_again(added: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    model = calque.train(demo_bitext["de-fr"], tmp_path / "m", init=added.path, add_languages="fr", **OPTIONS)
    assert model.languages == ("en", "es", "de", "fr")
    assert agreement(model, "fr", "de") > agreement(added, "fr", "de") + 0.1


def test_several_languages_are_added_at_once(base: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    bitexts = [demo_bitext["en-de"], demo_bitext["en-fr"], demo_bitext["de-fr"]]
    model = calque.train(bitexts, tmp_path / "m", init=base.path, add_languages=["deu", "fr"], **OPTIONS)
    assert model.languages == ("en", "es", "de", "fr")
    for language in ("de", "fr"):
        assert agreement(model, language, "en") > agreement(base, language, "en") + 0.15


def stop_after(epochs: int) -> Watcher:
    def progress(now: Progress) -> None:
        if now.ends_epoch and now.epoch == epochs:
            os.kill(os.getpid(), signal.SIGINT)

    return Watcher(progress=progress)


def test_a_stopped_run_ends_with_the_same_bytes_though_the_first_model_is_gone(
    base: calque.Model, added: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    assert base.path is not None
    shutil.copytree(base.path, tmp_path / "base")
    with pytest.raises(Stopped):
        calque.train(
            demo_bitext["en-de"],
            tmp_path / "m",
            init=tmp_path / "base",
            add_languages=["de"],
            watcher=stop_after(4),
            **OPTIONS,
        )
    shutil.rmtree(tmp_path / "base")
    model = calque.resume(tmp_path / "m", threads=1)
    assert model.checksum == added.checksum
    assert model.about.recipe == added.about.recipe
    assert (model.languages, model.about.data) == (added.languages, added.about.data)


def refused(tmp_path: Path, bitext: Any, message: str, hint: str, **options: Any) -> None:
    with pytest.raises(UsageError, match=message) as problem:
        calque.train(bitext, tmp_path / "m", threads=1, **options)
    assert hint in str(problem.value.hint)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("pair", "languages", "message", "hint"),
    [
        ("en-es", ["es"], "knows es already", "leave out --add-language"),
        ("en-es", ["spa_Latn"], "knows es already", "leave out --add-language"),
        ("en-de", ["german"], "'german' is not a language code", "like en"),
        ("en-es", ["de"], "is en-es, without de", "leave it out"),
        ("de-fr", ["de"], "is de-fr, and .* knows en, es", "--add-language fr"),
        ("de-fr", ["de", "fr"], "no bitext has de beside a language that .* knows", "en, es"),
    ],
)
def test_bitext_that_cannot_teach_the_language_is_refused(
    base: calque.Model,
    demo_bitext: dict[str, Path],
    tmp_path: Path,
    pair: str,
    languages: list[str],
    message: str,
    hint: str,
) -> None:
    refused(tmp_path, demo_bitext[pair], message, hint, init=base.path, add_languages=languages)


def test_a_bitext_must_tell_its_languages(base: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    shutil.copy(demo_bitext["en-de"], tmp_path / "plain.tsv")
    refused(
        tmp_path, tmp_path / "plain.tsv", "languages are not known", "--languages", init=base.path, add_languages=["de"]
    )


def test_there_must_be_a_model_to_add_to(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    refused(tmp_path, demo_bitext["en-de"], "needs a model to add to", "--init", add_languages=["de"])


def test_pieces_are_added_for_languages_only(base: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--add-pieces means nothing without --add-language"):
        calque.train(demo_bitext["en-es"], tmp_path / "m", init=base.path, add_pieces=5)
    with pytest.raises(UsageError, match="add-pieces: expected at least 1, got 0"):
        calque.train(demo_bitext["en-de"], tmp_path / "m", init=base.path, add_languages=["de"], add_pieces=0)


@pytest.mark.parametrize("options", [{"vocabulary": "word"}, {"vocabulary": "trigram"}, {"sharing": "separate"}])
def test_other_vocabularies_cannot_be_added_to(
    demo_bitext: dict[str, Path], tmp_path: Path, options: dict[str, str]
) -> None:
    small = {"vocabulary_size": 300, "dimension": 16, "epochs": 0}
    start = calque.train(demo_bitext["en-es"], tmp_path / "start", **options, **small)
    message = "averages of SentencePiece pieces that all languages share"
    refused(tmp_path, demo_bitext["en-de"], message, "all the bitext", init=start.path, add_languages=["de"])


@pytest.mark.parametrize(
    ("recipe", "options", "message"),
    [
        ("adapt", {}, "the recipe adapt goes with --init"),
        ("extend", {}, "the recipe extend goes with --init and --add-language"),
        ("extend", {"init": True}, "the recipe extend goes with --init and --add-language"),
        ("adapt", {"init": True, "add_languages": ["de"]}, "the recipe adapt goes with --init"),
    ],
)
def test_recipes_for_models_to_start_from_fit_nothing_else(
    base: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path, recipe: str, options: Any, message: str
) -> None:
    chosen = options | ({"init": base.path} if "init" in options else {})
    with pytest.raises(CalqueError, match=message):
        calque.train(demo_bitext["en-de"], tmp_path / "m", recipe=recipe, **chosen)
