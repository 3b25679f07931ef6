"""What one kind of request is: where it goes, what it must say, who answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..service import Service


@dataclass(frozen=True)
class Route:
    method: str
    path: str  # with {name} at its end if anything may follow
    summary: str
    answer: Callable[[Service, Any], Any]  # the request's message, or what {name} stands for, in; the answer out
    takes: type | None = None  # the type of the request's message
    gives: type | None = None  # of the answer's; None: text
    long: bool = False  # may take so long that it must not keep others waiting
    open: bool = False  # needs no token
    advice: Callable[[str], str | None] = lambda problem: None  # a better word for what is wrong with a message
    errors: tuple[int, ...] = ()  # beside those that any request may meet

    @property
    def prefix(self) -> str | None:
        """What a path begins with that stands for any name."""
        return self.path.removesuffix("{name}") if self.path.endswith("{name}") else None
