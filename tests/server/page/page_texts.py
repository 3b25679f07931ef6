"""What is typed into the page, and dropped on it."""

from __future__ import annotations

from pathlib import Path

from calque.demo import sentences

TEXT = sentences()
MARKUP = '<img src="x" onerror="document.title = 1"><b>Buenas</b> noches'


def two_files(folder: Path, lines: int = 300) -> tuple[Path, Path]:
    """English, and Spanish from its end to its beginning."""
    paths = folder / "text.en", folder / "text.es"
    for path, text in zip(paths, (TEXT["en"][:lines], TEXT["es"][lines - 1 :: -1]), strict=True):
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return paths


def written(value: float) -> str:
    """As the page writes a number."""
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
