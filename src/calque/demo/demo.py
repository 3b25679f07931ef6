"""The demonstration's steps, and what they found; printing is the command's business."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..model import Model
from ..tasks.train import Watcher, train
from ..training import Progress

LANGUAGES = {"en": "English", "es": "Spanish", "de": "German", "fr": "French"}
HELD_OUT = 100  # lines that training never sees
SPEED_SENTENCES = 200_000


class Neighbour(NamedTuple):
    """The nearest among the held-out sentences of another language."""

    query: str
    language: str
    found: str
    score: float
    right: bool


class Found(NamedTuple):
    """How many held-out English sentences found their translation."""

    language: str
    trained: float
    untrained: float
    chance: float


@dataclass(frozen=True)
class Demo:
    model: Model
    lines: int
    seconds: float  # of training
    similarities: list[tuple[str, str, float]]
    neighbours: list[Neighbour]
    found: list[Found]
    sentences_per_second: float


def sentences() -> dict[str, list[str]]:
    """The parallel text, by language. Written for Calque; public domain (CC0)."""
    text = (files(__package__) / "sentences.tsv").read_text(encoding="utf-8")
    columns = zip(*(line.split("\t") for line in text.splitlines()), strict=True)
    return dict(zip(LANGUAGES, map(list, columns), strict=True))


def run_demo(
    out: Path | None = None, threads: int | None = None, report: Callable[[Progress], None] = lambda progress: None
) -> Demo:
    """Trains on all language pairs of the parallel text but its last lines, and tries the model on those."""
    text = sentences()
    known = {language: lines[:-HELD_OUT] for language, lines in text.items()}
    unseen = {language: lines[-HELD_OUT:] for language, lines in text.items()}
    with _folder(out) as folder:
        bitexts = _write_bitexts(known, folder)
        options: dict[str, Any] = {"vocabulary_size": 2500, "dimension": 128, "mega_batch": 20}
        begun = time.monotonic()
        model = train(
            bitexts, folder / "model", epochs=40, threads=threads, watcher=Watcher(progress=report), **options
        )
        seconds = time.monotonic() - begun
        untrained = train(bitexts, folder / "untrained", epochs=0, threads=threads, **options)
        return Demo(
            model,
            len(known["en"]),
            seconds,
            _similarities(model, unseen),
            _neighbours(model, unseen),
            _found(model, untrained, unseen),
            _speed(model, text, threads),
        )


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="calque-demo-") as temporary:
        yield Path(temporary)


def _write_bitexts(text: dict[str, list[str]], folder: Path) -> list[str]:
    paths = []
    for one, two in combinations(text, 2):
        path = folder / f"demo.{one}-{two}.tsv"
        lines = (f"{source}\t{target}\n" for source, target in zip(text[one], text[two], strict=True))
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(str(path))
    return paths


def _similarities(model: Model, unseen: dict[str, list[str]]) -> list[tuple[str, str, float]]:
    """One sentence beside its translations and beside others."""
    sentence = unseen["en"][0]
    others = [unseen[language][0] for language in ("es", "de", "fr")] + [unseen[language][1] for language in unseen]
    return [(sentence, other, model.similarity(sentence, other)) for other in others]


def _neighbours(model: Model, unseen: dict[str, list[str]]) -> list[Neighbour]:
    shown = []
    for number, language in enumerate(("es", "de", "fr", "es", "de", "fr"), start=2):
        scores = (
            model.encode(unseen[language], normalize=True) @ model.encode([unseen["en"][number]], normalize=True)[0]
        )
        best = int(np.argmax(scores))
        shown.append(
            Neighbour(unseen["en"][number], language, unseen[language][best], float(scores[best]), best == number)
        )
    return shown


def _found(model: Model, untrained: Model, unseen: dict[str, list[str]]) -> list[Found]:
    return [
        Found(language, _accuracy(model, unseen, language), _accuracy(untrained, unseen, language), 1 / HELD_OUT)
        for language in LANGUAGES
        if language != "en"
    ]


def _accuracy(model: Model, unseen: dict[str, list[str]], language: str) -> float:
    scores = model.encode(unseen["en"], normalize=True) @ model.encode(unseen[language], normalize=True).T
    return float(np.mean(np.argmax(scores, axis=1) == np.arange(HELD_OUT)))


def _speed(model: Model, text: dict[str, list[str]], threads: int | None) -> float:
    every = [sentence for lines in text.values() for sentence in lines]
    many = every * (SPEED_SENTENCES // len(every))
    seconds = []
    for _ in range(4):  # the first meets every word for the first time
        begun = time.monotonic()
        model.encode(many, threads=threads)
        seconds.append(time.monotonic() - begun)
    return len(many) / min(seconds)
