"""calque train --weight NAME=W, and the mistakes it invites."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import main

TINY = ("--vocabulary", "word", "--dimension", "16", "--epochs", "1", "--threads", "1")


def test_the_last_weight_that_fits_counts_even_if_a_name_is_given_twice(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "m"
    weights = ("--weight", "demo.en-es=3", "--weight", "*=2", "--weight", "demo.en-es=0.5")
    main(["train", str(demo_bitext["en-es"]), str(demo_bitext["en-de"]), "--out", str(out), *TINY, *weights])
    assert calque.load(out).about.data == ("demo.en-es:920×0.5", "demo.en-de:920×2")


@pytest.mark.parametrize(
    ("weights", "message", "hint"),
    [
        (["0.3"], "expected a name and a number like europarl.en-es=0.3, got '0.3'", "calque train --help"),
        (["=0.3"], "expected a name and a number like europarl.en-es=0.3, got '=0.3'", "calque train --help"),
        (["demo.en-es"], "got 'demo.en-es'", "calque train --help"),
        (["demo.en-es="], "got 'demo.en-es='", "calque train --help"),
        (["demo.en-es=much"], "got 'demo.en-es=much'", "calque train --help"),
        (["demo.en-es=-1"], "weight of demo.en-es: expected a number from 0 to 1000, got -1", ""),
        (["demo.en-es=nan"], "weight of demo.en-es: expected a number from 0 to 1000, got nan", ""),
        (["demo=2"], "a weight is given for demo, but there is no such bitext", "there are: demo.en-es"),
        (["*=0"], "every bitext has the weight 0", ""),
    ],
    ids=str,
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str],
    demo_bitext: dict[str, Path],
    tmp_path: Path,
    weights: list[str],
    message: str,
    hint: str,
) -> None:
    out = tmp_path / "m"
    options = [part for weight in weights for part in ("--weight", weight)]
    code, said, hinted = fail(capsys, "train", str(demo_bitext["en-es"]), "--out", str(out), *TINY, *options)
    assert code == 2
    assert message in said
    assert hint in hinted
    assert not out.exists()


def test_a_training_that_is_resumed_has_its_weights_already(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, message, hint = fail(capsys, "train", "--resume", str(tmp_path), "--weight", "a=1")
    assert (code, message) == (2, "--resume goes on with the options the training began with")
    assert hint == "leave the others out"


@pytest.mark.parametrize("kind", ["word", "trigram"])
def test_only_pieces_can_be_merged(
    capsys: pytest.CaptureFixture[str], demo_bitext: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    merged = ("--sharing", "merged", "--vocabulary", kind)
    code, message, hint = fail(
        capsys, "train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "m"), *merged, after_others=True
    )
    assert code == 2
    assert message.startswith("only SentencePiece vocabularies can be merged")
    assert "--vocabulary sp" in hint


def test_inverse_frequency_is_not_for_a_blstm(
    capsys: pytest.CaptureFixture[str], demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    wrong = ("--encoder", "blstm", "--inverse-frequency", "0.01")
    code, message, _ = fail(capsys, "train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "m"), *wrong)
    assert (code, message) == (2, "inverse-frequency weighs the rows of an average, and a BLSTM is none")
