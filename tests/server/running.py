"""The real server in a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "serve", "--port", "0"]


@dataclass
class Running:
    process: subprocess.Popen[str]
    url: str
    log: list[str]
    reader: threading.Thread  # of the log

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def get(self, path: str, **options: object) -> httpx.Response:
        return httpx.get(self.url + path, timeout=30, **options)  # type: ignore[arg-type]

    def post(self, path: str, message: object, **options: object) -> httpx.Response:
        return httpx.post(self.url + path, json=message, timeout=60, **options)  # type: ignore[arg-type]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def stop(self) -> int:
        """Its exit code; the log is whole then."""
        self.process.terminate()
        code = self.process.wait(30)
        self.reader.join(30)
        return code


@contextlib.contextmanager
def running(
    *arguments: object, environment: dict[str, str] | None = None, before: Callable[[], None] | None = None
) -> Iterator[Running]:
    """Answers from the moment on that this is entered; `before` is called in its process before it begins."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1", **(environment or {})},
        preexec_fn=before,
    )
    assert process.stderr is not None
    log: list[str] = []
    try:
        for line in process.stderr:
            log.append(line)
            if found := re.search(r"serves at (http://\S+)", line):
                break
        else:
            raise AssertionError("".join(log))
        # A full pipe would stop the server.
        reader = threading.Thread(target=lambda: log.extend(process.stderr), daemon=True)  # type: ignore[arg-type]
        reader.start()
        server = Running(process, found[1], log, reader)
        assert server.get("/health").status_code == 200
        yield server
    finally:
        process.kill()
        process.wait()


def wait_for(truth: Callable[[], bool]) -> None:
    end = time.monotonic() + 300  # only what hangs takes so long, even where many share the machine
    while not truth():
        assert time.monotonic() < end
        time.sleep(0.05)


def rest(connection: socket.socket) -> bytes:
    """Whatever comes until the server hangs up."""
    return b"".join(iter(lambda: connection.recv(65536), b""))
