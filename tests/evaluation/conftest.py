"""Small evaluation data as plain TSVs."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.demo import sentences


def write_graded(path: Path, one: str, two: str, count: int = 600, apart: int = 7) -> None:
    """Every other sentence with its translation (5), the rest with one that does not belong (0)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    first, second = sentences()[one], sentences()[two]
    rows = [(5, first[at], second[at]) if at % 2 else (0, first[at], second[at - apart]) for at in range(count)]
    path.write_text("".join(f"{grade}\t{x}\t{y}\n" for grade, x, y in rows), encoding="utf-8")


@pytest.fixture(scope="session")
def sts17(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluation") / "sts17"
    write_graded(folder / "track4a.es-en.tsv", "es", "en")
    write_graded(folder / "track5.en-en.tsv", "en", "en")
    return folder


@pytest.fixture(scope="session")
def tatoeba(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluation") / "tatoeba"
    folder.mkdir()
    text = sentences()
    for name, language in (("deu", "de"), ("spa", "es")):
        rows = zip(text[language][:100], text["en"][:100], strict=True)
        (folder / f"{name}-eng.tsv").write_text("".join(f"{x}\t{y}\n" for x, y in rows), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def bucc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half of each side's sentences have a translation on the other."""
    folder = tmp_path_factory.mktemp("evaluation") / "bucc"
    folder.mkdir()
    text = sentences()
    for split, begin in (("sample", 0), ("training", 200)):
        sides = {"de": range(begin, begin + 80), "en": range(begin + 40, begin + 120)}
        for language, places in sides.items():
            lines = (f"{language}-{at:06}\t{text[language][at]}\n" for at in places)
            (folder / f"de-en.{split}.{language}").write_text("".join(lines), encoding="utf-8")
        gold = (f"de-{at:06}\ten-{at:06}\n" for at in range(begin + 40, begin + 80))
        (folder / f"de-en.{split}.gold").write_text("".join(gold))
    return folder
