from __future__ import annotations

import click

from .. import options
from ..command import command
from ..places import FOLDER
from ..progress import Progress
from ..visible import harmless


@command(
    examples={
        "calque search info index/": "",
        "calque search info index/ --check --json": "read all of it first",
    }
)
@click.argument("index", type=FOLDER)
@click.option("--check", is_flag=True, help="Read all of it, and compare checksums.")
@options.as_json
def info(index: str, check: bool, as_json: bool) -> None:
    """Show what an index holds: entries, files, the model it belongs to, and the recall of approximate search."""
    from ...index import Index

    with Progress() as progress:
        progress.stage("checking")
        opened = Index.open(index)
        if check:
            opened.check()
    described = opened.describe() | ({"checked": True} if check else {})
    if as_json:
        click.echo(options.as_json_text(described))
        return
    described["files"] = ", ".join(f"{file['name']} ({file['lines']:,} lines)" for file in described["files"])
    width = max(map(len, described))
    for name, value in described.items():
        if value not in (None, ""):
            click.echo(harmless(f"{name:<{width}}  {value}"))
