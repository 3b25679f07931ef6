from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import click
from click.shell_completion import CompletionItem

from ...errors import UsageError
from ...tasks import download as task
from .. import options
from ..command import command
from ..manner import note
from ..places import FOLDER
from ..progress import Progress, size_text


def _sources(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Those that need no network to be named."""
    offers = [CompletionItem(each.what, help=each.title) for each in task.catalogue()[1:]]
    names = [CompletionItem("opus/", help="a corpus of OPUS, such as opus/Tatoeba"), *offers]
    return [item for item in names if item.value.startswith(incomplete)]


@command(
    examples={
        "calque corpus download": "all sources and evaluation sets",
        "calque corpus download opus/Tatoeba en-es --list": "releases and sizes",
        "calque corpus download sts17": "",
        "calque train $(calque corpus download opus/Tatoeba en-es) --out my-model": "",
    },
    epilog="A mirror M holds https://HOST/PATH at M/HOST/PATH. Mirrors take the official server's place and are tried "
    "in order; the word 'official' among them stands for it. Proxies are taken from the environment.",
)
@click.argument("what", required=False, shell_complete=_sources)
@click.argument("pair", required=False)
@click.option("--release", metavar="R", help="The release of an OPUS corpus.  [default: the latest]")
@click.option("--out", "-o", type=FOLDER, metavar="DIR", help="Where to put it.  [default: the cache folder]")
@click.option("--list", "only_list", is_flag=True, help="Show what there is, with sizes, and fetch nothing.")
@options.as_json
@click.option("--mirror", "mirrors", multiple=True, metavar="URL", help="Fetch from this mirror; may be repeated.")
@click.option("--checksum", metavar="SUM", help="What the file must have: sha256:… or md5:…")
@click.option("--verify", is_flag=True, help="Check the content of what is there already, not only its size.")
@click.option(
    "--timeout",
    type=float,
    default=task.TIMEOUT,
    show_default=True,
    metavar="S",
    help="Seconds without a byte to wait.",
)
@click.option(
    "--cache",
    envvar="CALQUE_CACHE",
    type=FOLDER,
    metavar="DIR",
    help="The cache folder; else CALQUE_CACHE names it, else the system.",
)
def download(
    what: str | None,
    pair: str | None,
    release: str | None,
    out: str | None,
    only_list: bool,
    as_json: bool,
    mirrors: tuple[str, ...],
    checksum: str | None,
    verify: bool,
    timeout: float,
    cache: str | None,
) -> None:
    """Fetch bitext from OPUS, or an evaluation set; print where it lies.

    WHAT is opus/CORPUS, with a language pair, or the name of an evaluation set. Without either, or without a pair for
    OPUS, it is shown what there is. What was fetched once is not fetched again; what was cut off is gone on with.
    """
    if only_list or not task.names_files(what, pair):
        found = task.offers(what, pair, release=release, mirrors=mirrors, timeout=timeout)
        click.echo(json.dumps([asdict(offer) for offer in found], ensure_ascii=False) if as_json else _table(found))
        return
    if as_json:
        raise UsageError("--json goes with --list", hint="a download prints one path a line")
    try:
        with Progress() as progress:
            paths = task.download(
                what or "",
                pair,
                release=release,
                out=out,
                cache=cache,
                mirrors=mirrors,
                checksum=checksum,
                timeout=timeout,
                verify=verify,
                announce=lambda offers: progress.keep(_table(offers)),
                report=_report(progress),
            )
    except KeyboardInterrupt:
        note("what has come so far is kept: the same command goes on with it")
        raise
    for path in paths:
        click.echo(path)


def _table(offers: list[task.Offer]) -> str:
    """One line an offer, with the columns that any of them fills."""
    rows = [{name: _cell(name, value) for name, value in asdict(offer).items()} for offer in offers]
    columns = [name for name in asdict(task.Offer("")) if any(row[name] for row in rows)]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in columns}
    numbers = {"pairs", "size"}
    lines = [
        "  ".join(
            row[name].rjust(widths[name]) if name in numbers else row[name].ljust(widths[name]) for name in columns
        )
        for row in [{name: name for name in columns}, *rows]
    ]
    return "\n".join(line.rstrip() for line in lines)


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return size_text(value) if name == "size" else f"{value:,}"
    return str(value)


def _report(progress: Progress) -> Callable[[task.Fetching], None]:
    """A stage for each file, and for checking one."""
    last: tuple[str, bool] | None = None

    def report(now: task.Fetching) -> None:
        nonlocal last
        if last != (now.name, now.checking):
            last = now.name, now.checking
            progress.stage(f"{'checking ' if now.checking else ''}{now.name}", "B", total=now.total)
        progress.at(now.done)

    return report
