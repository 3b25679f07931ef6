"""Where fetched files are kept when nobody says where."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(chosen: str | Path | None = None) -> Path:
    """The folder that was chosen, else CALQUE_CACHE, else the platform's own place for caches."""
    if chosen is not None:
        return Path(chosen)
    if named := os.environ.get("CALQUE_CACHE"):
        return Path(named)
    return _platform_cache(sys.platform)


def _platform_cache(platform: str) -> Path:
    if platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "calque" / "cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "calque"
    named = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "calque"
