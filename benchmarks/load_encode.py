"""A hundred million lines through `calque encode`: does its memory stay as it is, and are the vectors right to the end?

Real text is sent through a pipe again and again; what comes out is read, compared with the library's own vectors, and
thrown away. Then some millions are written to a file. On two cores, 100 million lines take about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import xxhash
from common import english, machine, print_table
from watching import Sample, Watching, at_shares, slope

import calque

ENCODE = [sys.executable, "-c", "from calque.cli import main; main()", "encode", "-", "--quiet"]
TEXT = 500_000  # lines, and then again from the first
BLOCK = 1 << 20


class Run(NamedTuple):
    lines: int
    seconds: float
    samples: list[Sample]
    wrong: int  # repetitions whose vectors differ from the library's


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000_000, help="through the pipe")
    parser.add_argument("--file-lines", type=int, default=5_000_000, help="into a file")
    options = parser.parse_args()
    texts = [" ".join(text.split()) for text in english("europarl.en-es", TEXT)]
    expected = Expected(texts)
    print(machine())
    print(f"{len(texts):,} lines of Europarl again and again, {expected.width // 4} dimensions")
    for name, work, lines in (("a pipe", through_a_pipe, options.lines), ("a file", into_a_file, options.file_lines)):
        run = work(texts, expected, max(1, lines // len(texts)))
        print_table(
            f"`calque encode` into {name}",
            ["lines", "minutes", "lines/s", "MB at 1 %", "10 %", "50 %", "100 %", "MB more each 10 million", "wrong"],
            [row(run)],
        )
        if run.wrong:
            sys.exit("vectors are wrong")


def row(run: Run) -> list[str]:
    return [
        f"{run.lines:,}",
        f"{run.seconds / 60:.1f}",
        f"{run.lines / run.seconds:,.0f}",
        *at_shares(run.samples, run.lines),
        slope(run.samples, 10_000_000),
        str(run.wrong),
    ]


def through_a_pipe(texts: list[str], expected: Expected, repetitions: int) -> Run:
    compared, begun = Compared(expected), time.monotonic()
    with encoding(texts, repetitions, "-", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with Watching(process.pid, lambda: compared.lines) as watching:
            compared.compare(process.stdout, repetitions)
    return Run(repetitions * len(texts), time.monotonic() - begun, watching.samples, compared.wrong)


def into_a_file(texts: list[str], expected: Expected, repetitions: int) -> Run:
    compared, begun = Compared(expected), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "vectors.raw"
        with (
            encoding(texts, repetitions, str(out)) as process,
            Watching(process.pid, lambda: size_below(Path(folder)) / expected.width) as watching,
        ):
            process.wait()
        seconds = time.monotonic() - begun
        with out.open("rb", buffering=0) as file:
            compared.compare(file, repetitions)
    return Run(repetitions * len(texts), seconds, watching.samples, compared.wrong)


@contextlib.contextmanager
def encoding(
    texts: list[str], repetitions: int, out: str, stdout: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, which is being fed."""
    process = subprocess.Popen(
        [*ENCODE, "--output", out, "--format", "raw"], stdin=subprocess.PIPE, stdout=stdout, bufsize=0
    )
    assert process.stdin is not None
    for pipe in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(OSError):  # more than this machine allows
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, BLOCK)
    whole = "".join(f"{text}\n" for text in texts).encode()
    feeding = threading.Thread(target=feed, args=(process.stdin, whole, repetitions), daemon=True)
    feeding.start()
    try:
        yield process
        feeding.join()
        if process.wait():
            sys.exit(f"calque encode ended with {process.returncode}")
    finally:
        process.kill()


def feed(file: IO[bytes], whole: bytes, repetitions: int) -> None:
    for _ in range(repetitions):
        view = memoryview(whole)
        while view:
            view = view[os.write(file.fileno(), view[:BLOCK]) :]
    file.close()


class Expected:
    """The hash of the vectors of all lines, as the library gives them."""

    def __init__(self, texts: list[str]) -> None:
        model = calque.load()
        model.encode(texts)  # so that the table knows all words, as it will for all repetitions but the first
        self.digest = xxhash.xxh3_128(model.encode(texts).data).digest()
        self.width = 4 * model.dimension  # bytes of a line
        self.size = self.width * len(texts)


class Compared:
    """Vectors as they come, a repetition of the text at a time, by their hashes."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self.read = 0  # bytes
        self.wrong = 0

    @property
    def lines(self) -> float:
        return self.read / self._expected.width

    def compare(self, file: IO[bytes], repetitions: int) -> None:
        for _ in range(repetitions):
            self.wrong += self._hash(file, self._expected.size) != self._expected.digest
        if file.read(1):
            sys.exit("there are more vectors than lines")

    def _hash(self, file: IO[bytes], size: int) -> bytes:
        state, block = xxhash.xxh3_128(), memoryview(bytearray(BLOCK))
        left = size
        while left:
            count = file.readinto(block[: min(left, BLOCK)])  # type: ignore[attr-defined]
            if not count:
                sys.exit(f"the vectors end after {self.read:,} bytes")
            state.update(block[:count])
            self.read += count
            left -= count
        return state.digest()


def size_below(folder: Path) -> int:
    """A file is unfinished, and has another name, until it is whole."""
    total = 0
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total


if __name__ == "__main__":
    main()
