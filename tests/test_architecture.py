"""Data flows one way, and a light command stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import calque

PACKAGE = Path(calque.__file__).parent

# A module imports from its own layer and from those before it.
LAYERS = [
    {
        "errors",
        "at_exit",
        "atomic",
        "batches",
        "checksums",
        "extras",
        "held",
        "lazily",
        "locks",
        "pictures",
        "regular",
        "saved",
        "surrogates",
        "temporary",
        "threads",
        "safetensors",
        "toml",
        "_version",
        "_kernel",
    },
    {"corpus"},
    {"vocabulary"},
    {"encoder"},
    {"training"},
    {"model"},
    {"neighbours", "thresholds"},
    {"alignment", "deduplication", "explanation", "exporting", "filtering", "index", "mining"},
    {"tasks"},
    {"cluster", "integrations", "server"},
    {"evaluation"},
    {"paper"},
    {"demo"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS) for name in names}

MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(path.relative_to(PACKAGE)) for path in MODULES]
INSIDE = [path for path in MODULES if path != PACKAGE / "__init__.py"]  # the public face imports lazily: see below


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it, by its full name."""
    inside = ["calque", *path.relative_to(PACKAGE).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(inside[: len(inside) - node.level]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_every_part_of_the_package_has_its_layer() -> None:
    parts = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in INSIDE} | {"_kernel"}
    assert parts == set(LAYER_OF)


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_stands_before_it(path: Path) -> None:
    own = LAYER_OF[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]
    for name in imported(path):
        package, _, rest = name.partition(".")
        if package == "calque" and rest:
            part = rest.partition(".")[0]
            assert LAYER_OF[part] <= own, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_no_module_needs_torch_or_pickle(path: Path) -> None:
    roots = {name.partition(".")[0] for name in imported(path)}
    assert not roots & {"torch", "pickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}


def test_other_tools_are_imported_by_what_is_made_for_them_only() -> None:
    tools = {"langchain_core", "llama_index", "mteb", "opusfilter", "sklearn", "spacy"}
    users = {path.parent.name for path in MODULES if {name.partition(".")[0] for name in imported(path)} & tools}
    assert users == {"integrations"}


def test_torch_comes_through_one_door_which_only_a_blstm_opens() -> None:
    named = {str(path.relative_to(PACKAGE)) for path in MODULES if '"torch"' in path.read_text(encoding="utf-8")}
    assert named == {"encoder/pytorch.py"}
    users = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if any(name.startswith("calque.encoder.pytorch") for name in imported(path))
    }
    assert users == {
        "encoder/blstm.py",
        "training/adam.py",
        "training/blstm_batch.py",
        "training/blstm_gradient.py",
        "training/blstm_learner.py",
        "tasks/training_plan.py",  # asks whether it is there before anything is read
    }


def test_tokenizers_comes_through_one_door_and_no_library_of_models_is_needed_to_open_its_folders() -> None:
    users = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if {name.partition(".")[0] for name in imported(path)} & {"tokenizers", "model2vec", "sentence_transformers"}
    }
    assert users == {"vocabulary/tokenizer_json.py"}


def test_imports_are_seen_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    file = tmp_path / "corpus" / "lines.py"
    file.parent.mkdir()
    file.write_text(
        "import torch.nn\ndef f():\n    from ..model import load\n    from .. import tasks\n    from .x import y\n"
    )
    assert set(imported(file)) >= {"torch.nn", "calque.model", "calque.model.load", "calque.tasks", "calque.corpus.x"}


def modules_after(code: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport sys\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def command(*arguments: str) -> str:
    return f"""
from calque.cli import main
try:
    main({list(arguments)!r})
except SystemExit:
    pass
"""


def test_the_command_starts_before_anything_heavy_is_imported() -> None:
    loaded = modules_after("import calque.__main__") - modules_after("pass")
    assert not loaded & {"click", "pathlib", "re", "signal", "typing"}


@pytest.mark.parametrize(
    "code", ["import calque", command("--help"), command("--version")], ids=["import", "help", "version"]
)
def test_a_first_look_loads_nothing_heavy(code: str) -> None:
    assert not modules_after(code) & {"numpy", "sentencepiece", "tokenizers", "torch", "rich", "xxhash"}


def test_using_a_model_loads_neither_torch_nor_tokenizers() -> None:
    assert not modules_after("import calque; calque.Model, calque.load, calque.train") & {
        "torch",
        "tokenizers",
        "scipy",
    }


def test_opening_a_model_waits_for_nothing_that_only_others_need(small_model: calque.Model) -> None:
    opened = f"import calque; model = calque.load({str(small_model.path)!r})"
    light = modules_after(opened)
    assert "numpy" in light
    assert not light & {"sentencepiece", "tempfile", "email", "concurrent", "csv", "click"}
    assert "sentencepiece" in modules_after(f"{opened}; model.encode(['A dog'])")


def test_the_public_names_are_those_promised() -> None:
    for name in calque.__all__:
        assert getattr(calque, name) is not None
    assert dir(calque) == calque.__all__
    with pytest.raises(AttributeError, match="has no attribute 'trane'"):
        calque.trane  # noqa: B018
