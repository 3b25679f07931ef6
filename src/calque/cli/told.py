"""What -v tells before a command runs: what it takes for granted."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
from click.core import ParameterSource

from .places import BOX
from .settings import NAME, settings_of

_FROM = {
    ParameterSource.COMMANDLINE: "the command line",
    ParameterSource.ENVIRONMENT: "CALQUE_MODEL",
    ParameterSource.DEFAULT_MAP: NAME,
}


def taken_for_granted(context: click.Context) -> Iterator[str]:
    """calque.toml and what it gives, the model, the threads, and the kernel."""
    settings = settings_of(context)
    if settings.path is None:
        yield f"no {NAME}"
    else:
        used = [f"{name} {value}" for name, value in sorted(_from_file(context).items())]
        yield f"{settings.path}: {', '.join(used) or 'nothing for this command'}"
    yield from _model(context)
    if "threads" in context.params:
        threads = context.params["threads"]
        yield f"threads: {threads if threads is not None else os.cpu_count()}"
    from .. import _kernel

    yield f"kernel: {_kernel.target()}"


def _from_file(context: click.Context) -> dict[str, object]:
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name: context.params[name] for name, source in sources.items() if source == ParameterSource.DEFAULT_MAP}


def _model(context: click.Context) -> Iterator[str]:
    option = next((each for each in context.command.params if each.name == "model"), None)
    if option is None:
        return
    value = context.params["model"]
    if value in (None, BOX):
        if value is None and option.envvar is None and context.params.get("index"):
            yield "model: the index's own"
            return
        from ..model.box import box_folder, has_box

        where = f" ({box_folder()})" if has_box() else ""
        yield f"model: the one in the box{where}"
        return
    source = context.get_parameter_source("model")
    yield f"model: {value} (by {_FROM[source]})" if source in _FROM else f"model: {value}"
