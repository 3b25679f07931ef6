"""What no module of the package does, so that no input can make it: run code, start processes, open pickles."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import calque

PACKAGE = Path(calque.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Names of built-in functions, modules, and functions of modules.
RUN_CODE = {"eval", "exec", "compile", "__import__", "runpy", "code.interact", "types.FunctionType", "builtins"}
RUN_CODE |= {"importlib.util", "importlib.machinery", "importlib.reload", "imp"}
START_PROCESSES = {"subprocess", "os.system", "os.popen", "os.fork", "os.forkpty", "os.startfile", "pty"}
START_PROCESSES |= {"multiprocessing", "concurrent.futures.process", "uvicorn.supervisors", "_posixsubprocess"}
OPEN_PICKLES = {"pickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "torch.load", "pandas"}
BELIEVE_TOO_MUCH = {"tempfile.mktemp", "yaml", "telnetlib", "ftplib", "ssl._create_unverified_context", "xml.dom"}
BELIEVE_TOO_MUCH |= {
    "xml.etree",
    "xml.sax.make_parser",
    "shutil.unpack_archive",
    "tarfile.open",
    "urllib.request.urlopen",
}
# Families of functions: whatever begins so.
FAMILIES = ("os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess", "concurrent.futures.ProcessPool")
# Methods of whatever object, which cannot be told apart here.
METHODS = {"extractall", "exec_module", "load_module", "subprocess_exec", "subprocess_shell"}
FORBIDDEN = RUN_CODE | START_PROCESSES | OPEN_PICKLES | BELIEVE_TOO_MUCH

# Arguments that make a harmless function one that is not.
DANGEROUS = {("shell", True), ("allow_pickle", True), ("weights_only", False), ("trust_remote_code", True)}

# Looked at, and harmless.
EXCEPTIONS = {
    "corpus/identification.py": {"importlib.util.find_spec"},  # whether a package is there, by a name in the code
    "mining/approximate.py": {"importlib.util.find_spec"},  # the same
    # The server's own workers, and whether the process that started them is still there.
    "server/run.py": {"uvicorn.supervisors.Multiprocess", "multiprocessing", "multiprocessing.parent_process"},
}  # fmt: skip

# import_module runs the code of a module whose name it is given.
MAY_IMPORT = {
    "cli/lazy.py",  # commands, by names in the package
    "corpus/cleaning/custom.py",  # rules that the command line alone may name
    "corpus/formats/__init__.py",  # formats, by names in the package
    "extras.py",  # optional packages
    "lazily.py",  # public names, by names in the package
    "paper/reproduce.py",  # experiments, by names in the package
}  # fmt: skip


def used(source: str) -> Iterator[str]:
    """Every name that a module imports or uses, in full: `import os as o; o.system` uses os.system."""
    tree = ast.parse(source)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and (name := _dotted(node)):
            first, dot, rest = name.partition(".")
            yield known.get(first, first) + dot + rest


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return None


def forbidden(source: str) -> set[str]:
    names = {
        name
        for name in set(used(source))
        if name.startswith(FAMILIES) or any(name == each or name.startswith(f"{each}.") for each in FORBIDDEN)
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            names.add(node.attr)
        elif isinstance(node, ast.Call) and _opens_pickles_by_place(node):
            names.add("load(…, …, True)")
    for call in re.finditer(r"(\w+)\s*=\s*(True|False)\b", source):
        names |= {f"{call[1]}={call[2]}"} & {f"{name}={value}" for name, value in DANGEROUS}
    return names


def _opens_pickles_by_place(call: ast.Call) -> bool:
    """numpy.load's third argument is allow_pickle: whatever else is called load takes no three, or is looked at."""
    name = _dotted(call.func) or getattr(call.func, "attr", "")
    return name.rpartition(".")[2] == "load" and (
        len(call.args) > 2 or any(isinstance(each, ast.Starred) for each in call.args)
    )


def test_no_module_runs_code_or_believes_too_much() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): forbidden(path.read_text(encoding="utf-8")) for path in MODULES}
    assert {path: names for path, names in found.items() if names} == EXCEPTIONS


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "import pickle",
        "def f():\n    from pickle import loads",
        "import os as o\no.system('x')",
        "from os import execv as run",
        "import subprocess as s",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "import torch\ntorch.load('x')",
        "from torch import load\nload('x')",
        "import yaml\nyaml.load('x')",
        "from tempfile import mktemp",
        "import xml.etree.ElementTree as tree",
        "import tarfile\ntarfile.open('x')",
        "run('x', shell=True)",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "import os\nos.execvpe('x', [], {})",
        "import os\nos.spawnlp(0, 'x')",
        "import os\nos.posix_spawnp('x', [], {})",
        "import os\nos.fork()",
        "import os\nos.startfile('x')",
        "import builtins\nbuiltins.eval('1')",
        "from importlib import util\nutil.spec_from_file_location('a', 'b')",
        "spec.loader.exec_module(module)",
        "import multiprocessing.pool",
        "from multiprocessing import Process",
        "from concurrent.futures import ProcessPoolExecutor",
        "import concurrent.futures as futures\nfutures.ProcessPoolExecutor()",
        "from uvicorn.supervisors import Multiprocess",
        "from tarfile import TarFile\nTarFile('x').extractall()",
        "import zipfile\nwith zipfile.ZipFile('x') as file:\n    file.extractall('y')",
        "import numpy\nnumpy.load('x', None, True)",
        "import numpy\nnumpy.load(*given)",
    ],
)
def test_what_is_forbidden_is_found_however_it_is_written(source: str) -> None:
    assert forbidden(source)


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('x')",
        "model.eval()",
        "load('x', weights_only=True)",
        "import numpy\nnumpy.load('x', 'r')",
    ],
)
def test_what_only_looks_like_it_is_not(source: str) -> None:
    assert not forbidden(source)


def test_modules_are_imported_by_name_in_few_places() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if "import_module" in path.read_text(encoding="utf-8")
        and any(name.startswith("importlib.import_module") for name in used(path.read_text(encoding="utf-8")))
    }
    assert found == MAY_IMPORT


def test_each_promise_names_tests_that_are_there() -> None:
    repository = Path(__file__).resolve().parent.parent
    promises = (repository / "SECURITY.md").read_text(encoding="utf-8").partition("## What you may rely on")[2]
    promises = promises.partition("## What you may not")[0]
    named = re.findall(r"`((?:tests/)?[\w/]*(?:test_\w+\.py|/))`", promises)
    assert len(named) > 10
    assert [name for name in named if not any(repository.glob(f"tests/**/{name.removeprefix('tests/')}"))] == []
    assert all("`tests/" in promise for promise in promises.split("\n- **")[1:])
