"""The head of a request: its Host, its length, how large it may be; and what follows a body as if it were a head."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from running import Running, rest, running

from calque.model import Model

JSON = b"Content-Type: application/json\r\n"
POST = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n" + JSON
GOOD = POST + b'Content-Length: 14\r\n\r\n{"input": "a"}'


@pytest.fixture(scope="module")
def local(fluent_model: Model) -> Iterator[Running]:
    """For its own machine, so that names matter."""
    with running("--model", fluent_model.path, "--max-body", "64K", "--patience", "3") as server:
        yield server
        assert "Traceback" not in "".join(server.log)


@pytest.fixture(scope="module")
def guarded(fluent_model: Model) -> Iterator[Running]:
    """With a token, so that any name will do."""
    with running("--model", fluent_model.path, environment={"CALQUE_TOKEN": "s3cret"}) as server:
        yield server


def told(server: Running, sent: bytes) -> bytes:
    """Whatever comes back until the server hangs up."""
    with server.connect() as connection:
        connection.sendall(sent)
        return rest(connection)


HEALTH = b"GET /health HTTP/1.1\r\nConnection: close\r\n"
AT_ONCE = b"POST /v1/embeddings HTTP/1.1\r\nConnection: close\r\nContent-Length: 14\r\n" + JSON
BODY = b'{"input": "a"}'
PAGE = b"GET / HTTP/1.1\r\nConnection: close\r\n"


@pytest.mark.parametrize(("head", "body"), [(HEALTH, b""), (AT_ONCE, BODY), (PAGE, b"")], ids=["get", "post", "page"])
@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        (b"", b"expected one Host header, got none"),
        (b"Host: localhost\r\nHost: localhost\r\n", b"expected one Host header, got 2"),
        (b"Host: localhost\r\nhost: evil.example\r\n", b"expected one Host header, got 2"),
        (b"Host:\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: local host\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: localhost/a\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: me@localhost\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: localhost:80a\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: [::1\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: [:::]\r\n", b"expected a Host header such as localhost:8000"),
        (b"Host: \xff\r\n", b"expected a Host header such as localhost:8000"),
    ],
)
def test_a_request_has_one_right_host(
    local: Running, guarded: Running, head: bytes, body: bytes, hosts: bytes, said: bytes
) -> None:
    for server in (local, guarded):
        answer = told(server, head + hosts + b"\r\n" + body)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert said in answer
        assert b"invalid_host" in answer


@pytest.mark.parametrize("head", [HEALTH, AT_ONCE], ids=["get", "post"])
def test_http_1_0_may_leave_it_out_only_where_names_do_not_matter(
    local: Running, guarded: Running, head: bytes
) -> None:
    old = head.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Authorization: Bearer s3cret\r\n\r\n"
    body = BODY if head is AT_ONCE else b""
    assert told(local, old + body).startswith(b"HTTP/1.1 400 ")
    assert told(guarded, old + body).startswith(b"HTTP/1.1 200 ")
    evil = old.replace(b"\r\n\r\n", b"\r\nHost: evil.example\r\n\r\n")
    assert told(local, evil + body).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("host", [b"localhost:", b" localhost:8000 ", b"[::1]:1", b"127.0.0.1"])
def test_odd_but_right_hosts_are_taken(local: Running, host: bytes) -> None:
    assert told(local, HEALTH + b"Host:" + host + b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("length", [(64 << 10) + 1, 10**12, (1 << 64) - 1])
@pytest.mark.parametrize("expect", [b"", b"Expect: 100-continue\r\n"])
def test_a_length_above_the_limit_is_refused_before_anything_of_it_comes(
    local: Running, length: int, expect: bytes
) -> None:
    answer = told(local, POST + expect + b"Content-Length: %d\r\n\r\n" % length)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nconnection: close" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("length", [b"9" * 20, b"9" * 5000, b"-1", b"1e9", b"0x10", b"14, 14", b""])
def test_a_length_that_is_no_number_or_larger_than_any_is_refused(local: Running, length: bytes) -> None:
    assert told(local, POST + b"Content-Length: " + length + b"\r\n\r\n" + BODY).startswith(b"HTTP/1.1 400 ")


def test_chunks_above_the_limit_are_refused_before_their_end_comes(local: Running) -> None:
    chunk = b"%x\r\n" % 70_000 + b" " * 70_000 + b"\r\n"
    assert told(local, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk).startswith(b"HTTP/1.1 413 ")


def test_a_refusal_keeps_its_place_behind_an_earlier_request(local: Running) -> None:
    explained = b'{"first": "a dog", "second": "un perro"}'
    first = POST.replace(b"embeddings", b"explain") + b"Content-Length: %d\r\n\r\n" % len(explained) + explained
    answer = told(local, first + POST + b"Content-Length: 1000000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1 ") == 2
    assert b"HTTP/1.1 413 " in answer


@pytest.mark.parametrize(
    "head", [POST.replace(b"embeddings", b"nothing"), POST.replace(b"POST", b"PUT"), PAGE + b"Host: localhost\r\n"]
)
def test_what_was_answered_before_its_end_is_not_answered_again(local: Running, head: bytes) -> None:
    answer = told(local, head + b"Content-Length: 100\r\n\r\n{")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_an_idle_connection_is_closed_although_its_answer_came_before_the_end_of_its_request(local: Running) -> None:
    with local.connect() as connection:
        connection.sendall(POST.replace(b"embeddings", b"nothing") + b"Content-Length: 2\r\n\r\n{")
        got = connection.recv(1 << 16)
        connection.sendall(b"}")
        connection.settimeout(20)
        got += rest(connection)
        assert got.startswith(b"HTTP/1.1 404 ")
        assert got.count(b"HTTP/1.1 ") == 1


CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"e\r\n" + BODY + b"\r\n0\r\n"


@pytest.mark.parametrize("trailer", [b"Host: evil.example", b"Content-Type: text/plain", b"Content-Encoding: gzip"])
def test_trailers_are_no_headers(local: Running, trailer: bytes) -> None:
    with local.connect() as connection:
        connection.sendall(CHUNKED + trailer + b"\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_a_token_in_a_trailer_is_none(guarded: Running) -> None:
    with guarded.connect() as connection:
        connection.sendall(CHUNKED + b"Authorization: Bearer s3cret\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "sent",
    [
        POST + b"A:b\r\n" * 101 + b"\r\n",
        POST + b"A:b\r\n" * 5000,
        CHUNKED + b"A:b\r\n" * 5000,
        CHUNKED + b"A: " + b"b" * 500_000,
        POST + b"Transfer-Encoding: chunked\r\n\r\ne;" + b"a" * 500_000,
    ],
    ids=["101 headers", "headers without end", "trailers without end", "a long trailer", "a chunk's long head"],
)
def test_there_may_be_only_so_much_beside_a_body(local: Running, sent: bytes) -> None:
    assert told(local, sent).startswith(b"HTTP/1.1 431 ")


def test_a_hundred_headers_are_taken(local: Running) -> None:
    headers = b"".join(b"X-%d: b\r\n" % at for at in range(97))
    assert told(local, HEALTH + b"Host: localhost\r\n" + headers + b"\r\n").startswith(b"HTTP/1.1 200 ")
