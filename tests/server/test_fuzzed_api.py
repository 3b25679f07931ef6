"""Whatever its own description allows is answered, and whatever it does not is refused, in the promised shapes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from running import Running, running

from calque.model import Model

pytest.importorskip("schemathesis")

TOOL = Path(sys.executable).with_name("schemathesis")


def fuzz(server: Running, folder: Path, *options: str) -> str:
    """What Schemathesis prints, if every answer was as described; in a folder of its own, where it leaves things."""
    command = [str(TOOL), "run", f"{server.url}/openapi.json", "--checks", "all", "--max-examples", "40", "--no-color"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Operations:       9 selected / 9 total" in done.stdout
    return done.stdout


def test_every_answer_is_as_described(server: Running, tmp_path: Path) -> None:
    fuzz(server, tmp_path)
    assert "Traceback" not in "".join(server.log)


def test_with_a_token_too(fluent_model: Model, tmp_path: Path) -> None:
    with running("--model", fluent_model.path, environment={"CALQUE_TOKEN": "s3cret"}) as server:
        fuzz(server, tmp_path, "--header", "Authorization: Bearer s3cret", "--max-examples", "5")
