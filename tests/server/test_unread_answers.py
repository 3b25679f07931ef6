"""Clients that take nothing of their answers cannot fill the memory, nor keep others from being answered."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import Running, rest, running, wait_for

from calque.model import Model
from calque.server.budget import SMALL, Account, Budget
from calque.server.errors import ApiError
from calque.server.protocol import MOST_IN_LINE

ON_LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks into /proc, which Linux has")
BUDGET = 16 << 20
BESIDE = 40 << 20  # bytes for threads, and for answers that are being made
CLIENTS = 60  # who would hold some 200 MB


def request(message: object, headers: str = "") -> bytes:
    body = json.dumps(message).encode()
    head = "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n{headers}\r\n".encode() + body


AT_ONCE = request({"input": ["a"] * 2000})  # 14 KB, which ask for more than 3 MB
BY_UVICORN = request({"input": ["a dog runs"] * 2000})
PAGES = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5000


@pytest.fixture(scope="module")
def bounded(fluent_model: Model) -> Iterator[Running]:
    with running("--model", fluent_model.path, "--max-pending", BUDGET, "--patience", "4") as server:
        for asked in (AT_ONCE, BY_UVICORN):  # so that its threads are there
            for _ in range(4):
                server.post("/v1/embeddings", json.loads(asked.partition(b"\r\n\r\n")[2]))
        yield server
        assert "Traceback" not in "".join(server.log)


def memory(server: Running) -> int:
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def not_reading(server: Running, count: int, asked: bytes) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(count):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.settimeout(30)
            with contextlib.suppress(OSError):  # it is left before it has sent all
                connection.sendall(asked)
            found.append(connection)
        yield found


@ON_LINUX
@pytest.mark.parametrize("asked", [AT_ONCE, BY_UVICORN, PAGES], ids=["at once", "by uvicorn", "many pages"])
def test_what_lies_unread_has_a_limit_and_is_let_go(bounded: Running, asked: bytes) -> None:
    before = memory(bounded)
    with not_reading(bounded, CLIENTS, asked):
        assert bounded.post("/v1/embeddings", {"input": "a"}).status_code == 200  # after all that was asked before
        held = memory(bounded) - before
        assert held < BUDGET + BESIDE, f"{held >> 20} MB"
        # Those who stand still make room for who reads.
        wait_for(lambda: bounded.post("/v1/embeddings", {"input": ["a"] * 2000}).status_code == 200)
        wait_for(lambda: memory(bounded) - before < BESIDE)


@ON_LINUX
def test_requests_in_line_have_a_limit_and_the_rest_must_be_sent_again(bounded: Running) -> None:
    mined = request({"source": ["a dog"], "target": ["un perro"]}).replace(b"embeddings", b"mine")
    with bounded.connect() as connection:
        connection.sendall(mined + PAGES)
        answers = rest(connection)
    assert answers.count(b"HTTP/1.1 200 OK\r\n") == 1 + MOST_IN_LINE


def test_a_large_answer_is_whole_at_once_and_by_uvicorn(bounded: Running) -> None:
    with bounded.connect() as connection:
        connection.sendall(AT_ONCE + request({"input": "b"}, "Connection: close\r\n"))
        first, _, second = rest(connection).partition(b"\r\n\r\n")[2].partition(b"HTTP/1.1 200 OK")
    assert len(json.loads(first)["data"]) == 2000
    assert len(json.loads(second.partition(b"\r\n\r\n")[2])["data"]) == 1
    assert len(bounded.post("/v1/embeddings", {"input": ["a dog runs"] * 2000}).json()["data"]) == 2000


@ON_LINUX
def test_bodies_that_arrive_slowly_have_a_limit_too(bounded: Running) -> None:
    head = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    part = head + b"Content-Length: %d\r\n\r\n" % (8 << 20) + b" " * (7 << 20)
    before = memory(bounded)
    with not_reading(bounded, 20, part):
        assert bounded.post("/v1/embeddings", {"input": "a"}).status_code == 200
        assert memory(bounded) - before < BUDGET + BESIDE
        wait_for(lambda: bounded.post("/v1/embeddings", {"input": ["a dog runs"] * 2000}).status_code == 200)


def test_without_room_a_large_request_is_told_to_come_back(fluent_model: Model) -> None:
    """While another keeps sending: it may be as large as it is, being the first, and does not stand still."""
    with running("--model", fluent_model.path, "--max-pending", "1M") as server, server.connect() as sending:
        head = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        sending.sendall(head + b"Content-Length: %d\r\n\r\n" % (8 << 20) + b" " * (2 << 20))
        for _ in range(100):
            sending.sendall(b" " * (32 << 10))
            answer = server.post("/v1/embeddings", {"input": ["a"] * 2000})
            if answer.status_code == 503:
                break
        assert answer.headers["retry-after"] == "1"
        assert server.post("/v1/embeddings", {"input": "a"}).status_code == 200


class Client:
    """One whose connection says how much is left, and notes that it was hung up on."""

    def __init__(self, budget: Budget, left: Callable[[], int] = lambda: 5) -> None:
        self.hung_up = False
        self.account = Account(budget, left, self.hang_up)

    def hang_up(self) -> None:
        self.hung_up = True


def test_who_stands_still_for_longest_makes_room_and_who_reads_does_not() -> None:
    budget = Budget(10 * SMALL)
    clients = [Client(budget, left) for left in (iter(range(100, 0, -1)).__next__, *[lambda: 5] * 3)]
    reads, newer, older, works = time.monotonic() - 9, time.monotonic() - 3, time.monotonic() - 5, None
    for client, since in zip(clients, (reads, newer, older, works), strict=True):
        client.account.change(2 * SMALL)
        client.account.await_client()
        client.account.since = since
    with Account(budget).holding() as holding:
        holding.hold(3 * SMALL)
        assert [client.hung_up for client in clients] == [False, False, True, False]
        assert budget.held == 9 * SMALL
        holding.hold(5 * SMALL)
        assert [client.hung_up for client in clients] == [False, True, True, False]
        with pytest.raises(ApiError, match="come back"):
            holding.hold(9 * SMALL)
    assert budget.held == 4 * SMALL
    for client in clients:
        client.account.leave()
    assert (budget.held, budget.accounts) == (0, set())


def test_one_alone_may_be_larger_than_the_limit_and_small_ones_count_as_nothing() -> None:
    budget = Budget(SMALL)
    with Account(budget).holding() as large, Account(budget).holding() as small:
        large.hold(100 * SMALL)
        small.hold(SMALL)
        with pytest.raises(ApiError):
            small.hold(SMALL + 1)
    assert budget.held == 0
