"""The site builds without a warning, and holds the help and the docstrings of everything."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import calque
from calque.cli import SUMMARIES

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    return folder


def text_of(path: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))


def test_the_help_of_every_command_is_in_it(site: Path) -> None:
    text = text_of(site / "reference/commands/index.html")
    for command in SUMMARIES:
        assert f"Usage: calque {command}" in text
    assert "Usage: calque corpus clean" in text


@pytest.mark.parametrize("name", sorted(set(calque.__all__) - {"__version__"}))
def test_every_public_name_is_in_the_reference(site: Path, name: str) -> None:
    page = (site / "reference/python/index.html").read_text(encoding="utf-8")
    assert re.search(rf'id="calque\.(?:\w+\.)*{name}"', page)


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?://', page.read_text(encoding="utf-8"))
