from __future__ import annotations

import os
from typing import IO, Any

import click

from ..errors import UsageError
from ..server.settings import SELF, ServerSettings
from . import options
from .command import command
from .manner import note, warn
from .places import FOLDER, MODEL
from .settings import usual_model

_TOKEN = "CALQUE_TOKEN"  # nosec B105 # where to find it
_DEFAULTS = ServerSettings()


def _number(name: str, what: str) -> options.Decorator:
    """An option for one of the limits."""
    default = getattr(_DEFAULTS, name.replace("-", "_"))
    return click.option(f"--{name}", type=click.IntRange(1), default=default, show_default=True, metavar="N", help=what)


@command(
    examples={
        "calque serve": "the model in the box, at http://127.0.0.1:8000",
        "calque serve --model my-model --workers 2 --port 9000": "",
        "calque search build corpus.txt --output index && calque serve --index index": "",
    }
)
@click.option(
    "--model",
    "-m",
    type=MODEL,
    metavar="DIR",
    help="The model folder, or box; else the index's, else CALQUE_MODEL, else the box.",
)
@click.option("--index", type=FOLDER, metavar="DIR", help="An index for /v1/search, made by calque search build.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="H", help="0.0.0.0 lets the network in.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), metavar="P", help="0 takes any."
)
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1), metavar="N", help="Processes that answer."
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another name that requests may call the model, such as text-embedding-3-small; may be given again.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name that requests may call the server in their Host, such as that of the proxy before it; may be given "
    "again. Addresses and localhost always will do; without this option, so will any name, unless the server is for "
    "its own machine and has no token.",
)
@click.option(
    "--token-file",
    type=click.File(),
    metavar="FILE",
    help=f"Holds the token that requests must bring as Authorization: Bearer; else {_TOKEN}, else none is needed.",
)
@click.option(
    "--max-body",
    type=options.Bytes(),
    default=f"{_DEFAULTS.max_body >> 20}M",
    show_default=True,
    help="The largest request.",
)
@_number("max-batch", "The most texts of a request.")
@_number("max-text", "The most characters of a text.")
@_number("max-lines", "The most lines of each of two texts to mine.")
@click.option(
    "--max-pending",
    type=options.Bytes(),
    default=f"{_DEFAULTS.max_pending >> 20}M",
    show_default=True,
    help="What a worker may hold of large requests that arrive and large answers that are not taken yet.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=_DEFAULTS.patience,
    show_default=True,
    metavar="S",
    help="Seconds that a client may take to send a request, or take nothing of its answer.",
)
@_number("threads", "Threads that one request may use.")
@click.option("--access-log", is_flag=True, help="Write a line for each request.")
def serve(
    host: str,
    port: int,
    workers: int,
    token_file: IO[str] | None,
    access_log: bool,
    names: tuple[str, ...],
    hosts: tuple[str, ...],
    **rest: Any,
) -> None:
    """Serve a model over HTTP, with a page to try it on.

    Speaks OpenAI's /v1/embeddings and /v1/models, and has /v1/similarity, /v1/search, /v1/explain, /v1/mine, /health,
    /metrics and /openapi.json. Workers share the model's file in memory. On Ctrl-C or SIGTERM it answers what it has
    been asked, and stops.
    """
    from ..server.run import serve as run

    token = _token(token_file)
    if rest["model"] is None and rest["index"] is None:
        rest["model"] = usual_model(click.get_current_context())

    def started(address: str) -> None:
        note(f"calque serves at {address}")
        if token is None and host not in SELF:
            warn("whoever reaches this machine may ask; --token-file lets in only some")

    run(
        ServerSettings(token=token, names=names, hosts=hosts or None, **rest),
        host,
        port,
        workers,
        access_log=access_log,
        started=started,
    )


def _token(file: IO[str] | None) -> str | None:
    """
    Raises:
        UsageError: an empty token, or one that no header can hold.
    """
    given = file.read() if file else os.environ.get(_TOKEN)
    if given is None:
        return None
    token = given.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        place = file.name if file else _TOKEN
        raise UsageError(
            f"{place}: expected a token of letters, digits and signs", hint="openssl rand -hex 32 makes one"
        )
    return token
