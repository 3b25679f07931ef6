"""CalqueFilter in OpusFilter's own pipelines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calque.corpus import Pair
from calque.demo import sentences
from calque.errors import ModelError
from calque.filtering import Margin
from calque.filtering.negatives import shuffled
from calque.filtering.sample import sample_of
from calque.model import Model

pytest.importorskip("opusfilter", reason="OpusFilter is not installed: pip install 'calque-nlp[opusfilter]'")

PAIRS = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)]
NOISY = [*shuffled(PAIRS[:100]), *PAIRS[100:]]

CONFIGURATION = """
common:
  output_directory: {folder}
steps:
  - type: score
    parameters:
      inputs: [noisy.en, noisy.es]
      output: scores.jsonl
      filters: &filters
        - LengthRatioFilter: {{threshold: 9, unit: char}}
        - CalqueFilter: {{model: {model}, threshold: 0.05, languages: [en, es]}}
          module: calque.integrations.opusfilter
  - type: filter
    parameters:
      inputs: [noisy.en, noisy.es]
      outputs: [kept.en, kept.es]
      filters: *filters
  - type: filter
    parameters:
      inputs: [noisy.en, noisy.es]
      outputs: [dropped.en, dropped.es]
      filterfalse: true
      filters: *filters
"""


def run_steps(folder: Path, model: object) -> None:
    from opusfilter.opusfilter import OpusFilter
    from ruamel.yaml import YAML

    for side, name in enumerate(("noisy.en", "noisy.es")):
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in NOISY), encoding="utf-8")
    configuration = YAML(typ="safe").load(CONFIGURATION.format(folder=folder, model=model))
    OpusFilter(configuration).execute_steps()


def pairs_of(folder: Path, name: str) -> list[tuple[str, ...]]:
    sides = [(folder / f"{name}.{language}").read_text("utf-8").splitlines() for language in ("en", "es")]
    return list(zip(*sides, strict=True))


@pytest.mark.filterwarnings("ignore")
def test_a_configuration_scores_and_filters(fluent_model: Model, tmp_path: Path) -> None:
    run_steps(tmp_path, fluent_model.path)
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    scores = [line["CalqueFilter"] for line in lines]
    expected = Margin(fluent_model, sample_of(NOISY)[:1024], ("en", "es")).score(NOISY)
    assert scores == pytest.approx(expected.tolist(), abs=1e-5)
    accepted = [pair for pair, score in zip(NOISY, scores, strict=True) if score >= 0.05]
    assert pairs_of(tmp_path, "kept") == accepted
    assert sorted(pairs_of(tmp_path, "kept") + pairs_of(tmp_path, "dropped")) == sorted(NOISY)
    assert sum(pair in NOISY[:100] for pair in accepted) < 25
    assert len(accepted) > 500


@pytest.mark.filterwarnings("ignore")
def test_a_model_is_looked_for_in_the_output_directory(fluent_model: Model, tmp_path: Path) -> None:
    assert fluent_model.path is not None
    (tmp_path / "my-model").symlink_to(fluent_model.path.resolve())
    run_steps(tmp_path, "my-model")
    assert (tmp_path / "kept.en").exists()
    with pytest.raises(ModelError, match="there is no model at"):
        made(model="nowhere", workdir=str(tmp_path))


def made(**options: Any) -> Any:
    from calque.integrations.opusfilter import CalqueFilter

    return CalqueFilter(**options)


def test_one_pair_at_a_time_is_judged_as_many_are(fluent_model: Model) -> None:
    judge = made(model=str(fluent_model.path), score="cosine", threshold=0.3)
    kept = list(judge.filter(NOISY))
    assert [pair for pair in NOISY if judge.accept(next(judge.score([pair])))] == kept
    assert list(judge.decisions(NOISY)) == [pair in kept for pair in NOISY]
    assert list(judge.score([])) == []


def test_mistakes_in_a_configuration_are_told(fluent_model: Model) -> None:
    from opusfilter import ConfigurationError

    model = str(fluent_model.path)
    with pytest.raises(ConfigurationError, match="expected one of margin, cosine, got 'ratio'"):
        made(model=model, score="ratio")
    with pytest.raises(TypeError, match="cake"):
        made(model=model, cake=1)
    with pytest.raises(ConfigurationError, match="no threshold given"):
        list(made(model=model).filter(NOISY))
    with pytest.raises(ConfigurationError, match="expected two parallel files, got 3"):
        list(made(model=model).score([("a", "b", "c")]))


def test_no_pair_is_beyond_the_thresholds_that_accept_or_reject_all(fluent_model: Model) -> None:
    for score in ("margin", "cosine"):
        judge = made(model=str(fluent_model.path), score=score)
        scores = list(judge.score([*NOISY, ("", ""), ("dog", "dog")]))
        assert all(judge.accept_threshold <= each < judge.reject_threshold for each in scores)


def test_without_opusfilter_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["opusfilter"] = None
try:
    import calque.integrations.opusfilter
except Exception as problem:
    print(type(problem).__name__, problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("UsageError the filter for OpusFilter needs the package opusfilter")
    assert "pip install 'calque-nlp[opusfilter]'" in done.stdout
