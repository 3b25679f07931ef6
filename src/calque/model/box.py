"""The model in the box: a small one in many languages, a model folder of its own inside the package."""

from __future__ import annotations

from pathlib import Path

NAME = "box"  # what it is called where a model folder could be named
FOLDER = Path(__file__).resolve().parent.parent / "box"


def box_folder() -> Path:
    """Where it lies, or would: a source tree may have none."""
    return FOLDER


def has_box() -> bool:
    return (box_folder() / "config.json").exists()
