"""Commands that a test cannot run where it is, and what is checked of them instead."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def problem_of(command: str) -> str | None:
    """What is wrong with such a command, or nothing (""); None for a command that can be run."""
    words = shlex.split(command, comments=True)
    if words[:1] == ["make"]:
        return _problem_of_make(words[1:])
    if words[:2] == ["pip", "install"]:
        return _problem_of_install(words[2:])
    if words[:1] == ["docker"]:
        return "" if (REPOSITORY / "Dockerfile").is_file() else "there is no Dockerfile"
    if words[:2] == ["git", "clone"] or words[:1] in (["cd"], ["."]):
        return ""
    return None


def _problem_of_make(targets: list[str]) -> str:
    """A dry run: the whole suite would run itself."""
    done = subprocess.run(["make", "-n", *targets], cwd=REPOSITORY, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def _problem_of_install(packages: list[str]) -> str:
    """Whether there are such extras."""
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    for package in packages:
        named = re.fullmatch(r"(?:calque-nlp|\.)\[([\w,-]+)\]", package)
        for extra in named[1].split(",") if named else ():
            if not re.search(rf"^{re.escape(extra)} = \[", project, re.MULTILINE):
                return f"there is no extra {extra}"
    return ""
