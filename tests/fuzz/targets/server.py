"""The server: messages through the application, and bytes as they come to a real socket."""

from __future__ import annotations

import asyncio
import atexit
import json
import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from structures import json_mutated
from target import Targets, Trial

from calque.server.app import App, create_app
from calque.server.run import _config
from calque.server.settings import ServerSettings
from mutations import STRIKING, mutated
from targets.indexes import built

MESSAGES: dict[str, list[Any]] = {
    "/v1/embeddings": [
        {"input": ["A dog runs.", ""], "model": "a", "encoding_format": "base64", "dimensions": 8, "user": "me"},
        {"input": "犬"},
    ],
    "/v1/similarity": [{"first": ["A dog", "ñ"], "second": "Un perro"}],
    "/v1/search": [{"query": ["A dog runs."], "k": 3}],
    "/v1/explain": [{"first": "A dog runs.", "second": "Un perro corre.", "by": "piece"}],
    "/v1/mine": [{"source": ["A dog runs.", "It rains."], "target": ["Hoy llueve.", "x"], "threshold": 0.5}],
}
WORDS = [
    *STRIKING, b"\r\n", b"\r\n\r\n", b"Content-Length: ", b"Content-Length: 99999999999999999999\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n", b"Upgrade: websocket\r\n", b"Expect: 100-continue\r\n",
    b"HTTP/1.0", b"HTTP/2.0", b"HEAD ", b"OPTIONS * ", b"PUT ", b"%00", b"/../", b"?a=b#c", b"//", b"0\r\n\r\n", b"-1",
    b"Host: [::1]:80\r\n", b"Host: \xff\r\n", b"Content-Length: 100000000000\r\n", b"0\r\nHost: y\r\n",
    b"A:b\r\n" * 101,
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100, b'["' + b'a","' * 2000 + b'"]',
    b"ffffffffffffffff\r\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"Authorization: Bearer \xff\r\n", b"; ",
]  # fmt: skip


def served(folder: Path) -> App:
    index = built(folder)
    return create_app(ServerSettings(index=str(index.path), names=("a",), max_text=2000, patience=2.0))


def asked(app: App, path: str, body: bytes) -> int:
    """The status of the answer to a POST."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": path, "headers": headers}
    asyncio.run(app(scope, receive, send))
    return int(sent[0]["status"])


def messages(path: str) -> Callable[[Path], Trial]:
    """Whatever it says, a message is answered, or refused by a status that blames the client."""

    def made(folder: Path) -> Trial:
        app = served(folder)

        def attempt(content: bytes) -> None:
            status = asked(app, path, content)
            assert status == 200 or 400 <= status < 500, status

        return Trial([json.dumps(message).encode() for message in MESSAGES[path]], attempt, json_mutated)

    return made


def request(path: str, body: bytes, headers: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}{headers}\r\n".encode() + body


def _stop(server: Any, serving: threading.Thread) -> None:
    """uvloop crashes if one of its timers fires after the interpreter has shut down."""
    server.should_exit = server.force_exit = True
    serving.join(60)


def raw(folder: Path) -> Trial:
    """Bytes to a real server: it hangs up, answers or waits, logs no traceback, and goes on serving others."""
    import logging

    import uvicorn

    app = served(folder)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(_config(lambda: app, 1, False))
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = threading.Thread(target=server.run, args=([listener],), daemon=True)
    serving.start()
    atexit.register(_stop, server, serving)
    failures: list[logging.LogRecord] = []
    keeping = logging.Handler()
    keeping.emit = failures.append  # type: ignore[method-assign]
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addHandler(keeping)
    address = listener.getsockname()
    good = request("/v1/embeddings", b'{"input": "a"}')

    def attempt(content: bytes) -> None:
        with socket.create_connection(address, timeout=10) as connection:
            try:
                connection.sendall(content)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass
            except ConnectionError:
                pass
        with socket.create_connection(address, timeout=10) as other:
            other.sendall(good)
            assert other.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        errors = [record for record in failures if record.exc_info or record.levelno >= logging.ERROR]
        failures.clear()
        assert app.budget.held <= app.budget.most, app.budget.held
        assert not errors, errors[0].exc_info or errors[0].getMessage()

    def mutate(whole: bytes, chance: random.Random) -> bytes:
        return mutated(whole, chance, WORDS)

    small = [request(path, json.dumps(each).encode()) for path, all in MESSAGES.items() for each in all]
    chunked = good.replace(b"Content-Length: 14", b"Transfer-Encoding: chunked").replace(b"\r\n\r\n", b"\r\n\r\ne\r\n")
    page = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    return Trial([*small, chunked + b"\r\n0\r\n\r\n", page, good * 3], attempt, mutate)


TARGETS: Targets = {f"server{path.replace('/v1/', '-')}": messages(path) for path in MESSAGES} | {"server-socket": raw}
