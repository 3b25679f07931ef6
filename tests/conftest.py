"""What several tests share: the demonstration's parallel text as files, a small model of it, and the real data."""

from __future__ import annotations

import os
import secrets
import signal
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import settings

import calque
from calque.demo import sentences
from calque.model import save
from calque.model.box import box_folder
from calque.model.quality import LanguageQuality
from calque.model.quantise import quantised
from skips import Skips

SMALL = {"vocabulary_size": 1000, "dimension": 64, "seed": 1, "threads": 1}
REPOSITORY = Path(__file__).resolve().parent.parent

# No test asserts a time: Hypothesis would fail one whose example takes more than 200 ms, as any may on a busy machine.
settings.register_profile("calque", deadline=None)
settings.load_profile("calque")

# A shell's background jobs ignore Ctrl-C, and so would the processes that the tests start from there and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["CALQUE_CONFIG"] = ""  # whoever runs the tests may have a calque.toml

# Ray would keep one in the home folder, which each page has for itself, and remember the first that it finds.
os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


MEASURED = (
    LanguageQuality("es", "en", 42.0, 38.0, 500, "held-out.en-es", "2026-03-01"),
    LanguageQuality("de", "en", 95.0, 93.0, 500, "held-out.en-de", "2026-03-01"),
)


def pytest_configure(config: pytest.Config) -> None:
    alone = not hasattr(config, "workerinput")  # xdist's workers report to the process that started them
    if alone and os.environ.get("CALQUE_SKIPS") == "listed":
        config.pluginmanager.register(Skips())


def data_folder() -> Path:
    """Where the real bitext and evaluation sets lie: CALQUE_DATA, or ../shared/data beside the repository."""
    return REPOSITORY / os.environ.get("CALQUE_DATA", "../shared/data")


@pytest.fixture(scope="session")
def real_data() -> Path:
    folder = data_folder().resolve()
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set CALQUE_DATA to the folder that holds bitext/ and eval/")
    return folder


@pytest.fixture(autouse=True)
def no_box(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test should depend on whether the package holds a model, unless it asks for `box` or `real_box`."""
    monkeypatch.setattr("calque.model.box.FOLDER", tmp_path_factory.getbasetemp() / "no-box")


@pytest.fixture(scope="session")
def measured_model(small_model: calque.Model, tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """A model of English, Spanish, German and French that says it is weak in Spanish and strong in German."""
    about = replace(small_model.about, quality=MEASURED)
    return save(tmp_path_factory.mktemp("measured") / "model", small_model.encoder, about)


@pytest.fixture(scope="session")
def quantised_model(fluent_model: calque.Model, tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """In 4 bits, as the model in the box may be; its folder is `quantised_model.path`."""
    made = quantised(fluent_model, 4)
    return save(tmp_path_factory.mktemp("quantised") / "model", made.encoder, made.about)


@pytest.fixture
def box(no_box: None, quantised_model: calque.Model, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model in the place of the one in the box, and none in the environment."""
    assert quantised_model.path is not None
    monkeypatch.setattr("calque.model.box.FOLDER", quantised_model.path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    return quantised_model.path


REAL_BOX = box_folder()


@pytest.fixture
def real_box(no_box: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model that ships with the package."""
    monkeypatch.setattr("calque.model.box.FOLDER", REAL_BOX)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    return REAL_BOX


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
    return calque.train(list(demo_bitext.values()), out, epochs=3, **SMALL)


@pytest.fixture(scope="session")
def fluent_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """Trained on the same for longer: it finds nearly all translations of that text."""
    out = tmp_path_factory.mktemp("fluent") / "model"
    return calque.train(list(demo_bitext.values()), out, epochs=20, **SMALL)
