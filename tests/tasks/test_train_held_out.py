"""Held-out translations as a development set: they choose the epoch, and measure how well the languages are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.demo import sentences
from calque.errors import CorpusError, Stopped, UsageError
from calque.evaluation.evaluate import evaluate
from calque.model import load
from calque.tasks.train import Watcher
from calque.training import Progress

SMALL: dict[str, Any] = {"vocabulary_size": 400, "dimension": 32, "epochs": 3, "seed": 1, "threads": 1}


pytestmark = pytest.mark.filterwarnings("ignore::calque.LanguageWarning")


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 pairs to learn from, and 240 others to measure on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for pair in ("en-es", "de-en"):
        one, two = (sentences()[language] for language in pair.split("-"))
        for name, lines in (("train", range(300)), ("dev", range(300, 540))):
            text = "".join(f"{one[at]}\t{two[at]}\n" for at in lines)
            Path(f"{name}.{pair}.tsv").write_text(text, encoding="utf-8")
    judged = "".join(f"{at % 6}\t{sentences()['en'][at]}\t{sentences()['es'][at + at % 2]}\n" for at in range(50))
    Path("judged.en-es.tsv").write_text(judged, encoding="utf-8")


def test_the_languages_are_measured_as_the_suite_measures_them() -> None:
    dev = ["dev.en-es.tsv", "dev.de-en.tsv"]
    model = calque.train(["train.en-es.tsv", "train.de-en.tsv"], "model", dev=dev, **SMALL | {"epochs": 15})
    assert load("model").about.quality == model.about.quality
    assert [(each.language, each.against, each.n) for each in model.about.quality] == [
        ("es", "en", 240),
        ("de", "en", 240),
    ]
    for path, language, turned in (("dev.en-es.tsv", "es", True), ("dev.de-en.tsv", "de", False)):
        values = evaluate(model, "retrieval", path, resamples=0).results[0].values
        ways = (values["backward"], values["forward"]) if turned else (values["forward"], values["backward"])
        quality = model.quality(language)
        assert quality is not None
        assert (quality.forward, quality.backward) == pytest.approx(ways, abs=0.01)
        assert 5 < quality.found <= 100
    assert [model.tier(language) for language in ("es", "de")] == ["weak", "weak"]
    assert model.tier("en") is None, "weak others say nothing of the language that they were measured against"


def test_the_epoch_that_finds_most_translations_is_kept() -> None:
    scores: list[float | None] = []
    watcher = Watcher(progress=lambda now: scores.append(now.development) if now.ends_epoch else None)
    model = calque.train("train.en-es.tsv", "model", dev="dev.en-es.tsv", watcher=watcher, **SMALL)
    score = model.about.development
    assert score is not None
    assert (score.measure, score.name, score.pairs) == ("accuracy", "dev.en-es", 240)
    assert score.value == max(score for score in scores if score is not None)
    assert model.about.epoch == 1 + scores.index(score.value)
    assert model.about.quality[0].found == pytest.approx(score.value, abs=0.5)
    assert load("model").about.development == score


def test_judged_pairs_choose_and_translations_measure() -> None:
    both = calque.train("train.en-es.tsv", "both", dev=["dev.en-es.tsv", "judged.en-es.tsv"], **SMALL)
    judged = calque.train("train.en-es.tsv", "judged", dev="judged.en-es.tsv", **SMALL)
    assert both.about.development == judged.about.development
    assert both.about.development is not None
    assert both.about.development.measure == "pearson"
    assert both.checksum == judged.checksum
    assert both.tier("es") is not None
    assert (judged.about.quality, judged.tier("es")) == ((), None), "judged pairs are no translations"


def test_the_card_tells_what_was_measured_and_no_date() -> None:
    model = calque.train("train.en-es.tsv", "model", dev="dev.en-es.tsv", **SMALL)
    (quality,) = model.about.quality
    card = Path("model/README.md").read_text(encoding="utf-8")
    figures = f"{quality.found:.1f} | {quality.forward:.1f} | {quality.backward:.1f}"
    assert f"| es | en | {figures} | 240 | dev.en-es | {quality.tier} |" in card
    assert "accuracy=" in card
    assert quality.date not in card


def test_the_date_is_the_one_field_that_changes_from_day_to_day(monkeypatch: pytest.MonkeyPatch) -> None:
    configs = []
    for name, seconds in (("one", "86399"), ("two", "86400"), ("three", "86400")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
        calque.train("train.en-es.tsv", name, dev="dev.en-es.tsv", **SMALL)
        configs.append(json.loads(Path(name, "config.json").read_text(encoding="utf-8")))
        configs[-1]["about"].pop("seconds")
    assert configs[1] == configs[2]
    dates = [config["about"]["quality"][0].pop("date") for config in configs]
    assert dates == ["1970-01-01", "1970-01-02", "1970-01-02"]
    assert configs[0] == configs[1]
    for file in ("README.md", "model.safetensors", "sentencepiece.model"):
        assert Path("one", file).read_bytes() == Path("two", file).read_bytes()


def test_a_date_that_is_none_is_told_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH: expected seconds since 1970, got 'today'"):
        calque.train("train.en-es.tsv", "model", dev="dev.en-es.tsv", **SMALL)
    assert not Path("model").exists()


def test_a_training_that_was_stopped_ends_with_the_same_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = ["dev.en-es.tsv", "judged.en-es.tsv"]
    straight = calque.train("train.en-es.tsv", "straight", dev=dev, **SMALL)

    def stop(progress: Progress) -> None:
        if progress.ends_epoch and progress.epoch == 1:
            import os
            import signal

            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped):
        calque.train("train.en-es.tsv", "stopped", dev=dev, watcher=Watcher(progress=stop), **SMALL)
    resumed = calque.resume("stopped", threads=1)
    assert resumed.checksum == straight.checksum
    assert [each.found for each in resumed.about.quality] == [each.found for each in straight.about.quality]


def test_another_development_set_on_resuming_is_refused() -> None:
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calque.train("train.en-es.tsv", "model", dev="dev.en-es.tsv", watcher=Watcher(progress=stop), **SMALL)
    with open("dev.en-es.tsv", "a", encoding="utf-8") as file:
        file.write("One sentence more.\tUna frase más.\n")
    with pytest.raises(CorpusError, match="the development set has changed"):
        calque.resume("model", threads=1)


def test_a_bitext_that_does_not_tell_its_languages_has_those_of_the_training() -> None:
    Path("dev.en-es.tsv").rename("held.tsv")
    assert calque.train("train.en-es.tsv", "model", dev="held.tsv", **SMALL).about.quality[0].language == "es"
    with pytest.raises(UsageError, match=r"held\.tsv: the languages of this development set are not known"):
        calque.train(["train.en-es.tsv", "train.de-en.tsv"], "two", dev="held.tsv", **SMALL)


def test_sentences_that_occur_twice_are_left_out_and_at_most_a_thousand_are_measured() -> None:
    lines = [f"sentence number {at}\tfrase número {at}\n" for at in range(2500)]
    Path("many.en-es.tsv").write_text("".join([*lines, *lines[:50]]), encoding="utf-8")
    assert calque.train("train.en-es.tsv", "many", dev="many.en-es.tsv", **SMALL).about.quality[0].n == 1000
    Path("twice.en-es.tsv").write_text("a dog\tun perro\na dog\tuna perra\nthe cat\tel gato\n", encoding="utf-8")
    found = calque.train("train.en-es.tsv", "twice", dev="twice.en-es.tsv", **SMALL)
    assert (found.about.quality[0].n, found.tier("es")) == (2, None), "two sentences tell nothing"


@pytest.mark.parametrize(
    ("dev", "error", "message"),
    [
        (["judged.en-es.tsv", "again.tsv"], UsageError, "two sets of judged pairs"),
        (["dev.en-es.tsv", "other.es-en.tsv"], UsageError, "two development sets are of the same languages"),
        (["one.en-es.tsv"], CorpusError, "expected at least two pairs, each with sentences of its own, got 1"),
    ],
)
def test_development_sets_that_cannot_be_used(dev: list[str], error: type[Exception], message: str) -> None:
    Path("again.tsv").write_text(Path("judged.en-es.tsv").read_text(encoding="utf-8"), encoding="utf-8")
    Path("other.es-en.tsv").write_text("el perro\tthe dog\nel gato\tthe cat\n", encoding="utf-8")
    Path("one.en-es.tsv").write_text("the dog\tel perro\nthe dog\tel can\n", encoding="utf-8")
    with pytest.raises(error, match=message):
        calque.train("train.en-es.tsv", "model", dev=dev, **SMALL)
    assert not Path("model").exists()
