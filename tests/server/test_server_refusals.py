"""A request that cannot be answered gets a clear error, and the server goes on."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator

import pytest
from running import Running, rest, running

from calque.model import Model
from calque.server.messages import decode
from calque.server.routes.embeddings import EmbeddingsRequest


@pytest.fixture(scope="module")
def strict(fluent_model: Model) -> Iterator[Running]:
    """With limits that are quickly reached; after all of it, it still answers."""
    limits = ("--max-body", "64K", "--max-batch", "4", "--max-text", "100", "--max-lines", "5", "--patience", "1")
    with running("--model", fluent_model.path, *limits) as server:
        yield server
        assert server.post("/v1/embeddings", {"input": "a"}).status_code == 200
        assert "Traceback" not in "".join(server.log)


def told(response: object) -> str:
    """The message, if the error has the shape that OpenAI's clients understand."""
    error = response.json()["error"]  # type: ignore[attr-defined]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] in ("invalid_request_error", "server_error")
    return str(error["message"])


@pytest.mark.parametrize(
    ("path", "message", "said"),
    [
        ("embeddings", {}, "missing required field `input`"),
        ("embeddings", {"input": []}, "input: expected `array` of length >= 1"),
        ("embeddings", {"input": None}, "input: expected `str | array`, got `null`"),
        ("embeddings", {"input": ["a", None]}, "input[1]: expected `str`, got `null`"),
        ("embeddings", {"input": "a", "inputs": "b"}, "unknown field `inputs`"),
        ("embeddings", {"input": "a", "encoding_format": "hex"}, "encoding_format: invalid enum value 'hex'"),
        ("embeddings", {"input": "a", "dimensions": 0}, "dimensions: expected `int` >= 1"),
        ("embeddings", {"input": "a", "dimensions": "3"}, "dimensions: expected `int | null`, got `str`"),
        ("embeddings", ["a"], "expected `object`, got `array`"),
        ("embeddings", {"input": ["a"] * 5}, "input: 5 texts are more than the 4"),
        ("embeddings", {"input": ["a", "b" * 101]}, "input[1]: 101 characters are more than the 100"),
        ("embeddings", {"input": "a", "dimensions": 3.5}, "dimensions: expected `int | null`, got `float`"),
        ("similarity", {"first": "a", "second": ["b"] * 5}, "second: 5 texts"),
        ("similarity", {"first": ["a"] * 129}, "first: expected `array` of length <= 128"),
        ("search", {"query": "a", "k": 0}, "k: expected `int` >= 1"),
        ("search", {"query": "a", "k": 10**6}, "k: expected `int` <= 1000"),
        ("explain", {"first": "a"}, "missing required field `second`"),
        ("explain", {"first": "a", "second": "b" * 2001}, "second: 2,001 characters"),
        ("explain", {"first": "a", "second": "b", "by": "letter"}, "by: invalid enum value 'letter'"),
        ("mine", {"source": ["a"] * 6, "target": ["b"]}, "source: 6 lines are more than the 5"),
        ("mine", {"source": ["a"], "target": ["b" * 101]}, "target[0]: 101 characters are more than the 100"),
        ("mine", {"source": "a", "target": ["b"]}, "source: expected `array`, got `str`"),
    ],
)
def test_what_is_wrong_with_a_message_is_said(strict: Running, path: str, message: object, said: str) -> None:
    got = strict.post(f"/v1/{path}", message)
    assert got.status_code == 400
    assert said in told(got)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b'{"input": "\xff"}', b'{"input": "\\ud80"}', b"[" * 60_000, b"NaN", b'{"input": "a"} x'],
)
def test_what_is_not_json_is_said_to_be_so(strict: Running, body: bytes) -> None:
    got = post(strict, body, {"Content-Type": "application/json"})
    assert got.status == 400
    assert b"the body" in got.read()


HALF = "A dog\ud800 runs."  # of a surrogate pair: json.dumps writes it as \\ud800


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("embeddings", {"input": HALF}),
        ("embeddings", {"input": [HALF, "a"], "dimensions": 8.0}),
        ("embeddings", {"dimensions": 8.0, "input": [HALF, "a"]}),
        ("similarity", {"first": HALF, "second": [HALF, "a"]}),
        ("search", {"query": HALF, "k": 3}),
        ("search", {"query": [HALF, "\udc00\ud800"], "k": 3}),
        ("explain", {"first": HALF, "second": "Un perro corre."}),
        ("mine", {"source": [HALF, "It rains."], "target": ["Un perro corre.", HALF]}),
    ],
)
def test_half_of_a_surrogate_pair_is_read_as_in_files(server: Running, path: str, message: dict[str, object]) -> None:
    whole = json.loads(json.dumps(message).replace("\\ud800", "\\ufffd").replace("\\udc00", "\\ufffd"))
    got = post(server, json.dumps(message), {"Content-Type": "application/json"}, path=path)
    assert (got.status, json.loads(got.read())) == (200, server.post(f"/v1/{path}", whole).json())


def test_what_only_looks_like_half_of_a_pair_stays() -> None:
    for text in ("\\ud800 as six characters", "a whole \U0001f600", "\\\U0001f600"):
        read = decode(json.dumps({"input": [text, text + "\ud800"]}).encode(), EmbeddingsRequest)
        assert read.input == [text, text + "\ufffd"]


