"""The demonstration's training, and what came of it; printing is the command's business."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from ..tasks.train import Watcher, train
from ..temporary import temporary_folder
from ..training import Progress
from .look import HELD_OUT, Look, Text, found_translations, held_out, look_at, sentences


@dataclass(frozen=True)
class Demo:
    look: Look
    lines: int
    seconds: float  # of training
    untrained: dict[str, float]  # what the same model finds before it has learnt anything


def run_demo(
    out: Path | None = None, threads: int | None = None, report: Callable[[Progress], None] = lambda progress: None
) -> Demo:
    """Trains on all language pairs of the parallel text but its last lines, and tries the model on those."""
    text = sentences()
    known = {language: lines[:-HELD_OUT] for language, lines in text.items()}
    with _folder(out) as folder:
        bitexts = _write_bitexts(known, folder)
        options: dict[str, Any] = {"vocabulary_size": 2500, "dimension": 128, "mega_batch": 20}
        begun = time.monotonic()
        model = train(
            bitexts, folder / "model", epochs=40, threads=threads, watcher=Watcher(progress=report), **options
        )
        seconds = time.monotonic() - begun
        untrained = train(bitexts, folder / "untrained", epochs=0, threads=threads, **options)
        found = found_translations(untrained, held_out(text))
        return Demo(look_at(model, threads), len(known["en"]), seconds, found)


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
        return
    with temporary_folder("demo") as temporary:
        yield temporary


def _write_bitexts(text: Text, folder: Path) -> list[str]:
    paths = []
    for one, two in combinations(text, 2):
        path = folder / f"demo.{one}-{two}.tsv"
        lines = (f"{source}\t{target}\n" for source, target in zip(text[one], text[two], strict=True))
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(str(path))
    return paths
