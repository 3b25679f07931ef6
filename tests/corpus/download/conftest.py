from __future__ import annotations

from collections.abc import Iterator

import pytest

from calque.corpus.download import web
from corpus.download.fetching import CORPUS, PATH
from corpus.download.server import Server, serving


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Pauses between attempts are short, and no proxy of this machine comes in between."""
    monkeypatch.setattr(web, "PAUSE", 0.001)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as running:
        yield running


@pytest.fixture
def corpus(server: Server) -> Server:
    server.files[PATH] = CORPUS
    return server
