"""Runs that are stopped, repeated, or repeated with something changed: nothing is done twice, nothing is mixed up."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import shelf
from shelf import Everything

from calque.errors import CalqueError, Stopped
from calque.paper.reproduce import reproduce
from calque.paper.scale import SCALES
from calque.tasks.train import Watcher
from calque.training import Progress

ALL_OF_TABLE3 = 7  # trainings
LONGER = replace(shelf.TINY, epochs=40)
PATCH = f"from calque.paper.scale import SCALES, Scale; SCALES[{shelf.SCALE!r}] = {LONGER!r}\n"


def run(data: Path, out: Path, name: str = "table3", scale: str = shelf.SCALE) -> list[str]:
    """What it says."""
    said: list[str] = []
    for _ in reproduce(name, data, out, scale=scale, say=said.append):
        pass
    return said


def start(data: Path, out: Path, name: str) -> subprocess.Popen[str]:
    arguments = ["reproduce", name, "--data", str(data), "--out", str(out), "--scale", shelf.SCALE]
    command = [sys.executable, "-c", PATCH + shelf.MAIN, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    while process.poll() is None and not happened():
        time.sleep(0.002)
    assert process.poll() is None, process.communicate()


def second_training_runs(out: Path) -> bool:
    return any("pairs" in log.read_text() for log in out.glob("models/table3-sp-40k-paper-*/training.jsonl"))


def outcome(out: Path, name: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
    return described


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Data, and table 3 of it with more epochs, undisturbed."""
    folder = tmp_path_factory.mktemp("longer")
    data = shelf.build(folder / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCALES, shelf.SCALE, LONGER)
        run(data, folder / "out")
    return data, folder / "out"


def test_a_killed_run_goes_on_and_ends_the_same(longer: tuple[Path, Path], tmp_path: Path) -> None:
    data, undisturbed = longer
    out = tmp_path / "out"
    process = start(data, out, "table3")
    wait_for(process, lambda: second_training_runs(out))
    process.kill()
    process.communicate()
    (done,) = out.glob("scores/*.json")
    finished_at = done.stat().st_mtime_ns
    assert not (out / "table3.json").exists()

    again = start(data, out, "table3")
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert done.stat().st_mtime_ns == finished_at
    assert "table3 sp-20k paper en-de" not in said, "it was finished"
    assert "table3 sp-40k paper en-de: going on, training 2 of 7\n" in said
    assert "table3 sp-20k calque en-de: training 3 of 7, " in said
    assert (out / "table3.json").read_bytes() == (undisturbed / "table3.json").read_bytes()
    assert (out / "table3.md").read_bytes() == (undisturbed / "table3.md").read_bytes()
    assert list((out / "models").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_training_ends_with_a_hint(
    longer: tuple[Path, Path], tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    process = start(longer[0], out, "table3")
    wait_for(process, lambda: any(out.glob("models/*/training.jsonl")))
    process.send_signal(number)
    printed, said = process.communicate()
    assert (process.returncode, printed) == (130, "")
    assert said.endswith("error: stopped; what is done is kept\n\nhint: the same command goes on\n")
    assert not (out / "table3.md").exists()


def test_ctrl_c_outside_training_ends_with_the_same_hint(longer: tuple[Path, Path], tmp_path: Path) -> None:
    slow = "import time\nfrom calque.paper import table3\n"
    slow += "table3.bucc = lambda *_: (print(end='measuring', flush=True), time.sleep(60))\n"
    arguments = ["reproduce", "table3", "--data", str(longer[0]), "--out", str(tmp_path / "out"), "--scale", "tiny"]
    process = subprocess.Popen(
        [sys.executable, "-c", shelf.PATCH + slow + shelf.MAIN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.read(9) == "measuring"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.endswith("error: stopped; what is done is kept\n\nhint: the same command goes on\n")


def test_models_selected_on_a_development_set_survive_a_stop(everything: Everything, tmp_path: Path) -> None:
    stopped = "languages en-de prefixed"

    def watcher(name: str) -> Watcher:
        def stop(now: Progress) -> None:
            if name == stopped:
                os.kill(os.getpid(), signal.SIGINT)

        return Watcher(progress=stop)

    out = tmp_path / "out"
    with pytest.raises(Stopped):
        next(reproduce("table5", everything.data, out, scale=shelf.SCALE, watcher=watcher))
    said = run(everything.data, out, "table5")
    assert said[0] == f"{stopped}: going on, training 2 of 6"
    assert len(said) == 5, "one was finished"
    assert (out / "table5.json").read_bytes() == (everything.out / "table5.json").read_bytes()


def test_a_finished_run_is_only_printed_again(everything: Everything) -> None:
    before = {path: path.stat().st_mtime_ns for path in (everything.out / "scores").iterdir()}
    written = everything.markdown("table2")
    for name in ("table2", "table4", "table5"):
        assert run(everything.data, everything.out, name) == []
    assert {path: path.stat().st_mtime_ns for path in (everything.out / "scores").iterdir()} == before
    assert everything.markdown("table2") == written


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", "3", '{"cosine": 5}', '{"cosine": {"value": "x"}}', '{"cosine": {"cake": 1}}', "\xff"],
)
def test_a_damaged_score_is_an_error_that_names_the_file(everything: Everything, tmp_path: Path, content: str) -> None:
    out = tmp_path / "out"
    shutil.copytree(everything.out, out)
    path = next((out / "scores").glob("table3*"))
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CalqueError, match="does not hold scores") as problem:
        run(everything.data, out)
    assert str(path) in problem.value.message
    assert "delete it" in str(problem.value.hint)
    path.unlink()
    assert len(run(everything.data, out)) == 1
    assert outcome(out, "table3") == everything.json("table3")


def shorten(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-100]), encoding="utf-8")


