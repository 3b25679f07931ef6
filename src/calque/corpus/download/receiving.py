"""The bytes of a file from one address, over as many attempts as it takes."""

from __future__ import annotations

import http.client
import re
import shutil
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ...errors import CalqueError, CorpusError
from ..traps import LIMITS, check_size
from .network import content_length
from .part import Held, Part, Version
from .web import MIRROR, FetchError, NoSuchRange, Patience, TryAgain, Unreachable, interrupted, open_address

_BLOCK = 1 << 16


@dataclass(frozen=True)
class Fetching:
    """How far a file has come; `rate` is bytes a second since this run began with it."""

    name: str
    done: int
    total: int | None
    rate: float
    checking: bool = False  # fetched, and now being read through


Report = Callable[[Fetching], None]


class Receiver:
    """Brings a file's bytes into `part`, going on with what is there."""

    def __init__(self, address: str, path: Path, timeout: float, report: Report | None) -> None:
        self.address, self.path, self.timeout, self.report = address, path, timeout, report
        self.part = Part(path)
        self.resumed = False  # whether some of it came with an earlier answer
        self._reached = False

    def receive(self) -> Version:
        """All of the file.

        Raises:
            FetchError: this address does not give it, now or after all attempts.
            CalqueError: it cannot be written.
        """
        patience = Patience()
        while True:
            try:
                return self._attempt()
            except TryAgain as problem:
                patience.wait(problem, self.part.size)
            except Unreachable as problem:
                if not self._reached:
                    raise  # no network is soon told; one that has just gone may come back
                patience.wait(TryAgain(problem.message), self.part.size)

    def _attempt(self) -> Version:
        held = self.part.held(self.address)
        if held and held.size == held.version.total:
            self.resumed = True
            return held.version
        headers = {"Range": f"bytes={held.size}-", "If-Range": str(held.version.validator)} if held else {}
        try:
            answer = open_address(self.address, headers, self.timeout)
        except NoSuchRange as problem:
            if held and problem.whole == held.size:
                self.resumed = True
                return held.version
            self.part.discard()
            raise TryAgain(f"{self.address}: the server knows no such part of the file") from problem
        self._reached = True
        with answer:
            if answer.status == 206:
                return self._go_on(answer, held)
            if answer.status != 200:
                raise TryAgain(f"{self.address}: the server answers {answer.status} {answer.reason}")
            return self._begin(answer)

    def _go_on(self, answer: http.client.HTTPResponse, held: Held | None) -> Version:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", ""))
        total = int(found[2]) if found and found[2] != "*" else None
        if (
            not held
            or not found
            or int(found[1]) != held.size
            or _encoding(answer)
            or held.version.total not in (None, total)
        ):
            self.part.discard()
            raise TryAgain(f"{self.address}: the server sends another part than the one asked for")
        self.resumed = True
        with self._writing(self.part.go_on) as file:
            self._copy(answer, file, held.size, total)
        return held.version

    def _begin(self, answer: http.client.HTTPResponse) -> Version:
        if answer.headers.get_content_type() == "text/html":
            raise web_page(self.address)
        total, decoder = content_length(answer), self._decoder(answer)
        self._check_space(total)
        version = Version(
            self.address,
            etag=answer.headers.get("ETag"),
            modified=answer.headers.get("Last-Modified"),
            total=total,
            resumable=decoder is None,
        )
        self.resumed = False
        try:
            with self._writing(lambda: self.part.begin(version)) as file:
                self._copy(answer, file, 0, total, decoder)
        except CorpusError:
            self.part.discard()
            raise
        return version

    def _decoder(self, answer: http.client.HTTPResponse) -> Any:
        """Undoes a compression that nobody asked for; a `.gz` under that heading is most likely just a `.gz`."""
        encoding = _encoding(answer)
        if not encoding or (encoding in ("gzip", "x-gzip") and self.path.name.endswith((".gz", ".tgz"))):
            return None
        if encoding not in ("gzip", "x-gzip"):
            raise FetchError(f"{self.address}: the answer comes in an unknown encoding, {encoding!r}", hint=MIRROR)
        return zlib.decompressobj(zlib.MAX_WBITS | 16)

    def _copy(
        self, answer: http.client.HTTPResponse, file: IO[bytes], start: int, total: int | None, decoder: Any = None
    ) -> None:
        done, written, begun = start, 0, time.monotonic()
        while total is None or done < total:
            try:
                block = answer.read1(_BLOCK if total is None else min(_BLOCK, total - done))
            except (OSError, http.client.HTTPException) as problem:
                raise interrupted(self.address, problem) from problem
            if not block:
                break
            done += len(block)
            plain = block if decoder is None else self._decoded(decoder, block)
            written += len(plain)
            check_size(self.path.name, None, written, done - start, LIMITS)
            self._write(file, plain)
            if self.report:
                rate = (done - start) / max(time.monotonic() - begun, 1e-3)
                self.report(Fetching(self.path.name, done, total, rate))
        if (total is not None and done < total) or (decoder is not None and not decoder.eof):
            of = f" of {total:,}" if total is not None else ""
            raise TryAgain(f"{self.address} was cut short: {done:,}{of} bytes came")

    def _decoded(self, decoder: Any, block: bytes) -> bytes:
        try:
            plain: bytes = decoder.decompress(block)
        except zlib.error as problem:
            raise FetchError(
                f"{self.address}: the answer is said to be gzip, and is not ({problem})", hint=MIRROR
            ) from problem
        if decoder.unused_data:  # all that still comes would be kept there
            raise FetchError(f"{self.address}: the answer goes on after the end of its gzip", hint=MIRROR)
        return plain

    def _write(self, file: IO[bytes], block: bytes) -> None:
        view = memoryview(block)
        while view:
            try:
                view = view[file.write(view) :]
            except OSError as problem:
                raise self._no_room(problem.strerror or str(problem)) from problem

    def _writing(self, opened: Callable[[], IO[bytes]]) -> IO[bytes]:
        try:
            return opened()
        except OSError as problem:
            raise self._no_room(problem.strerror or str(problem)) from problem

    def _check_space(self, total: int | None) -> None:
        free = shutil.disk_usage(self.path.parent).free + self.part.size
        if total is not None and total > free:
            raise self._no_room(f"it takes {total:,} bytes, and {free:,} are free")

    def _no_room(self, reason: str) -> CalqueError:
        return CalqueError(
            f"cannot write {self.path}: {reason}",
            hint="free some space and run the same command again, to go on where it stopped; or choose another folder",
        )


def _encoding(answer: http.client.HTTPResponse) -> str:
    encoding = (answer.headers.get("Content-Encoding") or "").strip().lower()
    return "" if encoding == "identity" else encoding


def web_page(address: str) -> FetchError:
    return FetchError(
        f"{address}: got a web page instead of the file",
        hint="a login page of the network may be in between; open the address in a browser, or use --mirror URL",
    )
