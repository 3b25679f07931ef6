"""Whatever reads bytes from elsewhere takes them or says what is wrong with them, in bounded time and memory.

A few hundred damaged samples for each reader; `make fuzz` tries for as long as one likes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GROUPS = sorted(path.stem for path in (HERE / "targets").glob("*.py") if path.stem != "__init__")
NEEDED = {"corpora": ("pyarrow", "django"), "indexes": ("faiss",), "models": ("torch",), "server": ("uvicorn",)}


@pytest.mark.parametrize("group", GROUPS)
def test_damaged_input_is_read_or_refused(group: str, tmp_path: Path) -> None:
    for package in NEEDED.get(group, ()):
        pytest.importorskip(package)
    command = [sys.executable, str(HERE / "run.py"), group, "--seconds", "0.2", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    log = (tmp_path / f"{group}.log").read_text(errors="replace")[-4000:]
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{log}"
    tried = dict(re.findall(r"^(\S+): ([\d,]+) tried, ", done.stdout, re.MULTILINE))
    assert set(tried) == targets_of(group)
    assert [name for name, times in tried.items() if times == "0"] == []


def targets_of(group: str) -> set[str]:
    """In a process of its own, as run.py has them: targets are found by names that tests have for other things."""
    code = f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]\nfrom targets.{group} import TARGETS\n"
    listed = subprocess.run(
        [sys.executable, "-c", f"{code}print(*TARGETS)"], check=True, capture_output=True, text=True
    )
    return set(listed.stdout.split())


def test_what_escapes_is_a_finding_and_its_input_is_kept(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]\n"
        "from pathlib import Path; from hunt import Trying, hunt; from target import Trial\n"
        f"folder = Path({str(tmp_path)!r}); trying = Trying(folder / 'trying')\n"
        "said = hunt('odd', Trial([b'good'], lambda content: 1 // (content == b'good')), 0.1, 1, trying, folder)\n"
        "(place,) = said['escaped']\n"
        "assert place.startswith('ZeroDivisionError hunt.py:'), place\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    (kept,) = tmp_path.glob("odd-????????")
    assert kept.read_bytes() != b"good"
    assert "ZeroDivisionError" in kept.with_suffix(".txt").read_text()
