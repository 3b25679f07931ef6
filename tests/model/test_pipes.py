"""A pipe or device in place of a file of a model folder is an error: opening it would wait for ever."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from bare_tensors import write_bare
from calque.encoder import AverageEncoder, random_embeddings
from calque.errors import ModelError
from calque.model import Model, load, save
from calque.model.about import About
from calque.regular import open_regular
from calque.vocabulary import VocabularySpec, build_vocabulary

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")


@pytest.fixture
def folder(small_model: Model, tmp_path: Path) -> Path:
    return Path(shutil.copytree(str(small_model.path), tmp_path / "model"))


def refused(folder: Path, name: str) -> None:
    """Try in a thread, so that a test that waits for ever still ends."""
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    problems: list[Any] = []

    def attempt() -> None:
        try:
            load(folder)
        except Exception as problem:
            problems.append(problem)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(20)
    assert [type(problem) for problem in problems] == [ModelError]
    assert name in str(problems[0])
    assert "it is not a regular file" in str(problems[0])


@pytest.mark.parametrize("name", ["config.json", "sentencepiece.model", "model.safetensors"])
def test_a_pipe_in_a_folder_of_ours_is_refused(folder: Path, name: str) -> None:
    refused(folder, name)


def test_a_pipe_in_place_of_a_list_of_words_is_refused(tmp_path: Path) -> None:
    vocabulary = build_vocabulary(VocabularySpec("word", 20), lambda: [(None, "the dog runs")])
    save(tmp_path / "model", AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 8, seed=1)), About())
    refused(tmp_path / "model", "vocab.txt")


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "config.json"])
def test_a_pipe_in_a_folder_of_model2vec_is_refused(folder: Path, small_model: Model, name: str) -> None:
    (folder / "config.json").write_text('{"model_type": "model2vec"}')
    write_bare(folder / "model.safetensors", {"embeddings": small_model.embeddings})
    assert load(folder).dimension == small_model.dimension
    refused(folder, name)


def test_a_pipe_in_place_of_the_list_of_modules_is_refused(folder: Path) -> None:
    for name in ("config.json", "training.json"):
        (folder / name).unlink()
    refused(folder, "modules.json")


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_a_device_is_refused(path: str) -> None:
    with pytest.raises(OSError, match=r"not a regular file|No such"):
        open_regular(Path(path))
