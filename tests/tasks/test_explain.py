"""calque.explain: a model or its folder, and two texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calque
from calque.errors import UsageError


def test_a_folder_does_as_well_as_a_model(small_model: calque.Model) -> None:
    texts = "A dog runs.", "Un perro corre."
    one, two = (calque.explain(*texts, model=model) for model in (small_model, str(small_model.path)))
    assert one.texts == two.texts == texts
    assert np.array_equal(one.contributions, two.contributions)
    assert one.score == pytest.approx(small_model.similarity(*texts), abs=2e-5)


def test_separate_vocabularies_need_the_languages(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = {"vocabulary": "word", "sharing": "separate-unshared", "dimension": 8, "epochs": 1, "threads": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    texts = "A dog runs.", "Un perro corre."
    explained = calque.explain(*texts, model=model, languages=("en", "es"))
    assert explained.score == pytest.approx(model.similarity(*texts, ("en", "es")), abs=2e-5)
    with pytest.raises(UsageError, match=r"--languages on the command line: en, es"):
        calque.explain(*texts, model=model)


def test_a_language_that_the_model_has_never_seen_is_refused(small_model: calque.Model) -> None:
    with pytest.raises(UsageError, match="not fi"):
        calque.explain("A dog runs.", "Koira juoksee.", model=small_model, languages=("en", "fi"))


def test_a_blstm_cannot_be_split(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    options = {"encoder": "blstm", "vocabulary_size": 300, "dimension": 8, "epochs": 0, "threads": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    with pytest.raises(UsageError, match="only an average of pieces splits") as raised:
        calque.explain("A dog runs.", "Un perro corre.", model=model)
    assert "--encoder average" in (raised.value.hint or "")
