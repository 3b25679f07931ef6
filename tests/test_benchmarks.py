"""Benchmarks take minutes and real text, so the suite runs none. What they import from Calque must at least exist."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCHMARKS = sorted((Path(__file__).resolve().parent.parent / "benchmarks").glob("*.py"))


def imported_from_calque(path: Path) -> list[tuple[str, str]]:
    """(module, name) of each `from calque.module import name`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return [(node.module, each.name) for node in froms if node.module.split(".")[0] == "calque" for each in node.names]


def is_there(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.name)
def test_a_benchmark_imports_nothing_that_is_gone(path: Path) -> None:
    gone = [f"{module}.{name}" for module, name in imported_from_calque(path) if not is_there(module, name)]
    assert not gone


def test_a_module_that_is_gone_is_noticed() -> None:
    assert not is_there("calque.mining.never_there", "anything")
    assert not is_there("calque.mining", "never_there")
    assert is_there("calque", "_kernel")


def test_every_benchmark_is_listed() -> None:
    listed = (BENCHMARKS[0].parent / "README.md").read_text(encoding="utf-8")
    programs = [path for path in BENCHMARKS if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
    assert [path.name for path in programs if f"benchmarks/{path.name} " not in listed] == []
