"""Whatever is done again and again holds no more memory, files or threads in the end than when it had settled."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import random
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder
from calque.model import Model, load
from calque.tasks.filter import filter_file
from calque.vocabulary import VocabularySpec, build_vocabulary
from growth import steady_growth

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks into /proc, which Linux has")

MOST = 256 << 10  # bytes, in a fifth of the rounds: other work of the process may take some
ENGLISH = sentences()["en"]
WORDS = sorted({word for line in ENGLISH for word in line.split()})


def memory() -> int:
    gc.collect()
    with contextlib.suppress(AttributeError):  # other C libraries than glibc
        ctypes.CDLL(None).malloc_trim(0)  # what is lost would otherwise hide in what others have freed
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def files_and_threads() -> tuple[int, int]:
    gc.collect()
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def assert_flat(work: Callable[[], object], rounds: int, warm: int | None = None) -> None:
    for _ in range(rounds // 4 if warm is None else warm):
        work()
    before = files_and_threads()
    assert steady_growth(memory, work, rounds) < MOST
    assert files_and_threads() == before


@pytest.fixture
def chance() -> random.Random:
    return random.Random(7)


def fresh(chance: random.Random, many: int) -> list[str]:
    """Sentences that nobody has seen, of words that the model has."""
    return [" ".join(chance.choices(WORDS, k=8)) for _ in range(many)]


def unheard(chance: random.Random, many: int) -> list[str]:
    """Of words that nobody has seen."""
    return [" ".join("".join(chance.choices("abcdefgh", k=9)) for _ in range(3)) for _ in range(many)]


class Losing:
    """What loses a little each time, of which there must be a test that notices."""

    def __init__(self) -> None:
        self.kept: list[object] = []

    def memory(self) -> None:
        self.kept.append(bytearray(os.urandom(1 << 15)))

    def file(self) -> None:
        self.kept.append(open(os.devnull))  # noqa: SIM115

    def thread(self) -> None:
        stop = threading.Event()
        threading.Thread(target=stop.wait, daemon=True).start()
        self.kept.append(stop)


@pytest.mark.parametrize("what", ["memory", "file", "thread"])
def test_a_leak_would_be_noticed(what: str) -> None:
    losing = Losing()
    with pytest.raises(AssertionError):
        assert_flat(getattr(losing, what), 100)
    for each in losing.kept:
        with contextlib.suppress(AttributeError):
            each.close()  # type: ignore[attr-defined]
        with contextlib.suppress(AttributeError):
            each.set()  # type: ignore[attr-defined]


def test_encoding_the_same_texts(small_model: Model) -> None:
    assert_flat(lambda: small_model.encode(ENGLISH), 200)


def test_encoding_fresh_texts(small_model: Model, chance: random.Random) -> None:
    assert_flat(lambda: small_model.encode(fresh(chance, 500)), 100)


def test_encoding_fresh_words_when_the_table_is_full(
    small_model: Model, chance: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.encoder.average._MOST_WORDS", 500)
    encoder = AverageEncoder(small_model.vocabulary, small_model.embeddings)
    assert_flat(lambda: encoder.encode(unheard(chance, 400)), 60)


def test_encoding_a_language_under_ever_other_names() -> None:
    spec = VocabularySpec("word", 2000, "separate")
    lines = [(language, line) for language in ("en", "es") for line in sentences()[language]]
    vocabulary = build_vocabulary(spec, lambda: iter(lines))
    encoder = AverageEncoder(vocabulary, np.ones((vocabulary.size, 256), np.float32))
    names = (f"en-x-{number}" for number in count())
    assert_flat(lambda: encoder.encode(ENGLISH, language=next(names)), 40)


def test_encoding_in_threads_that_come_and_go(small_model: Model, chance: random.Random) -> None:
    def work() -> None:
        texts = fresh(chance, 100)
        threads = [threading.Thread(target=small_model.encode, args=(texts,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert_flat(work, 40)


def test_models_that_are_opened_and_forgotten(quantised_model: Model) -> None:
    def work() -> None:
        load(quantised_model.path).encode(ENGLISH[:20])

    assert_flat(work, 60)


def test_children_that_encode(small_model: Model) -> None:
    small_model.encode(ENGLISH, threads=2)

    def work() -> None:
        child = os.fork()
        if not child:
            small_model.encode(ENGLISH[:20], threads=2)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

    assert_flat(work, 10)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files are made; there are none in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def test_an_index_that_is_opened_searched_and_added_to(small_model: Model, tmp_path: Path) -> None:
    path = tmp_path / "index"
    calque.Index.build(iter(ENGLISH), path, small_model)

    def work() -> None:
        index = calque.Index.open(path, small_model)
        index.search(["A dog runs."] * 80, 5)
        index.search(["A dog runs."], 5)
        index.refresh()

    assert_flat(work, 12)
    index = calque.Index.open(path, small_model)

    def change() -> None:
        index.add(iter(["A bird sings on the roof."]))
        index.delete([index.search(["A bird sings on the roof."], 1)[0][0].id])

    assert_flat(change, 6)


@pytest.mark.usefixtures("temporary")
def test_mining(small_model: Model) -> None:
    spanish = sentences()["es"]
    assert_flat(lambda: list(calque.mine(ENGLISH, spanish, small_model)), 4, warm=1)


@pytest.mark.usefixtures("temporary")
def test_filtering_and_dropping_duplicates(small_model: Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    path, out = demo_bitext["en-es"], tmp_path / "out.tsv"
    assert_flat(lambda: filter_file(small_model, path, out, keep="50%"), 3, warm=1)
    assert_flat(lambda: calque.dedup(ENGLISH, small_model), 4, warm=1)
