"""How to reach the servers, and the small answers that are wanted at once: JSON, or a file's size."""

from __future__ import annotations

import http.client
from dataclasses import dataclass

from ...errors import CorpusError, UsageError
from ...saved import load
from .mirrors import addresses, check_mirrors
from .web import MIRROR, TIMEOUT, FetchError, Patience, TryAgain, Unreachable, interrupted, open_address

_MOST = 256 << 20  # bytes of JSON


@dataclass(frozen=True)
class Network:
    mirrors: tuple[str, ...] = ()
    timeout: float = TIMEOUT  # seconds without a byte

    def __post_init__(self) -> None:
        check_mirrors(self.mirrors)
        if not 0 < self.timeout < 1e6:
            raise UsageError(
                f"--timeout: expected a number of seconds above 0, got {self.timeout:g}", hint="like --timeout 30"
            )

    def addresses(self, url: str) -> list[str]:
        return addresses(url, self.mirrors)

    def json(self, url: str) -> object:
        """The answer of the first address that gives one."""
        problems: list[CorpusError] = []
        for address in self.addresses(url):
            try:
                return _json(address, self.timeout)
            except CorpusError as problem:
                problems.append(problem)
        raise first_of(problems)

    def size(self, url: str) -> int | None:
        """What the first address says a file's size is, in bytes; None if it does not tell or something is wrong.

        Raises:
            Unreachable: there is no network, so that the sizes of other files need not be asked for.
        """
        try:
            with open_address(self.addresses(url)[0], {}, self.timeout, method="HEAD") as answer:
                return content_length(answer)
        except Unreachable:
            raise
        except (FetchError, TryAgain):
            return None


def first_of(problems: list[CorpusError]) -> CorpusError:
    """One error for an attempt at several addresses."""
    first = problems[0]
    if len(problems) == 1:
        return first
    # All of them must be of a kind for the whole to be of that kind: missing here and unreachable there is neither.
    kind = type(first) if len({type(problem) for problem in problems}) == 1 else FetchError
    return kind("; ".join(problem.message for problem in problems), hint=first.hint)


def content_length(answer: http.client.HTTPResponse) -> int | None:
    told = (answer.headers.get("Content-Length") or "").strip()
    chunked = answer.headers.get("Transfer-Encoding") is not None
    return int(told) if told.isascii() and told.isdigit() and not chunked else None


def _json(address: str, timeout: float) -> object:
    patience = Patience()
    while True:
        try:
            raw = _read(address, timeout)
            break
        except TryAgain as problem:
            patience.wait(problem)
    try:
        return load(raw)
    except ValueError as problem:
        start = raw[:40].decode("utf-8", "replace")
        raise FetchError(
            f"{address}: expected JSON, got {start!r}",
            hint="a login page of the network may be in between; open the address in a browser",
        ) from problem


def _read(address: str, timeout: float) -> bytes:
    with open_address(address, {"Accept": "application/json"}, timeout) as answer:
        if answer.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
            raise FetchError(f"{address}: the answer is compressed, though none such was asked for", hint=MIRROR)
        try:
            raw = answer.read(_MOST + 1)
        except (OSError, http.client.HTTPException) as problem:
            raise interrupted(address, problem) from problem
        if len(raw) > _MOST:
            raise FetchError(f"{address}: the answer is larger than {_MOST:,} bytes", hint=MIRROR)
        length = content_length(answer)
        if length is not None and len(raw) < length:
            raise TryAgain(f"{address} was cut short: {len(raw):,} of {length:,} bytes came")
        return raw