def test_a_changed_bitext_is_another_experiment(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(data, out)
    first = outcome(out, "table3")
    shorten(data / "bitext" / "europarl.en-de.tsv")
    assert len(run(data, out)) == ALL_OF_TABLE3
    second = outcome(out, "table3")
    assert second != first
    run(data, tmp_path / "fresh")
    assert outcome(tmp_path / "fresh", "table3") == second, "an old sample was used"


def test_a_changed_evaluation_set_is_another_score(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(data, out)
    gold = data / "eval" / "bucc" / "de-en" / "de-en.sample.gold"
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:10]))
    assert len(run(data, out)) == ALL_OF_TABLE3
    run(data, tmp_path / "fresh")
    assert outcome(tmp_path / "fresh", "table3") == outcome(out, "table3")


def test_a_changed_development_set_is_another_model(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert len(run(data, out, "table5")) == 6
    shelf.graded(data / "eval" / "sts17" / "track5.en-en.tsv", "en", "en", seed="other")
    assert len(run(data, out, "table5")) == 6


def test_scales_in_one_folder_are_kept_apart(
    everything: Everything, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "less", replace(shelf.TINY, name="less", pairs=150))
    out = tmp_path / "out"
    run(everything.data, out, scale="less")
    less = outcome(out, "table3")
    assert len(run(everything.data, out)) == ALL_OF_TABLE3
    assert outcome(out, "table3") == everything.json("table3")
    assert run(everything.data, out, scale="less") == []
    assert outcome(out, "table3") == less
    assert "|data:europarl.en-de:150|" in less["rows"][1]["ours"]["en-de"]["signature"]


def test_what_a_kill_left_behind_is_cleared_away(everything: Everything, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(everything.out, out)
    first, second, *_ = sorted(path.name.partition(".bucc")[0] for path in (out / "scores").glob("table3*"))
    half_deleted, barely_begun = out / "models" / first, out / "models" / second
    for folder in (half_deleted, barely_begun):
        folder.mkdir()
        (folder / "sentencepiece.model").write_bytes(b"half")
    (half_deleted / "config.json").write_text("{}")
    next((out / "scores").glob(f"{second}*")).unlink()
    unfinished = [
        out / "scores" / ".x.json.k1ll3d.unfinished",
        next((out / "corpora").iterdir()) / ".y.k1ll3d.unfinished",
    ]
    for path in unfinished:
        path.write_text("half")
    assert len(run(everything.data, out)) == 1
    assert outcome(out, "table3") == everything.json("table3")
    assert list((out / "models").iterdir()) == []
    assert not any(path.exists() for path in unfinished)


def test_models_of_somebody_else_in_the_same_place_are_left_alone(everything: Everything, tmp_path: Path) -> None:
    mine = tmp_path / "out" / "models" / "mine" / "weights.bin"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    (tmp_path / "out" / "models" / "notes.txt").write_text("about them")
    run(everything.data, tmp_path / "out")
    assert mine.read_text() == "years of work"
