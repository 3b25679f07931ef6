"""A bitext may come through pipes with names, as a shell makes them of `<(…)`, and can be read once only then, too."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import Stopped, UsageError
from calque.tasks.train import Watcher

OPTIONS: dict[str, Any] = {"vocabulary": "word", "epochs": 2, "dimension": 8, "threads": 1}
ENGLISH = [f"dog {number % 7} runs" for number in range(300)]
SPANISH = [f"perro {number % 7} corre" for number in range(300)]
BITEXT = "".join(f"{one}\t{two}\n" for one, two in zip(ENGLISH, SPANISH, strict=True))


def pipe(path: Path, content: str) -> Path:
    """Written to once, by somebody else."""
    os.mkfifo(path)
    threading.Thread(target=path.write_text, args=(content,), daemon=True).start()
    return path


@pytest.fixture
def plain(tmp_path: Path) -> calque.Model:
    (tmp_path / "plain.en-es.tsv").write_text(BITEXT)
    return calque.train(tmp_path / "plain.en-es.tsv", tmp_path / "plain", **OPTIONS)


def test_a_named_pipe_gives_the_same_model_and_its_name_tells_the_languages(
    plain: calque.Model, tmp_path: Path
) -> None:
    piped = calque.train(pipe(tmp_path / "text.en-es.tsv", BITEXT), tmp_path / "piped", **OPTIONS)
    assert (piped.checksum, piped.languages) == (plain.checksum, ("en", "es"))
    assert {path.name for path in (tmp_path / "piped").iterdir()} == {
        path.name for path in (tmp_path / "plain").iterdir()
    }


def test_two_pipes_are_the_sides_of_a_bitext(plain: calque.Model, tmp_path: Path) -> None:
    sides = [
        pipe(tmp_path / f"text.{language}", "\n".join(lines) + "\n")
        for language, lines in (("en", ENGLISH), ("es", SPANISH))
    ]
    piped = calque.train(sides, tmp_path / "piped", **OPTIONS)
    assert (piped.checksum, piped.languages) == (plain.checksum, ("en", "es"))


def test_a_pipe_and_a_file_are_two_bitexts(plain: calque.Model, tmp_path: Path) -> None:
    other = tmp_path / "other.en-es.tsv"
    other.write_text(BITEXT)
    piped = calque.train([pipe(tmp_path / "text.en-es.tsv", BITEXT), other], tmp_path / "piped", **OPTIONS)
    assert piped.about.data == ("standard-input-1.text.en-es:300", "other.en-es:300")


def test_what_a_shell_makes_of_a_command_is_such_a_pipe(plain: calque.Model, tmp_path: Path) -> None:
    program = f"{sys.executable} -c 'from calque.cli import main; main()'"
    command = f"{program} train <(cat plain.en-es.tsv) --languages en es --out piped --vocabulary word --epochs 2"
    done = subprocess.run(
        ["bash", "-c", f"{command} --dimension 8 --threads 1"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    piped = calque.load(tmp_path / "piped")
    assert (piped.checksum, piped.about.data) == (plain.checksum, ("standard-input-1:300",))


def test_a_stopped_training_keeps_what_came_through_pipes(plain: calque.Model, tmp_path: Path) -> None:
    def stop(progress: object) -> None:
        raise Stopped("enough")

    bitext = pipe(tmp_path / "text.en-es.tsv", BITEXT)
    with pytest.raises(Stopped):
        calque.train(bitext, tmp_path / "piped", watcher=Watcher(progress=stop), **OPTIONS)
    bitext.unlink()
    (tmp_path / "piped").rename(tmp_path / "moved")
    assert calque.resume(tmp_path / "moved", threads=1).checksum == plain.checksum


def test_wrong_input_through_a_pipe_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(calque.CalqueError, match="expected 2 columns"):
        calque.train(pipe(tmp_path / "text.tsv", f"{BITEXT}one\n"), tmp_path / "model", **OPTIONS)
    assert not (tmp_path / "model").exists()


def test_a_pipe_that_is_named_twice_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "text.tsv")
    with pytest.raises(UsageError, match="can be read once only"):
        calque.train([tmp_path / "text.tsv"] * 2, tmp_path / "model", **OPTIONS)
    assert not (tmp_path / "model").exists()


def test_a_folder_that_holds_a_file_with_a_name_like_a_copy_s_is_still_refused(tmp_path: Path) -> None:
    (tmp_path / "plain.tsv").write_text(BITEXT)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "standard-input.tsv").write_text("mine")
    with pytest.raises(UsageError, match="not an empty folder"):
        calque.train(tmp_path / "plain.tsv", tmp_path / "model", **OPTIONS)
    assert (tmp_path / "model" / "standard-input.tsv").read_text() == "mine"
