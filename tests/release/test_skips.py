"""Where everything is installed, a test that skips without leave fails the run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CONFTEST = """
from skips import Allowed, Skips

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips([Allowed("test_some.py::test_", "no such (shell|disk)", "why not")]))
"""


def run(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(TESTS / "skips.py", folder)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(f"import pytest\n{tests}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_some.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_skip_that_is_listed_and_an_expected_failure_are_fine(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "def test_a(): pytest.skip('no such shell')\ndef test_b(): pytest.xfail('no luck')\ndef test_c(): pass",
    )
    assert done.returncode == 0, done.stdout
    assert "not allowed" not in done.stdout


def test_another_skip_fails_the_run_and_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "def test_a(): pytest.skip('no such shells')\ndef test_b(): pass")
    assert done.returncode == 1
    assert "test_some.py::test_a: no such shells\n" in done.stdout
    assert "hint: " in done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "in two processes"])
def test_a_whole_file_that_skips_fails_the_run(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(tmp_path, "pytest.importorskip('no_such_package')\ndef test_a(): pass", *options)
    assert done.returncode == 1, done.stdout
    assert re.search(r"^test_some.py: could not import 'no_such_package'", done.stdout, re.MULTILINE), done.stdout


def test_a_run_that_ends_otherwise_keeps_its_code(tmp_path: Path) -> None:
    done = run(tmp_path, "def test_a(): pytest.skip('no such shells')\ndef test_b(): pytest.exit('enough', 4)")
    assert done.returncode == 4
