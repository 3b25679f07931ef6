"""Before the command line is there to explain what goes wrong, it ends in the same words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# An import that the command line begins with is not to end well.
COMMAND = """
import sys
class Failing:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise {problem}
sys.meta_path.insert(0, Failing())
from calque.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("problem", "code", "told"),
    [("KeyboardInterrupt", 130, "error: interrupted"), ("MemoryError", 1, "error: not enough memory")],
)
def test_what_comes_between_while_it_is_imported_ends_without_a_traceback(problem: str, code: int, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND.format(problem=problem), "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (code, "", told)
    assert "Traceback" not in done.stderr


def test_python_runs_the_package_as_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "calque", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("calque ")
    failed = subprocess.run([sys.executable, "-m", "calque", "trian"], capture_output=True, text=True)
    assert (failed.returncode, failed.stderr.splitlines()[0]) == (2, "error: calque has no command 'trian'")


def test_the_command_that_is_installed_starts_there() -> None:
    described = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.scripts]\ncalque = "calque.__main__:main"\n' in described
