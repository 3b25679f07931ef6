"""A process ends as it was told to, although daemon threads are still encoding."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import calque
from bare_tensors import write_bare

AGAIN = """
import itertools, threading, time
import calque

model = calque.load({folder!r})
model.encode(["dog", "cat"])
count = itertools.count()
"""

# Each is done over and over by three threads; without care, one of them soon asks for Python's lock too late.
WORK = {
    "known words": "model.encode(['dog cat'] * 2000, threads=2)",
    "one sentence": "model.encode(['dog'], threads=1)",
    "new words": "model.encode([f'dog{next(count)}' for _ in range(50)], threads=1)",
    "search": "index.search(['dog'], k=2, threads=2)",
}

END = """
def work():
    started.add(threading.get_ident())
    while True:
        {work}

started = set()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
while len(started) < 3:
    time.sleep(0.01)
time.sleep(0.1)
print("done", flush=True)
"""


def ends_well(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("what", WORK)
def test_a_process_ends_while_its_threads_work(small_model: calque.Model, tmp_path: Path, what: str) -> None:
    begin = AGAIN.format(folder=str(small_model.path))
    if what == "search":
        calque.Index.build([f"dog {at}" for at in range(3000)], tmp_path / "index", small_model)
        begin += f"index = calque.Index.open({str(tmp_path / 'index')!r}, model)\n"
    for _ in range(3):
        ends_well(begin + END.format(work=WORK[what]))


def test_a_process_ends_while_its_threads_cut_words_by_another_library(
    small_model: calque.Model, tmp_path: Path
) -> None:
    folder = shutil.copytree(str(small_model.path), tmp_path / "model")
    (tmp_path / "model" / "config.json").write_text('{"model_type": "model2vec"}')
    rows = small_model.embeddings
    write_bare(tmp_path / "model" / "model.safetensors", {"embeddings": rows})
    for _ in range(3):
        ends_well(AGAIN.format(folder=str(folder)) + END.format(work=WORK["new words"]))


# C's own atexit functions run when Python has shut down, and give a thread time to come back.
LATE = """
import ctypes
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
libc.__cxa_atexit(ctypes.cast(libc.usleep, ctypes.c_void_p), ctypes.c_void_p(500_000), None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="by a function of glibc's")
def test_a_thread_that_is_done_after_the_interpreter_waits_for_the_end(small_model: calque.Model) -> None:
    work = "model.encode(['dog cat'] * 100_000, threads=1)"
    ends_well(AGAIN.format(folder=str(small_model.path)) + LATE + END.format(work=work))


@pytest.mark.skipif(sys.platform != "linux", reason="by a function of glibc's")
def test_a_process_ends_while_its_threads_open_vocabularies(small_model: calque.Model) -> None:
    begin = (
        AGAIN.format(folder=str(small_model.path))
        + "from calque.vocabulary.sentencepiece import SentencePieceVocabulary\ncontent = model.vocabulary.model\n"
    )
    for _ in range(3):
        ends_well(begin + LATE + END.format(work="SentencePieceVocabulary(content)"))
