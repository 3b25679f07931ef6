"""What the workers of a server share with all its requests: the model, the index, the limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from ..errors import UsageError
from ..index import Index
from ..index.manifest import NAME as MANIFEST
from ..model import load
from ..vocabulary.sharing import SeparateVocabularies
from .errors import ApiError, too_long, too_many
from .settings import ServerSettings


class Service:
    """
    Raises:
        UsageError: a model with a vocabulary for each language, whose texts would have to name theirs.
        ModelError: no model or no index, or one that was built with another model.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.index = _open_index(settings)
        self.model = self.index.model if self.index else load(settings.model)
        if isinstance(self.model.vocabulary, SeparateVocabularies):
            raise UsageError(
                "this model has a vocabulary for each language, and a request does not say which it is in",
                hint="serve a model whose languages share one, which is how calque train makes them",
            )
        self.model.encode(["a"], threads=1)  # opens what a model opens for its first text: no request shall wait for it
        self.names = tuple(dict.fromkeys([self.model.name, *settings.names]))
        self.started = int(time.time())
        self._seen = _state(self.index)
        self._refreshing = threading.Lock()

    def require_model(self, name: str | None) -> str:
        """The name that an answer carries.

        Raises:
            ApiError: 404, no such model.
        """
        if name is None:
            return self.names[0]
        if name not in self.names:
            raise ApiError(
                404, f"there is no model {name!r} here, only {', '.join(self.names)}", "model_not_found", "model"
            )
        return name

    def require_texts(self, texts: Sequence[str], param: str) -> None:
        """
        Raises:
            ApiError: 400, too many or too long.
        """
        most = self.settings.max_batch
        if len(texts) > most:
            raise too_many(param, f"{len(texts):,} texts are more than the {most:,} that one request may hold")
        self.require_lengths(texts, param)

    def require_lengths(self, texts: Sequence[str], param: str) -> None:
        """
        Raises:
            ApiError: 400, too long.
        """
        longest = self.settings.max_text
        for at, text in enumerate(texts):
            if len(text) > longest:
                raise too_long(
                    param, f"{len(text):,} characters are more than the {longest:,} that a text may have", at
                )

    def current_index(self) -> Index:
        """As it is now: what others have added or deleted since is seen.

        Raises:
            ApiError: 404, none is served.
        """
        if self.index is None:
            raise ApiError(404, "no index is served here; start the server with --index DIR", "no_index")
        now = _state(self.index)
        if now not in (None, self._seen):
            with self._refreshing:
                self.index.refresh()
                self._seen = now
        return self.index


def _open_index(settings: ServerSettings) -> Index | None:
    if settings.index is None:
        return None
    return Index.open(Path(settings.index), settings.model)


def _state(index: Index | None) -> tuple[int, int] | None:
    """Changes whenever the index does: its manifest is replaced as a whole."""
    if index is None:
        return None
    try:
        found = (index.path / MANIFEST).stat()
    except OSError:  # it has been taken away; what is mapped can still be searched
        return None
    return found.st_ino, found.st_mtime_ns
