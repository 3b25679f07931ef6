"""Small requests are answered in uvicorn's place: by the rules of HTTP, and as others are."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from running import Running, rest, running, wait_for

from calque.model import Model
from calque.server.metrics import STATUSES


def request(path: str, message: object, headers: str = "", version: str = "1.1") -> bytes:
    body = json.dumps(message).encode()
    head = f"POST {path} HTTP/{version}\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n"
    return f"{head}{headers}\r\n".encode() + body


def embedding(text: str) -> bytes:
    return request("/v1/embeddings", {"input": text})


@pytest.fixture
def connection(server: Running) -> Iterator[socket.socket]:
    with server.connect() as connection:
        yield connection


def answers(connection: socket.socket, count: int) -> list[Any]:
    """The messages of that many answers, in their order."""
    file = connection.makefile("rb")
    found = []
    for _ in range(count):
        head = b"".join(iter(file.readline, b"\r\n"))
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        found.append(json.loads(file.read(int(length[1]))))
    return found


def vector(server: Running, text: str) -> Any:
    """As it is sent in pieces that do not tell their length, which only uvicorn answers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    body = iter([json.dumps({"input": text}).encode()])
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    connection.request("POST", "/v1/embeddings", body, headers, encode_chunked=True)
    return json.loads(connection.getresponse().read())


def test_the_answer_is_the_same_as_through_uvicorn(server: Running, connection: socket.socket) -> None:
    connection.sendall(embedding("A dog runs."))
    assert answers(connection, 1) == [vector(server, "A dog runs.")]


def test_requests_that_come_together_are_answered_in_their_order(server: Running, connection: socket.socket) -> None:
    explained = request("/v1/explain", {"first": "A dog runs.", "second": "Un perro corre."})
    connection.sendall(embedding("one") + explained + embedding("two") + embedding("three") + explained)
    first, second, third, fourth, fifth = answers(connection, 5)
    assert [first, third, fourth] == [vector(server, text) for text in ("one", "two", "three")]
    assert "contributions" in second
    assert fifth == second


def test_a_request_may_come_byte_by_byte(server: Running, connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in embedding("A dog runs."):
        connection.sendall(bytes([byte]))
    assert answers(connection, 1) == [vector(server, "A dog runs.")]


@pytest.mark.parametrize(("headers", "version"), [("Connection: close\r\n", "1.1"), ("", "1.0")])
def test_who_wants_to_be_left_is_left(connection: socket.socket, headers: str, version: str) -> None:
    connection.sendall(request("/v1/embeddings", {"input": "a"}, headers, version))
    head = rest(connection).partition(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\nconnection: close" in head
    assert b"\r\ndate: " in head


def test_who_asks_whether_to_go_on_is_told_to(connection: socket.socket) -> None:
    head, _, body = request("/v1/embeddings", {"input": "a"}, "Expect: 100-continue\r\n").partition(b"\r\n\r\n")
    connection.sendall(head + b"\r\n\r\n")
    assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.sendall(body)
    assert len(answers(connection, 1)) == 1


def test_a_body_above_a_small_limit_is_refused(fluent_model: Model) -> None:
    with running("--model", fluent_model.path, "--max-body", "1K") as server:
        assert server.post("/v1/embeddings", {"input": "a" * 900}).status_code == 200
        assert server.post("/v1/embeddings", {"input": "a" * 1100}).status_code == 413


def is_listening(server: Running) -> bool:
    try:
        server.connect().close()
    except ConnectionError:
        return False
    return True


def test_what_has_begun_to_arrive_is_answered_before_it_stops(fluent_model: Model) -> None:
    asked = embedding("A dog runs.")
    with running("--model", fluent_model.path) as server:
        expected = vector(server, "A dog runs.")
        with server.connect() as connection:
            connection.sendall(asked[:-5])
            wait_for(lambda: "calque_requests_in_flight 2.0" in server.get("/metrics").text)
            server.process.terminate()
            wait_for(lambda: not is_listening(server))
            connection.sendall(asked[-5:])
            head, _, body = rest(connection).partition(b"\r\n\r\n")
        assert b"\r\nconnection: close" in head
        assert json.loads(body) == expected
        assert server.process.wait(30) == 0


def test_who_leaves_in_the_middle_is_counted(fluent_model: Model) -> None:
    with running("--model", fluent_model.path) as server:
        for _ in range(3):
            with server.connect() as connection:
                connection.sendall(embedding("A dog runs.")[:-5])
        counted = 'calque_requests_total{route="/v1/embeddings",status="disconnected"} 3.0'
        wait_for(lambda: counted in server.get("/metrics").text)
        assert "calque_requests_in_flight 1.0" in server.get("/metrics").text  # this one


def test_requests_are_logged_if_that_is_wanted(fluent_model: Model) -> None:
    with running("--model", fluent_model.path, "--access-log") as server:
        server.post("/v1/embeddings", {"input": "a"})
        assert server.stop() == 0
        assert '"POST /v1/embeddings HTTP/1.1" 200' in "".join(server.log)


def test_every_answer_can_be_counted(server: Running) -> None:
    described = server.get("/openapi.json").json()["paths"]
    told = {int(status) for methods in described.values() for one in methods.values() for status in one["responses"]}
    assert told - {408} <= set(STATUSES)  # a request that takes too long to arrive never was one
