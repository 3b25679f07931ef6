"""calque.toml: a user's own defaults, below the command line and the environment.

model = "models/en-es"        # top-level: for every command that has such an option
threads = 4

[train]                       # options of one command by their long names
epochs = 5

[corpus.clean]
preset = "strict"
"""

from __future__ import annotations

import difflib
import os
from collections import UserDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..errors import UsageError
from .places import FOLDER, MODEL, Place

NAME, ENVIRONMENT = "calque.toml", "CALQUE_CONFIG"
_IN_ENVIRONMENT = {"model": "CALQUE_MODEL", "data": "CALQUE_DATA", "cache": "CALQUE_CACHE"}
SHARED = (*_IN_ENVIRONMENT, "threads", "quiet", "verbose")
_WRITTEN = ("out", "output", "outs", "rejected", "report", "groups", "plot", "sample", "work")  # as Python calls them
_KEPT = "calque.settings"
_NEAR = 0.75  # so that threshold is not taken for threads


@dataclass(frozen=True)
class Settings:
    """What a file says; nothing, if there is none."""

    path: Path | None = None
    tables: dict[str, Any] | None = None
    found: bool = False  # by itself, in the current folder or above it, where a stranger's may lie

    def defaults(self, context: click.Context) -> dict[str, Any]:
        """What the file says of the options of one command, by their names in Python.

        Raises:
            UsageError: a table, a key or a value that is not understood, with the file and a hint.
        """
        if not self.tables:
            return {}
        self._check_tables(context)
        return dict(self._shared(context)) | dict(self._own(context))

    def shared(self, key: str) -> str | None:
        """A top-level value that names a place, as a path or a name that needs no folder."""
        value = (self.tables or {}).get(key)
        return None if value is None else self._converted(key, _place(key), value)

    def _shared(self, context: click.Context) -> Iterator[tuple[str, Any]]:
        tables = self.tables or {}
        for option in context.command.params:
            for key in SHARED:
                if key in tables and _is_shared(option, key):
                    yield option.name or "", self._converted(key, option, tables[key])

    def _own(self, context: click.Context) -> Iterator[tuple[str, Any]]:
        names = _names(context)
        table: Any = self.tables
        for name in names:
            table = table.get(name, {})
        options = dict(_spelt(context.command.params))
        where = f"[{'.'.join(names)}]"
        for key, value in table.items():
            option = options.get(key.replace("_", "-"))
            if option is None:
                raise self._unknown(f"{where} {key}: calque {' '.join(names)} has no such option", key, options)
            yield option.name or "", self._converted(f"{where} {key}", option, value)

    def _check_tables(self, context: click.Context) -> None:
        """The names of all tables, and all top-level keys, also where another command is run."""
        root = context.find_root()
        assert isinstance(root.command, click.Group)
        commands = root.command.list_commands(root)
        for key, value in (self.tables or {}).items():
            if key in SHARED:
                self._converted(key, _place(key), value)
            elif key not in commands:
                what = f"[{key}]: there is no such command" if isinstance(value, dict) else f"{key}: no such key"
                raise self._unknown(what, key, [*SHARED, *commands])
            elif not isinstance(value, dict):
                raise self._error(f"{key}: expected a table, got {_described(value)}", f"write [{key}] on its own line")
            elif key == _names(context)[0] or any(isinstance(each, dict) for each in value.values()):
                self._check_inner(root, root.command, key, value)

    def _check_inner(self, root: click.Context, group: click.Group, name: str, table: dict[str, Any]) -> None:
        inner = group.get_command(root, name)
        commands = inner.list_commands(root) if isinstance(inner, click.Group) else []
        for key, value in table.items():
            if isinstance(value, dict) and key not in commands:
                raise self._unknown(f"[{name}.{key}]: there is no such command", key, commands)
            if commands and not isinstance(value, dict):
                raise self._error(
                    f"[{name}] {key}: {name} is a group of commands",
                    f"name the command as well, like [{name}.{commands[0]}]",
                )

    def _converted(self, key: str, option: click.Parameter, value: Any) -> Any:
        """As click would have it from the command line; what is relative is so to the file's folder."""
        several = option.multiple or option.nargs != 1
        if option.multiple and not isinstance(value, list):
            value = [value]
        if isinstance(value, list) and several:
            fitting: Any = tuple(self._fitting(key, option, each) for each in value)
        else:
            fitting = self._fitting(key, option, value)
        context = click.Context(click.Command("calque"), resilient_parsing=True)
        try:
            option.type_cast_value(context, fitting)
        except click.BadParameter as problem:
            raise self._error(f"{key}: {problem.message}", None) from problem
        return fitting

    def _fitting(self, key: str, option: click.Parameter, value: Any) -> Any:
        flag = isinstance(option, click.Option) and option.is_flag
        if flag or isinstance(value, bool):
            if flag and isinstance(value, bool):
                return value
            wanted = "true or false" if flag else "a value"
            raise self._error(f"{key}: expected {wanted}, got {_described(value)}", None)
        if isinstance(option.type, click.types.IntParamType | click.types.FloatParamType):
            whole = isinstance(option.type, click.types.IntParamType)
            if not isinstance(value, int if whole else (int, float)):
                wanted = "a whole number" if whole else "a number"
                quoted = "write it without quotation marks" if isinstance(value, str) else None
                raise self._error(f"{key}: expected {wanted}, got {_described(value)}", quoted)
            return value
        if not isinstance(value, str | int | float):
            raise self._error(f"{key}: expected one value, got {_described(value)}", None)
        if option.name == "rules" and ":" in str(value):
            raise self._error(
                f"{key}: {value} is a rule of your own, which only the command line may name",
                "a file that is found by itself must not run code",
            )
        if option.name == "address" and self.found:
            raise self._error(
                f"{key}: {value} is a cluster, which only the command line may name",
                f"a file that is found by itself must not choose who runs the work; {ENVIRONMENT} may name it",
            )
        if isinstance(option.type, Place) and self.path:
            place = option.type.relative_to(str(value), self.path.parent)
            if option.name in _WRITTEN and self.found and not _is_below(self.path.parent, place):
                raise self._error(
                    f"{key}: {value} is outside its folder, where only the command line may have something written",
                    f"a file that is found by itself must not choose what is overwritten; {ENVIRONMENT} may name it",
                )
            return place
        return str(value)

    def _unknown(self, what: str, key: str, known: Iterable[str]) -> UsageError:
        names = sorted(known)
        near = difflib.get_close_matches(key.replace("_", "-"), names, 1, _NEAR)
        listed = f"there are {', '.join(names)}" if len(names) <= 12 else "an option stands below its command: [train]"
        return self._error(what, f"did you mean {near[0]}?" if near else listed if names else None)

    def _error(self, what: str, hint: str | None) -> UsageError:
        return UsageError(f"{self.path}: {what}", hint=hint)


