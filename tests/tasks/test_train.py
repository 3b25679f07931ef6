"""Bitext in, model folder out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.encoder import random_embeddings
from calque.errors import UsageError
from calque.tasks.train import Watcher
from calque.training import Progress
from calque.vocabulary import Vocabulary

SMALL: dict[str, Any] = {"vocabulary_size": 400, "dimension": 16, "epochs": 2, "threads": 1}

DOCUMENTED = {
    "README.md",
    "config.json",
    "model.safetensors",
    "modules.json",
    "sentencepiece.model",
    "tokenizer.json",
    "training.json",
    "training.jsonl",
    "vocab.txt",
}


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "training.jsonl").read_text(encoding="utf-8").splitlines()]


def pieces(vocabulary: Vocabulary, text: str, language: str) -> list[str]:
    return [vocabulary.pieces[id] for id in vocabulary.encode([text], language)[0]]


def test_the_folder_holds_exactly_the_documented_files(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    model = calque.train(demo_bitext["en-es"], tmp_path / "deep" / "model", **SMALL)
    assert model.path == tmp_path / "deep" / "model"
    assert files(model.path) == DOCUMENTED


@pytest.mark.parametrize("sharing", ["joint", "separate"])
def test_a_small_bitext_gets_as_many_pieces_as_it_supports(
    demo_bitext: dict[str, Path], tmp_path: Path, sharing: str
) -> None:
    options = SMALL | {"vocabulary_size": 0, "epochs": 0, "sharing": sharing}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    assert 1000 < model.vocabulary.size < 20_000
    assert f"sp:{model.vocabulary.size}|" in model.signature("a-set", 1)


def test_an_empty_folder_will_do(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL).dimension == 16


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "config.json", "training.json"])
def test_a_folder_that_is_not_empty_is_left_alone(demo_bitext: dict[str, Path], tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError):
        calque.train(demo_bitext["en-es"], tmp_path, **SMALL)
    assert files(tmp_path) == {name}
    assert (tmp_path / name).read_text() == "mine"


def test_the_log_tells_how_each_epoch_went(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    heard: list[Progress] = []
    calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL, watcher=Watcher(progress=heard.append))
    log = log_of(tmp_path / "model")
    ends = [line for line in log if line["ends_epoch"]]
    assert [line["epoch"] for line in ends] == [1, 2]
    assert all(line["loss"] > 0 and line["pairs_per_second"] > 0 and line["mega_batch"] >= 1 for line in log)
    assert [line["loss"] for line in ends] == [round(now.loss, 5) for now in heard if now.ends_epoch]
    assert ends[-1]["step"] == ends[-1]["steps"] == 2 * -(-920 // 128)


def test_training_brings_translations_together(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    before = calque.train(demo_bitext["en-es"], tmp_path / "random", **SMALL | {"epochs": 0})
    after = calque.train(demo_bitext["en-es"], tmp_path / "trained", **SMALL | {"epochs": 20})
    english, spanish = sentences()["en"], sentences()["es"]
    assert after.similarities(english, spanish).mean() > before.similarities(english, spanish).mean() + 0.2


def test_no_epochs_give_the_random_encoder(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL | {"epochs": 0}, seed=7)
    expected = random_embeddings(400, 16, 7, unknown=0)
    expected[model.vocabulary.pieces.index("▁")] = 0
    np.testing.assert_array_equal(model.embeddings, expected)
    assert (model.about.epoch, model.about.data) == (0, ())
    assert not model.embeddings[0].any()


def test_texts_in_a_script_that_the_model_lacks_are_not_alike(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL)
    assert any(piece.text == "▁" for piece in model.vocabulary.trace("សួស្តី"))
    assert not model.encode(["សួស្តី", "ខ្ញុំ​ឃ្លាន"]).any()
    assert model.similarity("សួស្តី", "ខ្ញុំ​ឃ្លាន") == 0
    assert model.similarity("សួស្តី", "Hello.") == 0


def test_the_epoch_that_is_best_on_the_development_set_is_kept(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    english, spanish = sentences()["en"][:60], sentences()["es"][:60]
    dev = tmp_path / "dev.en-es.tsv"
    # Judged upside down, so that the set gets worse as training goes on.
    right = [f"0\t{one}\t{two}\n" for one, two in zip(english, spanish, strict=True)]
    wrong = [f"5\t{one}\t{two}\n" for one, two in zip(english, spanish[1:], strict=False)]
    dev.write_text("".join(right + wrong), encoding="utf-8")
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", dev=dev, **SMALL | {"epochs": 6})
    scores = [line["development"] for line in log_of(tmp_path / "model") if line["ends_epoch"]]
    assert len(scores) == 6
    assert model.about.epoch == 1 + int(np.argmax(scores)) < 6
    assert model.about.development is not None
    assert round(model.about.development.value, 2) == max(scores)
    assert (model.about.development.name, model.about.development.pairs) == ("dev.en-es", 119)
    cosines = model.similarities(english + english[:-1], spanish + spanish[1:])
    pearson = np.corrcoef(cosines, [0] * 60 + [5] * 59)[0, 1]
    assert 100 * pearson == pytest.approx(max(scores), abs=0.1)


def test_training_can_start_from_another_model(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    start = calque.train(demo_bitext["en-es"], tmp_path / "start", **SMALL)
    model = calque.train(
        demo_bitext["en-de"], tmp_path / "model", init=start.path, recipe="calque", epochs=0, threads=1
    )
    assert model.vocabulary.pieces == start.vocabulary.pieces
    np.testing.assert_array_equal(model.embeddings, start.embeddings)
    further = calque.train(demo_bitext["en-es"], tmp_path / "further", init=start.path, epochs=2, threads=1)
    assert f"|recipe:adapt,init={start.path.name}|" in further.signature("x", 1)
    assert further.embeddings.shape == start.embeddings.shape
    assert not np.array_equal(further.embeddings, start.embeddings)


def test_a_model_says_which_vocabulary_it_has_taken_over(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = SMALL | {"vocabulary": "word", "sharing": "separate"}
    start = calque.train(demo_bitext["en-es"], tmp_path / "start", **options)
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", init=start.path, epochs=1, threads=1)
    assert (model.about.training["vocabulary"], model.about.training["sharing"]) == ("word", "separate")


def test_several_bitexts_of_several_pairs_make_one_model(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    chosen = [demo_bitext["en-es"], demo_bitext["en-de"], demo_bitext["de-fr"]]
    model = calque.train(chosen, tmp_path / "model", **SMALL)
    assert model.languages == ("en", "es", "de", "fr")
    assert model.about.data == ("demo.en-es:920", "demo.en-de:920", "demo.de-fr:920")


def test_parallel_files_make_the_same_model_as_a_tsv(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    for language in ("en", "es"):
        (tmp_path / f"demo.{language}").write_text("\n".join(sentences()[language]) + "\n", encoding="utf-8")
    one = calque.train([tmp_path / "demo.en", tmp_path / "demo.es"], tmp_path / "one", **SMALL)
    two = calque.train(demo_bitext["en-es"], tmp_path / "two", **SMALL)
    assert one.checksum == two.checksum
    assert one.about.data == two.about.data == ("demo.en-es:920",)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    for name, seed in (("one", 5), ("two", 5), ("other", 6)):
        calque.train(demo_bitext["en-es"], tmp_path / name, **SMALL, seed=seed)
    one, two, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


def test_paraphrases_of_one_language_train_too(tmp_path: Path) -> None:
    english = sentences()["en"]
    bitext = tmp_path / "paraphrases.en-en.tsv"
    bitext.write_text("".join(f"{text}\tSo, {text.lower()}\n" for text in english), encoding="utf-8")
    model = calque.train(bitext, tmp_path / "model", **SMALL)
    assert model.languages == ("en",)
    assert np.isfinite(model.embeddings).all()


@pytest.mark.parametrize("sharing", ["joint", "separate", "separate-unshared"])
@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_every_vocabulary_and_sharing_trains(
    demo_bitext: dict[str, Path], tmp_path: Path, kind: str, sharing: str
) -> None:
    options = SMALL | {"vocabulary": kind, "sharing": sharing}
    calque.train([demo_bitext["en-es"], demo_bitext["en-de"]], tmp_path / "model", **options)
    model = calque.load(tmp_path / "model")
    assert model.vocabulary.kind == kind
    score = model.similarity("The dog sleeps.", "Der Hund schläft.", ("en", "de"))
    assert -1 <= score <= 1
    assert score != 0
    shared = set(pieces(model.vocabulary, "a no", "en")) & set(pieces(model.vocabulary, "a no", "es"))
    assert bool(shared) == (sharing != "separate-unshared")


def test_languages_can_be_given(tmp_path: Path) -> None:
    bitext = tmp_path / "plain.tsv"
    pairs = zip(sentences()["en"], sentences()["fr"], strict=True)
    bitext.write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")
    model = calque.train(bitext, tmp_path / "model", languages=("en", "fr"), sharing="separate", **SMALL)
    assert model.languages == ("en", "fr")
