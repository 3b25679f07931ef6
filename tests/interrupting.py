"""Ctrl-C at the worst moment: while somebody clears away."""

from __future__ import annotations

from collections.abc import Callable


def interrupting_once(remove: Callable[..., None]) -> Callable[..., None]:
    """Ctrl-C, the first time that something is removed."""
    interrupted: list[bool] = []

    def removing(*given: object, **options: object) -> None:
        if not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        remove(*given, **options)

    return removing
