"""Memory that runs out ends in two lines, wherever it is missed, and not in somebody else's last words."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

import calque
from calque.cli.memory import lacks_memory
from calque.errors import UsageError
from calque.threads import require_room

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]


def with_addresses(limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, preexec_fn=limited)


@pytest.mark.parametrize("megabytes", [60, 130, 180, 250])  # where Python, numpy, its BLAS and SentencePiece would fail
def test_a_command_without_the_memory_to_run_says_so(small_model: calque.Model, tmp_path: Path, megabytes: int) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n" * 100)
    out = tmp_path / "vectors.npy"
    encode = ["encode", "--model", str(small_model.path), str(tmp_path / "text.txt"), "-o", str(out)]
    failed = with_addresses(megabytes << 20, *encode)
    assert (failed.returncode, failed.stderr.splitlines()[0]) == (1, "error: not enough memory")
    assert {path.name for path in tmp_path.iterdir()} == {"text.txt"}


def test_room_is_told_from_none() -> None:
    require_room(2)
    with pytest.raises(MemoryError, match="no room for 2 threads"):
        require_room(2, more=1 << 60)


def test_memory_that_was_missing_for_a_library_is_no_missing_library() -> None:
    problem = UsageError("approximate search needs the package faiss")
    problem.__cause__ = ImportError("libfaiss.so: failed to map segment from shared object")
    assert lacks_memory(problem)


@pytest.mark.parametrize("problem", [ImportError("No module named faiss"), OSError(28, "No space left"), None])
def test_other_problems_are_not_taken_for_a_lack_of_memory(problem: Exception | None) -> None:
    assert not lacks_memory(problem)
