"""The option that sends a command's work to a cluster, and how far it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .doubts import doubt_lines

if TYPE_CHECKING:
    from ..cluster.engine import Engine
    from ..cluster.job import Watch
    from .progress import Progress

LOCAL, RAY = "local", "ray"
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")  # corpus.files, unimported


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the work is done."""
    engine = click.option(
        "--engine",
        type=click.Choice([LOCAL, RAY]),
        default=LOCAL,
        show_default=True,
        help="ray: over a Ray cluster. What is read are files, folders of them, patterns or addresses (s3://…), OUT is "
        "a folder of parts, --threads the cores of each task (1), and the same command goes on where another was lost.",
    )
    address = click.option(
        "--address", metavar="A", help="The Ray cluster, or auto.  [default: this machine's cores, for this command]"
    )
    return engine(address(command))


def on_cluster(engine: str, address: str | None) -> bool:
    """
    Raises:
        UsageError: an address, and no cluster asked for.
    """
    if address is not None and engine == LOCAL:
        raise UsageError("--address is the Ray cluster's", hint="add --engine ray")
    if address is not None and not address.strip():
        raise UsageError("--address is empty", hint="HOST:PORT, or auto; without it, this machine is the cluster")
    return engine == RAY


def require_folder(outs: Sequence[str]) -> str:
    """
    Raises:
        UsageError: not one output, or standard output.
    """
    if len(outs) != 1 or outs[0] == "-":
        raise UsageError("on a cluster the output is a folder of parts", hint="-o FOLDER")
    if outs[0].lower().endswith(_COMPRESSED):
        raise UsageError(f"{outs[0]}: a cluster's output is a folder, whose parts are not compressed", hint="-o FOLDER")
    return outs[0]


def refuse(given: Mapping[str, Any], *options: str) -> None:
    """
    Raises:
        UsageError: an option that is for one machine was given.
    """
    for option in options:
        if given.get(option):
            name = option.replace("_", "-")
            raise UsageError(f"--{name} is for the local engine", hint=f"leave out --{name}, or --engine ray")


def doubt_shards(*paths: str) -> None:
    """The first one of each, where lines are expected, if it lies on a disk; tasks look at the others.

    Raises:
        UsageError: its lines are no sentences at all.
    """
    from ..cluster.shards import find_shards

    for path in paths:
        first = next((shard.place.local for shard in find_shards([path]) if shard.size), None)
        if first is not None:
            doubt_lines(str(first), columns=True)


@contextlib.contextmanager
def cluster(address: str | None, threads: int | None) -> Iterator[Engine]:
    from ..cluster.on_ray import on_ray

    with on_ray(address, threads) as engine:
        yield engine


def watch(progress: Progress) -> Watch:
    """Each stage is drawn as it comes, by its tasks."""
    now = ""

    def watched(stage: str, done: int, all: int) -> None:
        nonlocal now
        if stage != now:
            progress.stage(stage.replace("-", " "), "tasks", total=all)
            now = stage
        progress.at(done)

    return watched
