"""The addresses a file can be had from.

A mirror M holds a file of the official address `https://HOST/PATH?QUERY` at `M/HOST/PATH?QUERY`, so that one mirror can
stand for several servers: with `--mirror https://mirror.example/corpora`,

    https://object.pouta.csc.fi/OPUS-Tatoeba/v2023-04-12/moses/en-es.txt.zip

becomes

    https://mirror.example/corpora/object.pouta.csc.fi/OPUS-Tatoeba/v2023-04-12/moses/en-es.txt.zip

Mirrors take the place of the official server and are tried in the order given. The word `official` among them stands
for the official server, so that it can be tried before or after the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from ...errors import UsageError

OFFICIAL = "official"


def addresses(url: str, mirrors: Sequence[str] = ()) -> list[str]:
    """
    >>> addresses("https://host.example/a.zip", ["http://mirror/m/", "official"])
    ['http://mirror/m/host.example/a.zip', 'https://host.example/a.zip']
    """
    if not mirrors:
        return [url]
    below = url.partition("://")[2]
    return [url if mirror == OFFICIAL else f"{mirror.rstrip('/')}/{below}" for mirror in mirrors]


def check_mirrors(mirrors: Sequence[str]) -> None:
    for mirror in mirrors:
        if mirror == OFFICIAL:
            continue
        try:
            parts = urlsplit(mirror)
            usable = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
        except ValueError:
            usable = False
        if not usable:
            raise UsageError(
                f"--mirror: expected an address like https://mirror.example/corpora, got {mirror!r}",
                hint="http and https are understood, and the word 'official' for the official server",
            )
