"""The same result from any number of threads, and nearly the same from any instruction set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import Tiny, random_rows, random_sentences
from twins import flat

from calque import _kernel


def trained(threads: int, **settings: Any) -> Any:
    source, target = random_sentences(100, 60, seed=1), random_sentences(100, 60, seed=2)
    tiny = Tiny(random_rows(60, settings.pop("dimension", 48)), source, target, **settings)
    losses = [tiny.train(range(start, start + 50), 0.001, threads) for start in (0, 50, 20)]
    return np.append(tiny.settled(threads).ravel(), losses)


@pytest.mark.parametrize("dimension", [16, 48, 304])
@pytest.mark.parametrize("settings", [{"dropout": 0.3}, {"monolingual": True}, {"exclude_same_text": True}], ids=str)
def test_training_gives_the_same_bytes_with_any_number_of_threads(dimension: int, settings: dict[str, Any]) -> None:
    alone = trained(1, dimension=dimension, **settings)
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(trained(threads, dimension=dimension, **settings), alone)


def test_training_gives_the_same_bytes_each_time() -> None:
    np.testing.assert_array_equal(trained(2, dropout=0.3), trained(2, dropout=0.3))


def results() -> dict[str, Any]:
    """Something of everything the kernel does."""
    rows = random_rows(60, 304)
    mean = np.zeros((50, 304), np.float32)
    _kernel.mean(rows, *flat(random_sentences(50, 60, seed=3)), mean, 2)
    memory = _kernel.WordTable(304, 100, True, 1)
    words = ["a", "Bé", "sixteen-letters!", "語", "a-word-of-more-than-sixteen-bytes"]
    memory.add(words, *flat(random_sentences(len(words), 60, seed=4)), rows)
    encoded, pieces = np.zeros((2, 304), np.float32), np.zeros(2, np.uint32)
    memory.encode([" ".join(words), "A " * 200], np.arange(2, dtype=np.uint64), encoded, pieces, False, 1)
    found = _kernel.hardest(random_rows(70, 304, seed=5), random_rows(90, 304, seed=6), [], [], 2)
    return {
        "mean": mean,
        "encoded": encoded,
        "row_index": found[0],
        "row_cosine": found[1],
        "column_index": found[2],
        "column_cosine": found[3],
        "trained": trained(2),
        "trained_with_dropout": trained(2, dropout=0.3),
    }


SCRIPT = """
import sys
sys.path[:0] = sys.argv[2:]
import numpy, test_same_bytes
numpy.savez(sys.argv[1], **test_same_bytes.results())
print(test_same_bytes._kernel.target())
"""


@pytest.mark.parametrize("target", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_result(target: str, tmp_path: Path) -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "results.npz"), str(here), str(here.parent)]
    done = subprocess.run(command, env=os.environ | {"CALQUE_KERNEL": target}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if done.stdout.strip() != target:
        pytest.skip(f"this machine has no {target}")
    expected = results()
    with np.load(tmp_path / "results.npz") as found:
        for name in expected:
            tolerance = 0 if name.endswith(("index", "cosine")) else 1e-5
            np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=tolerance, err_msg=name)


ZERO_THREADS = {
    "mean": "_kernel.mean(rows, *flat([[0]]), rows[:1].copy(), 0)",
    "hardest": "_kernel.hardest(rows, rows, [], [], 0)",
    "encode": "_kernel.WordTable(16, 9, True, 1).encode(['a b'], numpy.zeros(1, 'uint64'), rows[:1].copy(), "
    "numpy.zeros(1, 'uint32'), False, 0)",
    "train": "Tiny(rows, [[0], [1]], [[2], [3]]).train([0, 1], threads=0)",
    "settle": "Tiny(rows, [[0], [1]], [[2], [3]]).settled(threads=0)",
}


@pytest.mark.parametrize("call", ZERO_THREADS)
def test_no_threads_at_all_are_no_reason_to_crash(call: str) -> None:
    script = f"""
import sys
sys.path[:0] = sys.argv[1:]
import numpy
from calque import _kernel
from tiny import Tiny, random_rows
from twins import flat
rows = random_rows(4)
try:
    {ZERO_THREADS[call]}
except ValueError:
    pass
"""
    done = subprocess.run([sys.executable, "-c", script, str(Path(__file__).parent)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
