from __future__ import annotations

import json
from dataclasses import asdict

import click

from ...errors import UsageError
from ...tasks import download as task
from .. import options
from ..progress import ProgressLine, duration


@click.command(
    epilog="A mirror M holds https://HOST/PATH at M/HOST/PATH. Mirrors take the official server's place and are tried "
    "in order; the word 'official' among them stands for it. Proxies are taken from the environment."
)
@click.argument("what", required=False)
@click.argument("pair", required=False)
@click.option("--release", metavar="R", help="The release of an OPUS corpus.  [default: the latest]")
@click.option("--out", "-o", metavar="DIR", help="Where to put it.  [default: the cache folder]")
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
@click.option("--cache", metavar="DIR", help="The cache folder; else CALQUE_CACHE names it, else the system.")
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

    \b
    calque corpus download                                   all sources and evaluation sets
    calque corpus download opus/Tatoeba en-es --list         releases and sizes
    calque corpus download sts17
    calque train $(calque corpus download opus/Tatoeba en-es) --out my-model
    """
    if only_list or not task.names_files(what, pair):
        found = task.offers(what, pair, release=release, mirrors=mirrors, timeout=timeout)
        click.echo(json.dumps([asdict(offer) for offer in found], ensure_ascii=False) if as_json else _table(found))
        return
    if as_json:
        raise UsageError("--json goes with --list", hint="a download prints one path a line")
    line = ProgressLine()
    try:
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
            announce=lambda offers: click.echo(_table(offers), err=True),
            report=lambda now: line.show(_progress(now)),
        )
    except KeyboardInterrupt:
        line.clear()
        click.echo("what has come so far is kept: the same command goes on with it", err=True)
        raise
    finally:
        line.clear()
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


def _progress(now: task.Fetching) -> str:
    doing = "checking " if now.checking else ""
    if now.total is None:
        return f"{doing}{now.name}  {size_text(now.done)}  {size_text(now.rate)}/s"
    share = now.done / now.total if now.total else 1.0
    left = duration((now.total - now.done) / now.rate) if now.rate else "?"
    return (
        f"{doing}{now.name}  {share:4.0%}  {size_text(now.done)} of {size_text(now.total)}  "
        f"{size_text(now.rate)}/s  {left} left"
    )


def size_text(size: float) -> str:
    """
    >>> size_text(999), size_text(299_204_608)
    ('999 B', '299.2 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.95:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
