"""A limit on the bytes that a worker holds for its clients, so that many slow ones cannot fill the memory.

Held are large requests, from their first part on, and large answers, until the client has taken them. Beyond the
limit, connections that stand still are closed, the one that has done so longest first; if none does, the new request
is told to come back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from .errors import ApiError

SMALL = 64 << 10  # bytes of a request or an answer that count as nothing: connections have a limit of their own
STATE = "calque.account"  # in the state of an ASGI scope

_MODEST = 1 << 10  # bytes of a request that hold few texts, and always get a chance
_STILL = 1.0  # seconds without a byte after which a connection may have to make room


class Budget:
    """Bytes held for all clients of a worker; used by the thread of the event loop alone."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.accounts: set[Account] = set()  # of the connections that hold something

    def make_room(self, size: int, account: Account | None = None) -> bool:
        """Return True if `account` may hold `size` more bytes. Any number may be held if no other holds any."""
        own = account.held if account is not None else 0
        if self._fits(size, own):
            return True
        now = time.monotonic()
        for other in sorted(self.accounts - {account}, key=lambda account: account.since or now):
            if other.still_for(now) >= _STILL and other.close() and self._fits(size, own):
                return True
        return False

    def require_start(self, body: int, account: Account | None = None) -> None:
        """Refuse work whose answer, which may be large, would then find no room.

        Raises:
            ApiError: 503, hardly anything is left, and a request of `body` bytes is not a small one.
        """
        if body > _MODEST and not self.make_room(self.most // 16, account):
            raise overfull()

    def _fits(self, size: int, own: int) -> bool:
        return self.held == own or self.held + size <= self.most


class Account:
    """Bytes held for one connection, and the time since when its client has neither sent nor taken any.

    `not_taken` counts the bytes written that the client has not taken yet; `hang_up` ends the connection at once.
    """

    def __init__(
        self, budget: Budget, not_taken: Callable[[], int] = lambda: 0, hang_up: Callable[[], None] | None = None
    ) -> None:
        self._budget = budget
        self._not_taken = not_taken
        self._hang_up = hang_up
        self._closed = False
        self._left = 0
        self.held = 0
        self.since: float | None = None  # None while the client waits for the server

    def change(self, more: int) -> None:
        """Hold so many more bytes, or fewer if negative, although there may be no room."""
        if self._closed or not more:
            return
        self.held += more
        self._budget.held += more
        if self.held:
            self._budget.accounts.add(self)
        else:
            self._budget.accounts.discard(self)

    def await_client(self) -> None:
        self.since = time.monotonic()
        self._left = self._not_taken()

    def await_server(self) -> None:
        self.since = None

    def still_for(self, now: float) -> float:
        """Return the seconds since the client last did anything."""
        if self.since is None:
            return 0.0
        left, before = self._not_taken(), self._left
        self._left = left
        if left < before:
            self.since = now
        return now - self.since

    def leave(self) -> None:
        """Hold nothing from now on: the connection is gone."""
        self.change(-self.held)
        self._closed = True

    def close(self) -> bool:
        """End the connection, if that is possible from here."""
        if self._hang_up is None:
            return False
        self.leave()
        self._hang_up()
        return True

    def holding(self) -> Holding:
        return Holding(self, self._budget)


class Holding:
    """Bytes of one request or its answer, held until the block ends."""

    def __init__(self, account: Account, budget: Budget) -> None:
        self.account = account
        self._budget = budget
        self._size = 0
        self.await_client = account.await_client
        self.await_server = account.await_server

    def hold(self, size: int) -> None:
        """Hold `size` bytes instead of those before.

        Raises:
            ApiError: 503, there is no room.
        """
        more = (size if size > SMALL else 0) - self._size
        if more > 0 and not self._budget.make_room(more, self.account):
            raise overfull()
        self.account.change(more)
        self._size += more

    def __enter__(self) -> Holding:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.account.change(-self._size)


def overfull() -> ApiError:
    return ApiError(
        503,
        "too many large requests and answers wait for slow clients; come back",
        "overloaded",
        headers=((b"retry-after", b"1"),),
    )
