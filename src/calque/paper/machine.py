"""What a run was made on, for whoever compares its figures."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    return f"{os.cpu_count()} cores of {processor()}"


def processor() -> str:
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return name
