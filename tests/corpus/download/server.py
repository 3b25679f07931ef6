"""A server with the layout of the official ones below a mirror's address, that misbehaves on request."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import socket
import struct
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

STORE = "object.pouta.csc.fi"
API = "opus.nlpl.eu/opusapi/"

# What a server does with one request for a file, whose content it is given.
Behaviour = Callable[["Answer", bytes], None]


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    range: str | None
    if_range: str | None


@dataclass
class Server:
    """`files` are what it holds, by host and path; `misdeeds` are done to requests for a path, one after the other."""

    files: dict[str, bytes] = field(default_factory=dict)
    opus: list[dict[str, object]] = field(default_factory=list)
    misdeeds: dict[str, list[Behaviour]] = field(default_factory=dict)
    always: dict[str, Behaviour] = field(default_factory=dict)
    etags: dict[str, str | None] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    mirror: str = ""
    stopping: threading.Event = field(default_factory=threading.Event)
    taking_turns: threading.Lock = field(default_factory=threading.Lock)

    def etag(self, path: str) -> str | None:
        return self.etags.get(path, f'"{hashlib.md5(self.files[path]).hexdigest()}"')

    def ranges(self, path: str) -> list[str | None]:
        """The ranges of a path that were asked for, one for each GET."""
        return [seen.range for seen in self.seen if seen.path == path and seen.method == "GET"]

    def add_opus(self, corpus: str, release: str, pair: str, text: dict[str, str], latest: bool = True) -> str:
        """A corpus of OPUS, in the API and as a file; its path."""
        source, target = pair.split("-")
        path = f"{STORE}/OPUS-{corpus}/{release}/moses/{pair}.txt.zip"
        self.files[path] = zipped({f"{corpus}.{pair}.{code}": content.encode() for code, content in text.items()})
        self.opus.append(
            {
                "alignment_pairs": len(text[source].splitlines()),
                "corpus": corpus,
                "documents": "",
                "id": 264034 + len(self.opus),
                "latest": str(latest),
                "preprocessing": "moses",
                "size": len(self.files[path]) // 1024,
                "source": source,
                "source_tokens": "",
                "target": target,
                "target_tokens": "",
                "url": f"https://{path}",
                "version": release,
            }
        )
        return path

    def answer_question(self, question: dict[str, str]) -> dict[str, object]:
        """As the API of OPUS does it: https://github.com/Helsinki-NLP/OPUS-API"""
        if {"source", "target"} <= question.keys():
            question["source"], question["target"] = sorted((question["source"], question["target"]))
        if question.get("version") == "latest":
            del question["version"]
            question["latest"] = "True"
        wanted = {key: value for key, value in question.items() if key not in ("corpora", "languages")}
        if "corpora" in question:
            return {"corpora": sorted({str(row["corpus"]) for row in self._rows(wanted)})}
        if "languages" in question:
            if "source" not in wanted:
                return {"languages": sorted({str(row["source"]) for row in self._rows(wanted)})}
            turned = {("target" if key == "source" else key): value for key, value in wanted.items()}
            others = {str(row["target"]) for row in self._rows(wanted)} | {
                str(row["source"]) for row in self._rows(turned)
            }
            return {"languages": sorted(others)}
        return {"corpora": self._rows(wanted)}

    def _rows(self, wanted: dict[str, str]) -> list[dict[str, object]]:
        return [row for row in self.opus if all(row[key] == value for key, value in wanted.items())]


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    server = Server()

    class Handler(Answer):
        here = server

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.mirror = f"http://127.0.0.1:{http.server_address[1]}/mirror"
    thread = threading.Thread(target=lambda: http.serve_forever(poll_interval=0.01))
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        http.shutdown()
        http.server_close()
        thread.join()


