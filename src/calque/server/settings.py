"""What is served, and how much of it anybody may ask for at once."""

from __future__ import annotations

from dataclasses import dataclass, field

SELF = ("127.0.0.1", "::1", "localhost")  # what only this machine can reach


@dataclass(frozen=True)
class ServerSettings:
    model: str | None = None  # None: the index's own, or else the one that every command takes
    index: str | None = None
    names: tuple[str, ...] = ()  # what requests may call the model, beside its folder's name
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] | None = None  # what requests may call the server, beside its addresses; None: anything
    max_body: int = 8 << 20  # bytes of a request
    max_batch: int = 2048  # texts of a request, as at OpenAI
    max_text: int = 100_000  # characters of a text
    max_lines: int = 20_000  # of each of two texts to mine
    max_waiting: int = 64  # long requests that wait for a thread; others are told to come back
    max_pending: int = 256 << 20  # bytes that a worker holds of requests that arrive and answers that are not taken
    patience: float = 30.0  # seconds that a client may take to send its request, or nothing of its answer
    threads: int = 1  # that one request may use; other requests use the others
