"""The demonstration's training, and what came of it; printing is the command's business."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from ..atomic import is_unfinished, write_text
from ..errors import Stopped
from ..model import Model, load
from ..tasks.beginning import is_begun
from ..tasks.train import Watcher, resume, train
from ..temporary import temporary_folder
from ..training import Progress
from .look import HELD_OUT, LANGUAGES, Look, Text, found_translations, held_out, look_at, sentences

_TRAINED, _UNTRAINED = "model", "untrained"
_EPOCHS = 40
_OPTIONS: dict[str, Any] = {"vocabulary_size": 2500, "dimension": 128, "mega_batch": 20}


@dataclass(frozen=True)
class Demo:
    look: Look
    lines: int
    seconds: float  # of training
    untrained: dict[str, float]  # what the same model finds before it has learnt anything


def run_demo(
    out: Path | None = None, threads: int | None = None, report: Callable[[Progress], None] = lambda progress: None
) -> Demo:
    """Trains on all language pairs of the parallel text but its last lines, and tries the model on those.

    What a demonstration that was killed left in `out` is gone on with.
    """
    text = sentences()
    known = {language: lines[:-HELD_OUT] for language, lines in text.items()}
    with _folder(out) as folder:
        bitexts = _write_bitexts(known, folder)
        begun = time.monotonic()
        model = _trained(bitexts, folder / _TRAINED, threads, Watcher(progress=report), epochs=_EPOCHS)
        seconds = max(time.monotonic() - begun, model.about.seconds)  # which knows those before it was killed
        untrained = _trained(bitexts, folder / _UNTRAINED, threads, Watcher(), epochs=0)
        found = found_translations(untrained, held_out(text))
        return Demo(look_at(model, threads), len(known["en"]), seconds, found)


def can_show_in(out: Path) -> bool:
    """Whether a folder is new or empty, or holds nothing but a part of what a demonstration leaves there."""
    if not out.is_dir():
        return not out.exists()
    bitexts, models = set(map(_name, combinations(LANGUAGES, 2))), {_TRAINED, _UNTRAINED}
    names = {path.name for path in out.iterdir() if not any(is_unfinished(path, bitext) for bitext in bitexts)}
    if names & models and not names >= bitexts:  # which come first: somebody else's models
        return False
    return names <= bitexts | models and not _is_model(out / _UNTRAINED)  # which comes last


def _is_model(folder: Path) -> bool:
    return (folder / "config.json").exists()


def _trained(bitexts: list[str], folder: Path, threads: int | None, watcher: Watcher, epochs: int) -> Model:
    if _is_model(folder):
        return load(folder)
    if is_begun(folder):
        return resume(folder, threads=threads, watcher=watcher)
    return train(bitexts, folder, threads=threads, watcher=watcher, epochs=epochs, **_OPTIONS)


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
        return
    with temporary_folder("demo") as temporary:
        try:
            yield temporary
        except Stopped as stopped:
            raise Stopped("stopped; nothing is saved", hint="with --out DIR, the same command goes on") from stopped


def _write_bitexts(text: Text, folder: Path) -> list[str]:
    paths = []
    for one, two in combinations(text, 2):
        path = folder / _name((one, two))
        if not path.exists():
            lines = (f"{source}\t{target}\n" for source, target in zip(text[one], text[two], strict=True))
            write_text(path, "".join(lines))
        paths.append(str(path))
    return paths


def _name(languages: tuple[str, str]) -> str:
    return f"demo.{'-'.join(languages)}.tsv"
