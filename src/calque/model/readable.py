"""Texts that a model can read: its vocabulary knows at least half of their letters."""

from __future__ import annotations

from .model import Model


class Readable:
    """Remembers the letters that it has met, so that most texts need no look at the vocabulary."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: set[str] = set()

    def __call__(self, text: str, language: str | None = None) -> bool:
        """Return False if most letters are unknown: all such texts have much the same vector."""
        if all(letter.isascii() or letter in self._known for letter in text if letter.isalpha()):
            return True
        known, unknown = 0, 0
        for piece in self._model.vocabulary.trace(text, language):
            letters = list(filter(str.isalpha, piece.text))
            if piece.row is None:
                unknown += len(letters)
            else:
                known += len(letters)
                self._known.update(letters, map(str.upper, letters))
        return known >= unknown