class Defaults(UserDict[str, Any]):
    """click's default_map for one command, read when an option first asks: --help and completion never do."""

    def __init__(self, context: click.Context) -> None:
        self._context = context

    @property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        return {} if self._context.resilient_parsing else self._values

    @cached_property
    def _values(self) -> dict[str, Any]:
        return settings_of(self._context).defaults(self._context)


def settings_of(context: click.Context) -> Settings:
    """Read once a run."""
    if _KEPT not in context.meta:
        context.meta[_KEPT] = read_settings(find_settings())
    kept: Settings = context.meta[_KEPT]
    return kept


def usual_model(context: click.Context) -> str | None:
    """What every command takes where nothing else is said: for those with a model that comes before it, an index's."""
    return os.environ.get("CALQUE_MODEL") or settings_of(context).shared("model")


def find_settings() -> Path | None:
    """What CALQUE_CONFIG names, or the nearest of the current folder and its parents, or the user's own."""
    named = os.environ.get(ENVIRONMENT)
    if named is not None:
        return Path(named) if named else None
    try:
        here = Path.cwd()
        folders = [here, *here.parents]
    except OSError:  # it has been removed
        folders = []
    places = (folder / NAME for folder in (*folders, Path(click.get_app_dir("calque"))))
    return next((place for place in places if place.is_file()), None)


def read_settings(path: Path | None) -> Settings:
    """
    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    if path is None:
        return Settings()
    from ..toml import TOMLDecodeError, loads

    try:
        found = ENVIRONMENT not in os.environ and path.parent != Path(click.get_app_dir("calque"))
        return Settings(path, loads(path.read_text(encoding="utf-8")), found)
    except OSError as problem:
        named = ENVIRONMENT in os.environ
        raise UsageError(
            f"cannot read {path}: {problem.strerror or problem}",
            hint=f"{ENVIRONMENT} names it; empty, it means no {NAME}" if named else None,
        ) from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path}: not UTF-8: {problem.reason}") from problem
    except TOMLDecodeError as problem:
        raise UsageError(f"{path}: {problem}", hint='like epochs = 5, or model = "my-model"') from problem


def given(context: click.Context, *names: str) -> list[str]:
    """Those of some parameters that are on the command line or in the environment, and not only in calque.toml."""
    outright = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    return [name for name in names if context.get_parameter_source(name) in outright]


def _is_below(folder: Path, place: str) -> bool:
    """Where links lead, too; standard output is nowhere else, and an address is."""
    if "://" in place:
        return False
    return place == "-" or Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder))


def _names(context: click.Context) -> list[str]:
    """`corpus`, `clean`"""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return names


def _is_shared(option: click.Parameter, key: str) -> bool:
    """Where a name from the environment would not count, such as before an index's own model, neither does ours."""
    variable = _IN_ENVIRONMENT.get(key)
    return option.envvar == variable if variable else option.name == key


def _spelt(options: Iterable[click.Parameter]) -> Iterator[tuple[str, click.Parameter]]:
    for option in options:
        if isinstance(option, click.Option):
            long = [name for name in option.opts if name.startswith("--")]
            yield from ((name.lstrip("-"), option) for name in long or option.opts)


def _place(key: str) -> click.Parameter:
    """An option like those that a top-level key is for, to see whether its value is one at all."""
    if key in ("quiet", "verbose"):
        return click.Option([f"--{key}"], is_flag=True)
    kinds: dict[str, click.ParamType[Any]] = {"threads": click.INT, "model": MODEL}
    return click.Option([f"--{key}"], type=kinds.get(key, FOLDER))


def _described(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else repr(value)
