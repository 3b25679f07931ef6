"""A real cluster of several processes: the same bytes, whoever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import calque
from calque.cli import main
from calque.cluster.dedup import dedup_shards
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Engine, Here, Receipt, Task
from calque.cluster.filter import filter_shards
from calque.cluster.mine import mine_shards
from calque.cluster.on_ray import on_ray
from calque.errors import CalqueError, CorpusError, UsageError
from calque.mining import MiningConfig
from calque.tasks.dedup import Options
from shards import cut, joined

ray = pytest.importorskip("ray")

CALQUE = [sys.executable, "-c", "from calque.cli import main; main()"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Engine]:
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
    with on_ray() as engine:
        yield engine
    ray.shutdown()


@pytest.fixture
def long_text(english: list[str], tmp_path: Path) -> Path:
    """Eight shards, each some tenths of a second's work."""
    folder = tmp_path / "long"
    folder.mkdir()
    for shard in range(8):
        lines = (f"{number} {line}\n" for number in range(100 * shard, 100 * shard + 100) for line in english)
        (folder / f"{shard}.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def workers() -> list[int]:
    """The processes of this one's own cluster that do tasks, or wait for some; their names are Ray's."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "cmdline").read_bytes()
            if name.startswith((b"ray::_done", b"ray::IDLE")) and parent(parent(int(folder.name))) == os.getpid():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


class KillingAll:
    """Ends all workers after the first task of each of these stages."""

    def __init__(self, *stages: str) -> None:
        self.stages, self.killed = stages, set[str]()

    def __call__(self, stage: str, done: int, all: int) -> None:
        if done == 1 and stage in self.stages and stage not in self.killed:
            for process in workers():
                os.kill(process, signal.SIGKILL)
                self.killed.add(stage)


def test_a_worker_that_is_killed_costs_time_and_nothing_else(
    cluster: Engine, small_model: calque.Model, long_text: Path, tmp_path: Path
) -> None:
    encode_shards(small_model, [long_text], tmp_path / "undisturbed", Here())
    killing = KillingAll("encode")
    report = encode_shards(small_model, [long_text], tmp_path / "out", cluster, watch=killing)
    assert killing.killed
    assert report["parts"] == 8
    assert joined(tmp_path / "out") == joined(tmp_path / "undisturbed")
    assert not list((tmp_path / "out").glob(".*"))


def test_a_driver_that_is_killed_is_followed_by_one_that_goes_on(
    cluster: Engine, small_model: calque.Model, long_text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    address = ray.get_runtime_context().gcs_address
    command = [*CALQUE, "encode", str(long_text), "--model", str(small_model.path)]
    command += ["--engine", "ray", "--address", address, "--threads", "2", "-o", str(out)]
    driver = subprocess.Popen(command, stderr=subprocess.PIPE)
    while driver.poll() is None and len(list(out.glob("_job/encode/*.json"))) < 2:
        time.sleep(0.005)
    driver.kill()
    assert driver.wait() == -signal.SIGKILL, driver.stderr and driver.stderr.read()
    done = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    kept = len(list(out.glob("_job/encode/*.json")))
    assert 2 <= kept < 8
    main(command[len(CALQUE) :])
    encode_shards(small_model, [long_text], tmp_path / "undisturbed", Here())
    assert joined(out) == joined(tmp_path / "undisturbed")
    again = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    assert sum(again[name] == time for name, time in done.items()) >= 2
    assert not list(out.glob(".*"))


def test_mining_comes_to_the_same_whoever_is_killed(
    cluster: Engine, fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    sides = [cut(english, tmp_path / "en", ".txt")], [cut(spanish, tmp_path / "es", ".txt")]
    killing = KillingAll("source-encoded", "blocks", "target-texts")
    mine_shards(*sides, tmp_path / "here", fluent_model, MiningConfig(), Here(), block=60)
    mine_shards(*sides, tmp_path / "there", fluent_model, MiningConfig(), cluster, block=60, watch=killing)
    assert killing.killed == {*killing.stages}
    assert joined(tmp_path / "there") == joined(tmp_path / "here") != b""


def test_filtering_and_dropping_duplicates_come_to_the_same_whoever_is_killed(
    cluster: Engine, fluent_model: calque.Model, noisy: list[str], tmp_path: Path
) -> None:
    shards = [cut(noisy, tmp_path / "pairs", ".en-es.tsv")]
    killing = KillingAll("judged", "written", "units-encoded", "met")
    filter_shards(fluent_model, shards, tmp_path / "kept-here", Here(), preset="light")
    filter_shards(fluent_model, shards, tmp_path / "kept-there", cluster, preset="light", watch=killing)
    dedup_shards(fluent_model, shards, tmp_path / "unique-here", Here(), Options(), block=60)
    dedup_shards(fluent_model, shards, tmp_path / "unique-there", cluster, Options(), block=60, watch=killing)
    assert killing.killed == {*killing.stages}
    for work in ("kept", "unique"):
        assert joined(tmp_path / f"{work}-there") == joined(tmp_path / f"{work}-here") != b""


def test_what_is_wrong_with_a_shard_is_told_by_the_driver(
    cluster: Engine, small_model: calque.Model, tmp_path: Path
) -> None:
    (tmp_path / "broken").write_bytes(b"fine\nnot \xff fine\n")
    with pytest.raises(CorpusError, match="broken, line 2: not UTF-8"):
        encode_shards(small_model, [tmp_path / "broken"], tmp_path / "out", cluster)


class Ending:
    """Ends whoever does it."""

    def __call__(self, task: Task) -> Receipt:
        os._exit(1)


def test_a_task_that_ends_every_worker_comes_to_an_end(cluster: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.cluster.on_ray._ATTEMPTS", 1)
    with pytest.raises(CalqueError, match="a task fails on every worker") as raised:
        list(cluster.run(Ending(), [{"name": "0"}]))
    assert raised.value.hint
    assert "the same command goes on" in raised.value.hint


def test_more_threads_than_any_machine_has(cluster: Engine) -> None:
    with on_ray(threads=3) as engine, pytest.raises(UsageError, match="no machine has 3 cores") as raised:
        engine.start()
    assert raised.value.hint == "--threads 2"


def test_no_cluster_at_an_address(small_model: calque.Model, tmp_path: Path) -> None:
    """In a process of its own: this one has a cluster."""
    (tmp_path / "text").write_text("A line.\n")
    command = [*CALQUE, "encode", str(tmp_path / "text"), "--model", str(small_model.path)]
    command += ["--engine", "ray", "--address", "127.0.0.1:1", "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "error: no Ray cluster at 127.0.0.1:1" in done.stderr
    assert "hint: " in done.stderr
    assert not (tmp_path / "out").exists()


def test_two_that_start_at_once_where_nobody_has_a_token(small_model: calque.Model, tmp_path: Path) -> None:
    """Ray alone would have each write one to the home folder, over the other's."""
    home, text = tmp_path / "home", tmp_path / "text"
    home.mkdir()
    text.write_text("A line.\n")
    without = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    command = [*CALQUE, "encode", str(text), "--model", str(small_model.path), "--engine", "ray", "-o"]
    both = [
        subprocess.Popen([*command, str(tmp_path / out)], env=without | {"HOME": str(home)}, stderr=subprocess.PIPE)
        for out in ("one", "two")
    ]
    said = [each.communicate()[1] for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    assert joined(tmp_path / "one") == joined(tmp_path / "two") != b""
    assert list(home.iterdir()) == []
