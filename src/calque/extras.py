"""Packages that only some uses need."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

from .errors import UsageError

DISTRIBUTION = "calque-nlp"  # its name on a package index, where `calque` is another project


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """The module, or an error that says how to install it.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as problem:
        raise _missing(module.partition(".")[0], extra, purpose) from problem


def require_folder(package: str, extra: str, purpose: str) -> Path:
    """Where a package's files lie, without importing it.

    Raises:
        UsageError: it is not installed.
    """
    from importlib import metadata  # takes longer than all else that a model needs to open

    try:
        return Path(str(metadata.distribution(package).locate_file(package)))
    except metadata.PackageNotFoundError as problem:
        raise _missing(package, extra, purpose) from problem


def _missing(package: str, extra: str, purpose: str) -> UsageError:
    return UsageError(f"{purpose} needs the package {package}, which is not installed", hint=install_command(extra))


def install_command(extra: str) -> str:
    """The command that installs what an extra needs."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
