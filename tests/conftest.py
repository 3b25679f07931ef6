"""What several tests share: the demonstration's parallel text as files, a small model of it, and the real data."""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path

import pytest

import calque
from calque.demo import sentences

REPOSITORY = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """Where the real bitext and evaluation sets lie: CALQUE_DATA, or ../shared/data beside the repository."""
    return REPOSITORY / os.environ.get("CALQUE_DATA", "../shared/data")


@pytest.fixture(scope="session")
def real_data() -> Path:
    folder = data_folder().resolve()
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set CALQUE_DATA to the folder that holds bitext/ and eval/")
    return folder


@pytest.fixture(scope="session")
def demo_bitext(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """{"en-es": …/demo.en-es.tsv, "en-de": …} for all six language pairs."""
    folder = tmp_path_factory.mktemp("demo")
    text = sentences()
    paths = {}
    for one, two in combinations(text, 2):
        path = paths[f"{one}-{two}"] = folder / f"demo.{one}-{two}.tsv"
        lines = (f"{source}\t{target}\n" for source, target in zip(text[one], text[two], strict=True))
        path.write_text("".join(lines), encoding="utf-8")
    return paths


@pytest.fixture(scope="session")
def small_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """Trained on all pairs of the demonstration's text; its folder is `small_model.path`."""
    out = tmp_path_factory.mktemp("small") / "model"
    options = {"vocabulary_size": 1000, "dimension": 64, "epochs": 3, "seed": 1}
    return calque.train(list(demo_bitext.values()), out, threads=1, **options)


@pytest.fixture(scope="session")
def able_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """Trained on English and Spanish until it can tell translations from other sentences of the same text."""
    out = tmp_path_factory.mktemp("able") / "model"
    options = {"vocabulary_size": 1000, "dimension": 64, "epochs": 20, "seed": 1}
    return calque.train(demo_bitext["en-es"], out, threads=1, **options)
