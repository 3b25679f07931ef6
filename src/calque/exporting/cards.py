"""What the folder that a model was exported from says of it, so that scores, licences and credits are not lost."""

from __future__ import annotations

from pathlib import Path

from ..atomic import write_text
from ..model import Model
from ..model.card import card

_HEADING = "\n---\n\nExported from a model whose card says:\n\n"


def add_first_card(folder: Path, model: Model) -> None:
    """Puts the model's own card after what README.md says, unless it holds no more than what training writes there."""
    first = model.path / "README.md" if model.path else None
    if first is None or not first.is_file():
        return
    said = first.read_text(encoding="utf-8", errors="replace")
    if said == card(model.encoder, model.about):
        return
    readme = folder / "README.md"
    write_text(readme, readme.read_text(encoding="utf-8") + _HEADING + _without_header(said))


def _without_header(text: str) -> str:
    """Without the YAML at its head, which only the first lines of a card can hold."""
    if text.startswith("---\n"):
        _, ended, rest = text[4:].partition("\n---\n")
        return rest if ended else text
    return text