def post(
    server: Running, body: object, headers: dict[str, str], chunked: bool = False, path: str = "embeddings"
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", f"/v1/{path}", body, headers, encode_chunked=chunked)
    return connection.getresponse()


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, b"got none"),
        ({"Content-Type": "text/plain"}, b"got text/plain"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"expected Content-Type: application/json"),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, b"without Content-Encoding, got gzip"),
    ],
)
def test_other_kinds_of_body_are_refused(strict: Running, headers: dict[str, str], said: bytes) -> None:
    got = post(strict, b'{"input": "a"}', headers)
    assert got.status == 415
    assert said in got.read()


def test_json_may_name_its_characters(strict: Running) -> None:
    assert post(strict, b'{"input": "a"}', {"Content-Type": "application/json; charset=utf-8"}).status == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused_with_those_that_would_do(strict: Running, method: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", strict.port, timeout=30)
    connection.request(method, "/v1/embeddings")
    got = connection.getresponse()
    assert (got.status, got.headers["allow"]) == (405, "POST")


def test_head_is_get_without_a_body(strict: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", strict.port, timeout=30)
    connection.request("HEAD", "/health")
    got = connection.getresponse()
    assert (got.status, got.read()) == (200, b"")


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/models/", "/../etc/passwd", "/page.py", "/__init__.py", "/%00"])
def test_other_paths_hold_nothing(strict: Running, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", strict.port, timeout=30)
    connection.request("GET", path)
    got = connection.getresponse()
    assert got.status == 404
    assert json.loads(got.read())["error"]["code"] in ("not_found", "model_not_found")


def test_a_body_that_says_it_is_too_long_is_refused(strict: Running) -> None:
    got = post(strict, b" " * 70_000, {"Content-Type": "application/json"})
    assert got.status == 413
    assert b"larger than 65,536 bytes" in got.read()


def test_a_body_that_does_not_say_how_long_it_is_may_not_be_longer(strict: Running) -> None:
    pieces = (b" " * 10_000 for _ in range(100))
    got = post(strict, pieces, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}, chunked=True)
    assert got.status == 413


def test_a_body_of_a_gigabyte_is_neither_kept_nor_in_the_way(strict: Running) -> None:
    before = memory(strict)
    pieces = (b" " * (1 << 20) for _ in range(1 << 10))
    got = post(strict, pieces, {"Content-Type": "application/json", "Content-Length": str(1 << 30)})
    assert got.status == 413
    assert memory(strict) - before < 50 << 20


def memory(server: Running) -> int:
    """Bytes that the process has had at most."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def test_whoever_asks_before_sending_is_told_at_once(strict: Running) -> None:
    head = START + b"Content-Type: application/json\r\nContent-Length: 70000\r\n"
    answer = raw(strict, head + b"Expect: 100-continue\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def raw(server: Running, *parts: bytes) -> bytes:
    """Whatever comes back until the server hangs up."""
    with server.connect() as connection:
        for part in parts:
            connection.sendall(part)
        return rest(connection)


START = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "parts",
    [(), (START,), (START + b"Content-Type: application/json\r\nContent-Length: 90\r\n\r\n", b'{"inp')],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_slow_client_is_told_that_it_was_too_slow(strict: Running, parts: tuple[bytes, ...]) -> None:
    answer = raw(strict, *parts)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"took more than 1 seconds" in answer


def test_slow_clients_do_not_keep_others_waiting(strict: Running) -> None:
    slow = [strict.connect() for _ in range(50)]
    for each in slow:
        each.sendall(START)
    assert strict.post("/v1/embeddings", {"input": "a"}).status_code == 200
    for each in slow:
        each.close()


def test_a_connection_may_be_used_again_after_a_while(strict: Running) -> None:
    """The time that a client has is for each request, not for all of them."""
    connection = http.client.HTTPConnection("127.0.0.1", strict.port, timeout=30)
    for _ in range(3):
        connection.request("POST", "/v1/embeddings", b'{"input": "a"}', {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
        time.sleep(0.6)


@pytest.mark.parametrize(
    "head",
    [START + b"X: " + b"a" * 100_000 + b"\r\n\r\n", START + b"A: b\r\n" * 20_000, b"GET /" + b"a" * 100_000],
    ids=["a long one", "many", "a long path"],
)
def test_headers_without_end_are_refused(strict: Running, head: bytes) -> None:
    assert b" 431 " in raw(strict, head).partition(b"\r\n")[0]


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"HELO example.org\r\n\r\n",
        START + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["TLS", "SMTP", "a broken chunk"],
)
def test_what_is_not_http_is_refused(strict: Running, junk: bytes) -> None:
    answer = raw(strict, junk)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"invalid_http" in answer


def test_a_client_that_leaves_is_not_missed(strict: Running) -> None:
    for _ in range(20):
        with strict.connect() as connection:
            connection.sendall(START + b"Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{")


def test_nonsense_behind_requests_that_wait_for_their_turn_is_refused(strict: Running) -> None:
    """The first is under way, the second waits; neither may be answered after the refusal."""
    nowhere = b"POST /v1/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    for _ in range(20):
        assert raw(strict, nowhere * 2 + b"\0\0\r\n\r\n").startswith(b"HTTP/1.1 4")


def test_a_client_that_leaves_with_requests_in_line_is_not_missed(strict: Running) -> None:
    message = b'{"source": ["a", "b"], "target": ["c"]}'
    head = b"POST /v1/mine HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    for _ in range(20):
        with strict.connect() as connection:
            connection.sendall((head % len(message) + message) * 2)
    # The log is looked at when the server has stopped.
