"""The paper's experiments, each end to end: trains, measures, and writes the table beside the published one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from .._version import __version__
from ..atomic import write_text
from ..errors import UsageError
from ..tasks.train import Watcher
from .languages import study
from .library import Library
from .machine import machine
from .plan import plan_of
from .scale import scale_named
from .table import Table
from .workshop import Workshop

EXPERIMENTS = ("table1", "table2", "table3", "table4", "table5", "figure1")
ALL = "all"


def reproduce(
    experiment: str,
    data: str | Path,
    out: str | Path,
    *,
    scale: str = "small",
    say: Callable[[str], None] = lambda line: None,
    watcher: Callable[[str], Watcher] = lambda name: Watcher(),
    show: Callable[[str], None] = lambda line: None,
) -> Iterator[Table]:
    """Runs `table1` to `table5`, `figure1` or `all`, and yields each table as it is done.

    `data` holds bitext/ and eval/. `out` gets a Markdown and a JSON file for each table, pictures, and what lies
    between: run again after a stop, it goes on where it was. `say` is told of each training as it begins, with its
    place among all and the time left, and `show` of each row as it is done.

    Raises:
        CalqueError: data, an extra or a place to write to is missing, which shows before anything is trained.
    """
    if experiment not in (*EXPERIMENTS, ALL):
        raise UsageError(f"no experiment called {experiment}", hint=f"there are {', '.join((*EXPERIMENTS, ALL))}")
    chosen = scale_named(scale)
    workshop = Workshop(Library(data), chosen, Path(out), say, watcher, show)
    names = EXPERIMENTS if experiment == ALL else (experiment,)
    modules = {name: import_module(f".{name}", __package__) for name in names}
    for module in modules.values():
        module.check(workshop)
    workshop.open()
    workshop.plan = plan_of(workshop, (_asking(name, module) for name, module in modules.items()))
    for name, module in modules.items():
        table: Table = getattr(module, name)(workshop)
        command = f"calque reproduce {name} --data DIR --scale {scale}"
        write_text(workshop.out / f"{name}.md", table.as_markdown(command, machine()))
        described = table.as_dict() | {"command": command, "machine": machine(), "calque": __version__}
        write_text(workshop.out / f"{name}.json", json.dumps(described, indent=2, ensure_ascii=False) + "\n")
        yield table


def _asking(name: str, module: Any) -> Callable[[Workshop], object]:
    """All that a table asks a workshop for. Table 5 and figure 1 compute with what the study of languages has found."""
    asking: Callable[[Workshop], object] = study if name in ("table5", "figure1") else getattr(module, name)
    return asking
