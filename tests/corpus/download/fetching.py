"""One file to fetch from the server of these tests, and what must be there in the end."""

from __future__ import annotations

import random
from pathlib import Path

from calque.corpus.download.fetch import fetch
from calque.corpus.download.network import Network
from corpus.download.server import Server, zipped

PATH = "host.example/some/corpus.zip"
URL = f"https://{PATH}"
NOISE = random.Random(1).randbytes(300_000)
CORPUS = zipped({"corpus.en": NOISE, "corpus.es": b"uno\ndos\n"})
OTHER = zipped({"corpus.en": NOISE[::-1], "corpus.es": b"uno\n"})


def get(server: Server, folder: Path, timeout: float = 5.0, **options: object) -> Path:
    return fetch(URL, folder / "corpus.zip", Network((server.mirror,), timeout), **options)  # type: ignore[arg-type]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def assert_whole(folder: Path) -> None:
    assert (folder / "corpus.zip").read_bytes() == CORPUS
    assert names(folder) == {"corpus.zip", "corpus.zip.json"}


def assert_nothing(folder: Path) -> None:
    assert names(folder) == set()
