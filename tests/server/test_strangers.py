"""What strangers may try: other names, too many connections, answers that nobody reads, and looking for places."""

from __future__ import annotations

import resource
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from running import Running, rest, running, wait_for

import calque
from calque.model import Model
from calque.server import ServerSettings
from calque.server.run import among_browsers

ON_LINUX = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc, which Linux has")
FILES, CONNECTIONS = 256, 20  # descriptors that a server keeps for other things; what is left for these


@pytest.fixture(scope="module")
def impatient(fluent_model: Model) -> Iterator[Running]:
    options = ("--patience", "2", "--max-batch", "30000", "--allow-host", "calque.example")
    with running("--model", fluent_model.path, *options) as server:
        yield server
        assert server.post("/v1/embeddings", {"input": "a"}).status_code == 200
        assert "Traceback" not in "".join(server.log)


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/", "evil.example"),
        ("/health", "evil.example:8000"),
        ("/v1/models", "127.0.0.1.evil.example"),
        ("/metrics", "localhost.evil"),
        ("/openapi.json", "%5B"),
        ("/nothing", "evil.example"),
    ],
)
def test_a_page_whose_own_name_was_made_to_lead_here_is_refused(server: Running, path: str, host: str) -> None:
    answer = server.get(path, headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "unknown_host")


@pytest.mark.parametrize("texts", [1, 2000], ids=["at once", "through uvicorn"])
def test_nor_may_it_ask_anything(server: Running, texts: int) -> None:
    answer = server.post("/v1/embeddings", {"input": ["a"] * texts}, headers={"Host": "evil.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1", "192.168.1.7:80", "[::1]:8000", "[fe80::1]"])
def test_an_address_or_localhost_is_not_refused(server: Running, host: str) -> None:
    assert server.get("/v1/models", headers={"Host": host}).status_code == 200


def test_a_name_that_was_allowed_is_not_refused(impatient: Running) -> None:
    assert impatient.get("/v1/models", headers={"Host": "Calque.example:443"}).status_code == 200
    assert impatient.get("/v1/models", headers={"Host": "evil.example"}).status_code == 403


def test_where_a_token_is_needed_or_others_are_let_in_any_name_will_do() -> None:
    assert among_browsers(ServerSettings(), "127.0.0.1").hosts == ()
    assert among_browsers(ServerSettings(hosts=("calque.example",)), "::1").hosts == ("calque.example",)
    assert among_browsers(ServerSettings(token="secret"), "127.0.0.1").hosts is None
    assert among_browsers(ServerSettings(), "0.0.0.0").hosts is None


def test_a_page_from_elsewhere_is_not_told_that_it_may_ask(server: Running) -> None:
    asking = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (
        httpx.options(f"{server.url}/v1/embeddings", headers=asking),
        server.post("/v1/embeddings", {"input": "a"}, headers=asking),
        server.get("/v1/models", headers=asking),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
    plain = httpx.post(f"{server.url}/v1/embeddings", content='{"input": "a"}', headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415


@pytest.mark.parametrize(
    "lengths",
    [
        b"Content-Length: 14\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 14",
        b"Content-Length: 14\r\nContent-Length: 3",
        b"Content-Length: +14",
        b"Content-Length: 14\r\nTransfer-Encoding : chunked",
        b"Content-Length: " + b"9" * 5000,
    ],
)
def test_a_request_that_a_proxy_could_read_otherwise_is_refused(server: Running, lengths: bytes) -> None:
    head = b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with server.connect() as connection:
        connection.sendall(head + lengths + b'\r\n\r\n{"input": "a"}')
        assert rest(connection).startswith(b"HTTP/1.1 400 ")


BODY = b'{"input": [' + b'"a dog",' * 25_000 + b'"a"]}'
HEAD = b"POST /v1/embeddings HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
LARGE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture
def narrow(impatient: Running) -> Iterator[socket.socket]:
    """A connection that holds next to nothing that has not been read."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient.port))
        yield connection


@ON_LINUX
def test_who_takes_nothing_of_its_answer_is_left(impatient: Running, narrow: socket.socket) -> None:
    narrow.sendall(LARGE)
    assert narrow.recv(15) == b"HTTP/1.1 200 OK"
    assert is_held(impatient, narrow)
    wait_for(lambda: not is_held(impatient, narrow))


@ON_LINUX
def test_who_takes_its_answer_slowly_gets_all_of_it(narrow: socket.socket) -> None:
    """Which takes twice as long as a client may take nothing."""
    narrow.sendall(LARGE)
    got, begun = bytearray(), time.monotonic()
    while some := narrow.recv(1 << 16):
        got += some
        if time.monotonic() < begun + 4:
            time.sleep(0.005)
    assert time.monotonic() > begun + 4
    head, _, body = bytes(got).partition(b"\r\n\r\n")
    assert b"content-length: %d\r\n" % len(body) in head + b"\r\n"
    assert len(body) > 10 << 20


@pytest.fixture(scope="module")
def poor(
    fluent_model: Model, index: calque.Index, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Running, Path]]:
    """With few file descriptors, and an index of its own to be damaged."""
    copy = tmp_path_factory.mktemp("poor") / "index"
    shutil.copytree(index.path, copy)

    def before() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES + CONNECTIONS, FILES + CONNECTIONS))

    with running("--model", fluent_model.path, "--index", copy, before=before) as server:
        yield server, copy


@ON_LINUX
def test_one_connection_too_many_is_told_so_and_the_others_go_on(poor: tuple[Running, Path]) -> None:
    server, _ = poor
    wait_for(lambda: not any(end in ("01", "08") for end in ends(server).values()))  # the earlier ones are closed here
    idle = sockets(server)
    held = [server.connect() for _ in range(CONNECTIONS)]
    wait_for(lambda: sockets(server) == idle + CONNECTIONS)
    for _ in range(5):
        with server.connect() as refused:
            answer = rest(refused)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"too many connections" in answer
    for each in held:
        each.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert each.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        each.close()
    wait_for(lambda: sockets(server) == idle)
    assert server.post("/v1/embeddings", {"input": "a"}).status_code == 200


def is_held(server: Running, connection: socket.socket) -> bool:
    """Whether the server has its end of this connection, by the table of all of them: local and remote port, state."""
    established = "01"
    return ends(server).get(connection.getsockname()[1]) == established


def ends(server: Running) -> dict[int, str]:
    """The state of the server's end of each connection, by the port of the other."""
    lines = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return {int(line[2][-4:], 16): line[3] for line in lines if int(line[1][-4:], 16) == server.port}


def sockets(server: Running) -> int:
    found = 0
    for descriptor in Path(f"/proc/{server.process.pid}/fd").iterdir():
        try:
            found += str(descriptor.readlink()).startswith("socket:")
        except OSError:  # closed meanwhile
            continue
    return found


def test_an_index_that_is_damaged_is_told_to_the_log_and_not_to_the_client(poor: tuple[Running, Path]) -> None:
    server, folder = poor
    assert server.post("/v1/search", {"query": "un perro"}).status_code == 200
    (folder / "new").write_text("{")
    (folder / "new").replace(folder / "index.json")
    answer = server.post("/v1/search", {"query": "un perro"})
    assert answer.status_code == 500
    assert answer.json()["error"]["message"] == "the server failed; its log says why"
    wait_for(lambda: str(folder) in "".join(server.log))


def test_hits_have_a_limit_in_all(server: Running) -> None:
    answer = server.post("/v1/search", {"query": ["a dog"] * 101, "k": 1000})
    assert answer.status_code == 400
    assert "1,000 hits for each of 101 queries are more than 100,000 in all" in answer.json()["error"]["message"]
