"""The configuration refuses what it cannot mean, and says which option."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from calque.errors import UsageError
from calque.training import RECIPES, TrainingConfig


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("dimension", 0),
        ("dimension", 8193),
        ("epochs", -1),
        ("batch_size", 0),
        ("mega_batch", 0),
        ("annealing", 0),
        ("margin", -0.1),
        ("margin", 2.0),
        ("margin", math.nan),
        ("dropout", -0.1),
        ("dropout", 1.0),
        ("dropout", math.nan),
        ("scrambling", -0.1),
        ("scrambling", 1.1),
        ("scrambling", math.nan),
        ("learning_rate", -1e-9),
        ("learning_rate", math.nan),
        ("learning_rate", math.inf),
        ("vocabulary_size", -1),
        ("seed", -1),
        ("seed", 1 << 64),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(option: str, value: float) -> None:
    with pytest.raises(UsageError, match=option.replace("_", "-")):
        TrainingConfig.of(**{option: value})


@pytest.mark.parametrize("option", ["encoder", "vocabulary", "sharing", "negatives", "mixing"])
def test_a_choice_that_does_not_exist_is_refused_by_name(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option}.*neither"):
        TrainingConfig.of(**{option: "neither"})


@pytest.mark.parametrize(("option", "value"), [("epochs", "3"), ("epochs", 2.5), ("dimension", "wide")])
def test_a_value_of_another_type_is_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=option):
        TrainingConfig.of(**{option: value})


def test_an_option_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match=r"no such training option: dimensions") as caught:
        TrainingConfig.of(dimensions=300)
    assert "dimension" in (caught.value.hint or "")


def test_a_recipe_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="expected one of paper, calque, adapt, extend, got homemade"):
        TrainingConfig.of("homemade")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, 8192])
def test_the_limits_themselves_are_allowed(value: int) -> None:
    assert TrainingConfig.of(dimension=max(1, value)).dimension == max(1, value)
    assert TrainingConfig.of(epochs=0, learning_rate=0, dropout=0, margin=0, seed=0).epochs == 0


def test_the_paper_recipe_is_the_papers() -> None:
    paper = TrainingConfig.of("paper")
    assert (paper.batch_size, paper.mega_batch, paper.margin, paper.annealing) == (128, 60, 0.4, 150)
    assert (paper.dropout, paper.dimension, paper.learning_rate, paper.epochs) == (0.3, 300, 0.001, 10)
    assert not paper.decay
    assert not paper.exclude_repeats
    assert paper.vocabulary_spec.size == 20_000
    assert TrainingConfig.of("paper", vocabulary="word").vocabulary_spec.size == 200_000


def test_a_blstm_is_scrambled_and_has_a_rate_of_its_own_unless_others_are_given() -> None:
    paper = TrainingConfig.of("paper", encoder="blstm")
    assert paper == dataclasses.replace(RECIPES["paper"], encoder="blstm", scrambling=0.3)
    assert paper.learning_rate == 0.001
    ours = TrainingConfig.of("calque", encoder="blstm")
    apart = {"scrambling": 0.3, "learning_rate": 0.01, "dropout": 0.15, "inverse_frequency": 0.0}
    assert ours == dataclasses.replace(RECIPES["calque"], encoder="blstm", **apart)
    given = TrainingConfig.of(encoder="blstm", learning_rate=0.02, scrambling=0.0)
    assert (given.learning_rate, given.scrambling) == (0.02, 0)
    assert TrainingConfig.of(encoder="blstm", scrambling=1).scrambling == 1


def test_an_average_has_no_order_to_scramble() -> None:
    assert TrainingConfig.of().scrambling == 0
    assert TrainingConfig.of(encoder="average", scrambling=0.0).scrambling == 0
    with pytest.raises(UsageError, match="scrambling means nothing to an average") as caught:
        TrainingConfig.of(scrambling=0.3)
    assert "--encoder blstm" in (caught.value.hint or "")


def test_the_two_directions_of_a_blstm_share_a_vector_evenly() -> None:
    assert TrainingConfig.of(dimension=301).dimension == 301
    with pytest.raises(UsageError, match=r"dimension: expected an even number.*got 301"):
        TrainingConfig.of(encoder="blstm", dimension=301)


def test_a_configuration_saved_before_there_were_encoders_is_an_average_s() -> None:
    saved = TrainingConfig.of("calque", epochs=3).as_dict()
    del saved["encoder"], saved["scrambling"]
    assert TrainingConfig(**saved) == TrainingConfig.of("calque", epochs=3)


def test_none_leaves_what_the_recipe_says_and_a_value_changes_it() -> None:
    assert TrainingConfig.of("paper", margin=None) == RECIPES["paper"]
    changed = TrainingConfig.of("paper", margin=0.6)
    assert changed == dataclasses.replace(RECIPES["paper"], margin=0.6)


@pytest.mark.parametrize(
    ("recipe", "changes", "told"),
    [
        ("calque", {}, "calque"),
        ("paper", {"dimension": 1024, "vocabulary": "word", "vocabulary_size": 9, "epochs": 3, "seed": 2}, "paper"),
        ("calque", {"mega_batch": 60, "margin": 0.4}, "calque,mega-batch=60,margin=0.4"),
        ("calque", {"margin": 0.6, "decay": False}, "calque,decay=False"),
        ("paper", {"encoder": "blstm"}, "paper"),
        ("paper", {"encoder": "blstm", "scrambling": 0.5}, "paper,scrambling=0.5"),
        ("paper", {"encoder": "blstm", "learning_rate": 0.01}, "paper,learning-rate=0.01"),
        ("paper", {"sharing": "separate"}, "paper,sharing=separate"),
    ],
)
def test_a_departure_from_the_recipe_is_named_with_it(recipe: str, changes: dict[str, object], told: str) -> None:
    assert TrainingConfig.of(recipe, **changes).recipe_as_used == told


def test_a_configuration_comes_back_from_its_dictionary() -> None:
    config = TrainingConfig.of("calque", epochs=3, mixing="mixed", vocabulary="trigram")
    assert TrainingConfig(**config.as_dict()) == config


def test_every_option_says_what_it_is_for() -> None:
    assert all(option.metadata["help"].endswith(".") for option in dataclasses.fields(TrainingConfig))
