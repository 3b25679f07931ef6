"""The versions of uvicorn and httptools that the server's limits have been tested with.

`at_once.py` and `protocol.py` extend classes that uvicorn does not document, so any release may change them. The same
ranges stand in `pyproject.toml`; to widen one, run `tests/server` with the new version and change both.
"""

from __future__ import annotations

import re
from importlib import metadata

from ..errors import UsageError

TESTED = {"uvicorn": ("0.34", "0.55"), "httptools": ("0.6", "0.10")}  # from the first on, below the second


def require_tested() -> None:
    """Refuse versions in which a limit might no longer hold without an error.

    Raises:
        UsageError: uvicorn or httptools is older or newer.
    """
    for package, (first, below) in TESTED.items():
        found = metadata.version(package)
        if not _numbers(first) <= _numbers(found) < _numbers(below):
            raise UsageError(
                f"the server needs {package} from {first} on and below {below}, got {found}: "
                "its limits on clients rest on parts that other versions may have changed",
                hint=" ".join(("pip install", *(f"'{name}>={low},<{high}'" for name, (low, high) in TESTED.items()))),
            )


def _numbers(version: str) -> tuple[int, ...]:
    """
    >>> _numbers("0.54.0rc1")
    (0, 54)
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
