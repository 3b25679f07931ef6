"""The page at /: files that are sent as they are."""

from __future__ import annotations

from pathlib import Path

from ..http import Answer

_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}

# Nothing comes from elsewhere and nothing goes there, whatever a text that is shown may hold.
_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
     b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)  # fmt: skip


def page_files() -> dict[str, Answer]:
    """What lies beside this file, by its path on the server; index.html is at /."""
    files = sorted(path for path in Path(__file__).parent.iterdir() if path.suffix in _TYPES)
    return {
        "/" if path.name == "index.html" else f"/{path.name}": Answer(
            path.read_bytes(), _TYPES[path.suffix], headers=_HEADERS
        )
        for path in files
    }
