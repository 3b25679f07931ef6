"""A file from the web: streamed, resumed, verified, and under its name only when it is whole and right."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from ...errors import CorpusError
from ...locks import alone
from .archives import check_archive, is_archive
from .checksums import Checksum, digests, md5_in_etag
from .network import Network, first_of
from .part import Version
from .receiving import Fetching, Receiver, Report, web_page
from .record import Record, of_unknown_origin, read_record, today, write_record


def fetch(
    url: str,
    path: Path,
    network: Network,
    *,
    checksums: Sequence[Checksum] = (),
    verify: bool = False,
    report: Report | None = None,
) -> Path:
    """Fetches a file once; when it is there already as it was fetched, nothing is asked of anybody.

    Raises:
        CorpusError: no address gives the file, or what it gives is not right; nothing takes its name then.
        CalqueError: it cannot be written.
    """
    with alone(path):
        if is_kept(path, url, checksums, verify):
            return path
        if path.exists() and read_record(path) is None:
            raise of_unknown_origin(path)
        problems: list[CorpusError] = []
        for address in network.addresses(url):
            try:
                _Job(url, address, path, network.timeout, checksums, report).run()
                return path
            except CorpusError as problem:
                problems.append(problem)
        raise first_of(problems)


def is_kept(path: Path, url: str, checksums: Sequence[Checksum] = (), verify: bool = False) -> bool:
    record = read_record(path)
    return record is not None and record.holds_for(path, url, checksums, verify)


class _StartAgain(Exception):
    pass


class _Job:
    """One file from one address, received and checked."""

    def __init__(
        self, url: str, address: str, path: Path, timeout: float, checksums: Sequence[Checksum], report: Report | None
    ) -> None:
        self.url, self.address, self.path = url, address, path
        self.checksums, self.report = checksums, report
        self.receiver = Receiver(address, path, timeout, report)
        self.part = self.receiver.part

    def run(self) -> None:
        try:
            self._finish(self.receiver.receive(), last=False)
        except _StartAgain:
            self._finish(self.receiver.receive(), last=True)

    def _finish(self, version: Version, last: bool) -> None:
        try:
            self._check(version)
        except CorpusError as problem:
            self.part.discard()
            if self.receiver.resumed and not last:
                raise _StartAgain from problem  # what was there before may have been at fault
            raise
        self.part.become(self.path)

    def _check(self, version: Version) -> None:
        name, size = self.path.name, self.part.size
        begun = time.monotonic()

        def checked(done: int) -> None:
            if self.report:
                self.report(Fetching(name, done, size, done / max(time.monotonic() - begun, 1e-3), checking=True))

        found = digests(self.part.path, checked)
        with open(self.part.path, "rb") as file:
            if re.match(rb"\s*<(!doctype html|html)", file.read(512), re.IGNORECASE):
                raise web_page(self.address)
        for checksum in self.checksums:
            found.check(name, checksum, "as asked for or published")
        # Some stores' ETags only look like an MD5: a checksum that is known otherwise counts for more.
        if version.resumable and not self.checksums and (told := md5_in_etag(version.etag)):
            found.check(name, told, "as the server says; --checksum overrides it")
        if is_archive(name):
            check_archive(self.part.path, name)
        # The record comes first: a file without one is somebody else's.
        write_record(self.path, Record(self.url, self.address, found.size, found.sha256, version.etag, today()))
