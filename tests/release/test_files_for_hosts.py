"""Files that only a code host or a container engine reads: valid before they get there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
SCHEMAS = [
    *(("vendor.github-workflows", path) for path in WORKFLOWS),
    *(("custom.github-workflows-require-timeout", path) for path in WORKFLOWS),
    *(("vendor.github-issue-forms", path) for path in FORMS),
    ("vendor.github-issue-config", GITHUB / "ISSUE_TEMPLATE" / "config.yml"),
    ("vendor.dependabot", GITHUB / "dependabot.yml"),
    ("vendor.citation-file-format", ROOT / "CITATION.cff"),
]


def run(tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of the environment that the tests run in, or else of the caller's."""
    found = shutil.which(tool, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert found, f"{tool} is missing: pip install '.[dev]'"
    return subprocess.run([found, *arguments], capture_output=True, encoding="utf-8")


def test_there_are_workflows_and_forms() -> None:
    assert [path.stem for path in WORKFLOWS] == ["test", "wheels"]
    assert [path.stem for path in FORMS] == ["bug", "feature", "quality"]


@pytest.mark.parametrize(("schema", "path"), SCHEMAS, ids=lambda each: getattr(each, "name", each))
def test_a_file_fits_its_schema(schema: str, path: Path) -> None:
    done = run("check-jsonschema", "--builtin-schema", schema, "--force-filetype", "yaml", str(path))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_uses_what_cannot_change_under_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n" in text
    used = re.findall(r"uses: (.+)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", each) for each in used), used


@pytest.mark.parametrize("name", [".github/workflows/test.yml", "pyproject.toml", "Makefile"])
def test_what_is_run_and_tested_is_there(name: str) -> None:
    named = re.findall(r"\b(?:release|tests)/[\w/.-]*\w", (ROOT / name).read_text(encoding="utf-8"))
    assert named
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no hadolint for Windows")
def test_the_dockerfile_has_no_faults() -> None:
    done = run("hadolint", "--no-color", str(ROOT / "Dockerfile"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_container_is_given_all_that_a_build_reads() -> None:
    given = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    assert given == {"CMakeLists.txt", "LICENSE", "README.md", "kernel", "pyproject.toml", "src"}
    assert all((ROOT / name).exists() for name in given)
