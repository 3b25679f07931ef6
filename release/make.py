"""Builds the source archive and the wheel, and tries each in an environment of its own: python release/make.py

Needs Python with its headers, a C++ compiler and git; the tools come into build/release. What is made lies in dist/.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path

from contents import FILES_BEGIN, names_in, sdist_problems, stated_version, wheel_problems

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TOOLS = ROOT / "build" / "release"


def main() -> None:
    version = stated_version(ROOT)
    tracked = tracked_files()
    say(f"Calque {version}, {len(tracked)} files")
    if changed := output("git", "status", "--porcelain").splitlines():
        say(f"note: {len(changed)} files differ from the last commit")

    python = environment(TOOLS, ["build", "twine"])
    shutil.rmtree(DIST, ignore_errors=True)
    say("building the source archive, and from it the wheel")
    run(python, "-m", "build", "--outdir", DIST, ROOT)  # without --wheel, the wheel is built from the archive
    (sdist,), (wheel,) = DIST.glob(f"{FILES_BEGIN}-*.tar.gz"), DIST.glob(f"{FILES_BEGIN}-*.whl")
    for archive in (sdist, wheel):
        say(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")

    say("checking what they hold and say")
    stop_if(sdist_problems(names_in(sdist), tracked, version))
    stop_if(wheel_problems(names_in(wheel), tracked, version))
    run(python, "-m", "twine", "check", "--strict", sdist, wheel)
    for archive in (wheel, sdist):
        try_in_clean_environment(archive)
    say(f"good: {sdist.relative_to(ROOT)} and {wheel.relative_to(ROOT)}")


def try_in_clean_environment(archive: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="calque-release-") as folder:
        say(f"installing {archive.name} alone into an empty environment")
        python = environment(Path(folder) / "environment", [str(archive)])
        empty = Path(folder) / "empty"
        empty.mkdir()
        say("trying it from an empty folder")
        run(python, "-I", ROOT / "release" / "try_installed.py", folder=empty)


def environment(folder: Path, packages: list[str]) -> Path:
    """The interpreter of a new environment that holds some packages and what they need."""
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", *packages)
    return python


def tracked_files() -> set[str]:
    """
    Raises:
        SystemExit: this is no clone, so nobody knows what belongs to the project.
    """
    if not (ROOT / ".git").exists():
        raise SystemExit("error: releases are made from a clone: git tells which files belong to them")
    return set(filter(None, output("git", "ls-files", "-z").split("\0")))


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def run(*command: str | Path, folder: Path = ROOT) -> None:
    """Without what the caller's environment says to Python and to Calque."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CALQUE_", "PYTHON"))}
    done = subprocess.run([str(part) for part in command], cwd=folder, env=own)
    if done.returncode:
        raise SystemExit(f"error: {' '.join(map(str, command))} ended with {done.returncode}")


def stop_if(problems: Iterable[str]) -> None:
    if found := list(problems):
        raise SystemExit("\n".join(f"error: {problem}" for problem in found))


def say(line: str) -> None:
    print(f"== {line}", flush=True)


if __name__ == "__main__":
    main()
