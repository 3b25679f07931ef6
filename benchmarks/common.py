"""What the benchmarks share: the real text, timing, and a table."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from calque import _kernel
from calque.corpus import find_bitexts
from calque.encoder import AverageEncoder
from calque.model import Model
from calque.paper.machine import processor

DATA = Path(os.environ.get("CALQUE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def bitext_path(name: str) -> Path:
    path = DATA / "bitext" / f"{name}.tsv.xz"
    if not path.exists():
        sys.exit(f"skipped: {path} is not there; set CALQUE_DATA to the folder with the real text")
    return path


def english(name: str, count: int) -> list[str]:
    (bitext,) = find_bitexts([str(bitext_path(name))])
    return [pair.source for pair in islice(bitext.pairs(), count)]


def best_of(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest run: noise only ever adds."""
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def fresh(model: Model) -> AverageEncoder:
    """The same encoder before it has met any word."""
    return AverageEncoder(model.vocabulary, model.embeddings, model.encoder.normalizes)


def machine() -> str:
    return f"{processor()}, {os.cpu_count()} cores, kernel {_kernel.target()}, Python {platform.python_version()}"


def shorten_normaliser(folder: Path) -> None:
    """Gives other libraries the quickest tokenizer.json that cuts ordinary text right.

    The one that a folder has is right for any text, accents written apart and the like, and takes them a third longer.
    """
    path = folder / "tokenizer.json"
    described = json.loads(path.read_text(encoding="utf-8"))
    steps = described["normalizer"]["normalizers"]
    kept = [step for step in steps if step["type"] == "Precompiled"]
    stripping = {"type": "Strip", "strip_left": True, "strip_right": True}
    described["normalizer"]["normalizers"] = [*kept, stripping, steps[-1]]
    path.write_text(json.dumps(described, ensure_ascii=False), encoding="utf-8")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Markdown, so that a run can be pasted into the documentation."""
    print(f"\n{title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|" + "|".join("---" if at == 0 else "---:" for at in range(len(columns))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()
