"""Commands in the records of results would still be understood, though nobody waits for them here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from calque.cli import calque

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted((REPOSITORY / "docs/results").rglob("*.md")), REPOSITORY / "benchmarks/README.md"]


def commands() -> list[tuple[str, str]]:
    """(page, command) for what stands in indented or fenced blocks and calls calque, python or make."""
    found = []
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
            command = re.match(r"(?: {4,}|\$ )((?:\w+=\S+ )*(?:calque|python|make) .*)", line)
            if command:
                found.append((str(page.relative_to(REPOSITORY)), re.sub(r" {3,}.*", "", command[1])))
    return found


def test_there_are_some() -> None:
    assert len(commands()) > 5


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_is_understood(page: str, command: str) -> None:
    words = [word for word in shlex.split(command, comments=True) if not re.fullmatch(r"[A-Z_]+=.*", word)]
    if words[0] == "python":
        assert (REPOSITORY / words[1]).is_file(), f"{page}: {words[1]}"
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    else:
        _parse(calque, words[1:], None)


def _parse(command: click.Command, words: list[str], parent: click.Context | None) -> None:
    context = command.make_context(command.name, words, parent=parent)
    if isinstance(command, click.Group):
        _, below, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert below is not None
        _parse(below, rest, context)
