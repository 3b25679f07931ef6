"""Folders of evaluation data, written down as what they hold."""

from __future__ import annotations

from pathlib import Path


def put(folder: Path, files: dict[str, str]) -> Path:
    """Each file of `files`, by its place in the folder; lines are joined as they stand."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def lines(*each: str) -> str:
    return "".join(f"{line}\n" for line in each)
