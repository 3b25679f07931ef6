"""A small library for the paper's experiments, named and laid out like a real one, and a scale that takes seconds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from calque.demo import sentences
from calque.paper.scale import Scale

SCALE = "tiny"
TINY = Scale(SCALE, 300, 1, 60, 1, 200, 250, 3)
PATCH = f"from calque.paper.scale import SCALES, Scale; SCALES[{SCALE!r}] = {TINY!r}\n"  # for another process
MAIN = "from calque.cli import main; main()"

# Any language's text will do under any language's name.
BITEXTS = {
    "europarl.en-es": ("en", "es"),
    "europarl.en-de": ("en", "de"),
    "tatoeba.en-en": ("en", "en"),
    "tatoeba-shared-translation.en-en": ("en", "en"),
    "tatoeba.en-ar": ("en", "fr"),
    "tatoeba.en-cs": ("en", "de"),
    "tatoeba.en-de": ("en", "de"),
    "tatoeba.en-es": ("en", "es"),
    "tatoeba-pivot.en-es": ("en", "es"),
    "tatoeba.en-fr": ("en", "fr"),
    "tatoeba.en-tr": ("en", "es"),
    "libreoffice.en-cs": ("en", "de"),
}
TRACKS = {
    "track1.ar-ar": ("fr", "fr"),
    "track2.ar-en": ("en", "fr"),
    "track3.es-es": ("es", "es"),
    "track4a.es-en": ("es", "en"),
    "track5.en-en": ("en", "en"),
    "track6.tr-en": ("en", "es"),
}


def build(folder: Path) -> Path:
    """bitext/ and eval/ in a new folder."""
    text = sentences()
    (folder / "bitext").mkdir(parents=True)
    for name, (one, two) in BITEXTS.items():
        shift = 1 if one == two else 0  # no sentence is its own paraphrase
        rows = zip(text[one][:600], text[two][shift : 600 + shift], strict=True)
        write(folder / "bitext" / f"{name}.tsv", rows)
    for year in (2012, 2014):
        for name in ("headlines", "images"):
            graded(folder / "eval" / "sts" / str(year) / f"{name}.tsv", "en", "en", seed=f"{year} {name}")
    for name, (one, two) in TRACKS.items():
        graded(folder / "eval" / "sts17" / f"{name}.tsv", one, two, seed=name)
    mining(folder / "eval" / "bucc" / "de-en", "sample")
    return folder


def graded(path: Path, one: str, two: str, seed: str) -> None:
    """Sentences beside their translations, or beside others, with scores to match."""
    text, generator = sentences(), random.Random(seed)
    rows = []
    for at in range(20):
        other = at if at % 2 else generator.randrange(40)
        rows.append(
            (
                f"{generator.uniform(3, 5) if other == at else generator.uniform(0, 2):.1f}",
                text[one][at],
                text[two][other],
            )
        )
    write(path, rows)


def mining(folder: Path, split: str) -> None:
    text = sentences()
    for language, lines in (("de", text["de"][:40]), ("en", text["en"][20:60])):
        named = [(f"{language}-{at}", line) for at, line in enumerate(lines)]
        write(folder / f"de-en.{split}.{language}", named)
    write(folder / f"de-en.{split}.gold", [(f"de-{at + 20}", f"en-{at}") for at in range(20)])


def write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


class Everything(NamedTuple):
    """What a run of all experiments left."""

    data: Path
    out: Path
    said: list[str]

    def json(self, name: str) -> dict[str, Any]:
        described: dict[str, Any] = json.loads((self.out / f"{name}.json").read_text(encoding="utf-8"))
        return described

    def markdown(self, name: str) -> str:
        return (self.out / f"{name}.md").read_text(encoding="utf-8")
