"""A server that has answered thousands holds no more than when it had settled."""

from __future__ import annotations

import http.client
import json
import os
from itertools import count
from pathlib import Path

import pytest
from running import Running, rest, wait_for

from calque.demo import sentences
from growth import steady_growth

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks into /proc, which Linux has")

ENGLISH, SPANISH = sentences()["en"], sentences()["es"]
JSON = {"Content-Type": "application/json"}
MOST = 1 << 20  # bytes, in a fifth of the rounds


def memory(server: Running) -> int:
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files(server: Running) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def threads(server: Running) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def ask(connection: http.client.HTTPConnection, at: int) -> None:
    """One of everything, with mistakes among it."""
    some = [ENGLISH[(at + more) % len(ENGLISH)] for more in range(100)]
    asked: list[tuple[str, object, int]] = [
        ("/v1/embeddings", {"input": some}, 200),
        ("/v1/embeddings", {"input": f"{some[0]} {at}", "encoding_format": "base64"}, 200),
        ("/v1/embeddings", {"inputs": [f"{at}"]}, 400),
        ("/v1/similarity", {"first": some[:5], "second": SPANISH[:5]}, 200),
        ("/v1/search", {"query": some[:3], "k": 20}, 200),
        ("/v1/explain", {"first": some[0], "second": SPANISH[0]}, 200),
        (f"/v1/nothing-{at}", {}, 404),
    ]
    if not at % 25:
        asked.append(("/v1/mine", {"source": some, "target": SPANISH[:100]}, 200))
    for path, message, status in asked:
        connection.request("POST", path, json.dumps(message), JSON)
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (status, True)
    for path in ("/", "/metrics", "/health", "/openapi.json"):
        connection.request("GET", path)
        assert connection.getresponse().read()


def test_answering(server: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    turns = count()
    for _ in range(30):
        ask(connection, next(turns))
    before = files(server), threads(server)
    assert steady_growth(lambda: memory(server), lambda: ask(connection, next(turns)), 60) < MOST
    assert files(server) <= before[0]
    assert threads(server) == before[1]
    connection.close()


def test_connections_that_come_and_go(server: Running) -> None:
    def visit() -> None:
        for _ in range(50):
            with server.connect() as connection:
                connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
                assert rest(connection)
        for _ in range(50):
            with server.connect() as connection:
                connection.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")

    visit()
    before = files(server)
    assert steady_growth(lambda: memory(server), visit, 5) < MOST
    wait_for(lambda: files(server) <= before)
