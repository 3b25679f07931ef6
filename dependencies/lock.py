"""Pin everything that the tests install, so that installing is downloading: `make lock` writes dev.txt and quick.txt.

A pin stays as it is while pyproject.toml allows it; `make lock LOCK=--upgrade` takes the newest versions.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = (
    "# Made by `make lock` from pyproject.toml's extra `{extra}`, for every Python and system that Calque supports.\n"
)

# torch's build for GPUs requires these on Linux; its build for processors, which the tests use, does not.
_FOR_GPUS = re.compile(r"(cuda|nvidia)-|triton\b")


def lock(extra: str, *options: str) -> None:
    """Write the pins of an extra, and of all that it requires in turn."""
    pins = HERE / f"{extra}.txt"
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet", "--extra", extra]
    command += ["--universal", "--python-version", "3.10", "--no-annotate", "--no-header", "--output-file", str(pins)]
    subprocess.run([*command, *options], cwd=HERE.parent, check=True, stdout=subprocess.DEVNULL)
    lines = pins.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not _FOR_GPUS.match(line)]
    pins.write_text(HEADER.format(extra=extra) + "".join(kept), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="take the newest version of everything")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    lock("dev", *upgrade)
    lock("quick", "--constraints", str(HERE / "dev.txt"), *upgrade)


if __name__ == "__main__":
    main()