class Answer(BaseHTTPRequestHandler):
    here: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer()
        self.close_connection = True

    do_HEAD = do_GET  # noqa: N815

    def _answer(self) -> None:
        split = urlsplit(self.path)
        path = split.path.removeprefix("/mirror/")
        with self.here.taking_turns:
            self.here.seen.append(Seen(self.command, path, self.headers["Range"], self.headers["If-Range"]))
            misdeeds = self.here.misdeeds.get(path, []) if self.command == "GET" else []
            behaviour = misdeeds.pop(0) if misdeeds else self.here.always.get(path, well)
        if path == API and behaviour is well:
            content = json.dumps(self.here.answer_question(dict(parse_qsl(split.query)))).encode()
            self.start(200, {"Content-Length": len(content), "Content-Type": "application/json"})
            self.wfile.write(content)
        elif behaviour is well and path not in self.here.files:
            self.start(404, {"Content-Length": 0})
        else:
            self.file = path
            behaviour(self, self.here.files.get(path, b""))

    def start(self, status: int, headers: dict[str, object]) -> None:
        self.send_response(status)
        for name, value in {"Connection": "close", **headers}.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    def described(self, content: bytes) -> dict[str, object]:
        return {
            "Content-Length": len(content),
            "Content-Type": "application/octet-stream",
            "ETag": self.here.etag(self.file),
            "Last-Modified": "Thu, 13 Apr 2023 00:45:03 GMT",
            "Accept-Ranges": "bytes",
        }

    def send(self, content: bytes) -> None:
        if self.command == "GET":
            self.wfile.write(content)

    def wanted_from(self) -> int:
        """Where the range begins that is asked for, 0 without one or when If-Range names another version."""
        wanted = self.headers["Range"]
        valid = self.headers["If-Range"] in (None, self.here.etag(self.file), "Thu, 13 Apr 2023 00:45:03 GMT")
        return int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and valid else 0

    def log_message(self, *arguments: object) -> None:
        pass


def well(answer: Answer, content: bytes) -> None:
    start = answer.wanted_from()
    headers = answer.described(content)
    if not start:
        answer.start(200, headers)
        answer.send(content)
    elif start >= len(content):
        answer.start(416, {"Content-Range": f"bytes */{len(content)}", "Content-Length": 0})
    else:
        headers |= {"Content-Length": len(content) - start}
        headers |= {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        answer.start(206, headers)
        answer.send(content[start:])


def without_ranges(answer: Answer, content: bytes) -> None:
    answer.start(200, answer.described(content) | {"Accept-Ranges": None})
    answer.send(content)


def cut_short(after: int) -> Behaviour:
    """Says the whole length, as `well` does, and then sends no more than `after` bytes of it."""

    def behave(answer: Answer, content: bytes) -> None:
        start = answer.wanted_from()
        headers = answer.described(content) | {"Content-Length": len(content) - start}
        if start:
            headers |= {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        answer.start(206 if start else 200, headers)
        answer.send(content[start : start + after])

    return behave


def reset(after: int) -> Behaviour:
    def behave(answer: Answer, content: bytes) -> None:
        cut_short(after)(answer, content)
        answer.wfile.flush()
        answer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        answer.connection.close()

    return behave


def stalled(after: int) -> Behaviour:
    """Sends some bytes and then nothing, without hanging up."""

    def behave(answer: Answer, content: bytes) -> None:
        cut_short(after)(answer, content)
        answer.wfile.flush()
        answer.here.stopping.wait(30)

    return behave


def status(code: int, **headers: object) -> Behaviour:
    def behave(answer: Answer, content: bytes) -> None:
        answer.start(code, {"Content-Length": 0, **{name.replace("_", "-"): value for name, value in headers.items()}})

    return behave


def web_page(kind: str = "text/html; charset=utf-8") -> Behaviour:
    def behave(answer: Answer, content: bytes) -> None:
        page = b"<!DOCTYPE html>\n<html><body>Please log in to the network of this hotel.</body></html>"
        answer.start(200, {"Content-Length": len(page), "Content-Type": kind})
        answer.send(page)

    return behave


def chunked(answer: Answer, content: bytes) -> None:
    answer.start(200, answer.described(content) | {"Content-Length": None, "Transfer-Encoding": "chunked"})
    for place in range(0, len(content), 1000):
        block = content[place : place + 1000]
        answer.send(b"%x\r\n%s\r\n" % (len(block), block))
    answer.send(b"0\r\n\r\n")


def sends(content: bytes, **headers: object) -> Behaviour:
    """Another content than the file's, under the file's own headers but for those given."""

    def behave(answer: Answer, _: bytes) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer.start(200, answer.described(answer.here.files[answer.file]) | {"Content-Length": len(content)} | named)
        answer.send(content)

    return behave


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
