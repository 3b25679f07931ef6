"""What mkdocs is told beyond mkdocs.yml: every command's real help, pages from outside docs/, and links to there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parent.parent.parent
BORROWED = {"index.md": "README.md", "architecture.md": "ARCHITECTURE.md", "changelog.md": "CHANGELOG.md"}
_EVERY_COMMAND = "<!-- every command's help -->"
_LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, source in BORROWED.items():
        files.append(File.generated(config, name, content=(REPOSITORY / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if _EVERY_COMMAND in markdown:
        markdown = markdown.replace(_EVERY_COMMAND, "\n".join(_help()))
    return _LINK.sub(lambda link: _inside(link, page.file.src_uri), markdown)


def _help() -> Iterator[str]:
    """A section for each command, with what `--help` prints."""
    from calque.cli import calque

    yield from _sections(calque, click.Context(calque, info_name="calque", **_settings(calque)))


def _sections(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from _sections(below, click.Context(below, info_name=name, parent=context, **_settings(below)))


def _settings(command: click.Command) -> dict[str, Any]:
    return command.context_settings | {"terminal_width": 96}


def _inside(link: re.Match[str], page: str) -> str:
    """A link to a file that the site does not hold becomes its name; one to a borrowed page leads there."""
    sign, text, target = link.groups()
    place, _, anchor = target.partition("#")
    home = REPOSITORY / next((source for name, source in BORROWED.items() if name == page), f"docs/{page}")
    meant = (home.parent / place).resolve() if place else home
    if not meant.is_relative_to(REPOSITORY) or not meant.exists():
        return link[0]  # mkdocs complains
    name = meant.relative_to(REPOSITORY).as_posix()
    borrowed = {source: site for site, source in BORROWED.items()}
    if name in borrowed:
        target = borrowed[name]
    elif name.startswith("docs/") and meant.is_file():
        target = name.removeprefix("docs/")
    else:
        return f"{text} (`{name}`)"
    up = "../" * page.count("/")
    return f"{sign}[{text}]({up}{target}{'#' + anchor if anchor else ''})"
