"""A job's folder: what is done stays done, and what it was not begun with is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from losing import Losing, Lost

import calque
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Here, Receipt, Task, receipt_of, tried
from calque.cluster.job import Job
from calque.cluster.mine import mine_shards
from calque.cluster.places import Place
from calque.cluster.shards import find_shards, runs
from calque.errors import CalqueError, CorpusError, Stopped, UsageError
from calque.mining import MiningConfig
from shards import cut, joined


def test_a_job_goes_on_where_it_was_lost(small_model: calque.Model, english: list[str], tmp_path: Path) -> None:
    shards = cut(english, tmp_path / "shards", ".txt")
    encode_shards(small_model, [shards], tmp_path / "undisturbed", Here())
    out = tmp_path / "out"
    with pytest.raises(Lost):
        encode_shards(small_model, [shards], out, Losing(2))
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    (out / ".part-00002.npy.1234.unfinished").mkdir()  # as whoever is killed leaves it
    assert len(before) == 2
    seen: list[tuple[int, int]] = []
    encode_shards(small_model, [shards], out, Here(), watch=lambda stage, done, all: seen.append((done, all)))
    assert seen[0] == (2, 4)
    assert joined(out) == joined(tmp_path / "undisturbed")
    assert before.items() <= {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}.items()
    assert sorted(path.name for path in out.iterdir()) == ["_job", *(f"part-{part:05d}.npy" for part in range(4))]


def test_a_job_that_is_interrupted_says_how_to_go_on(
    small_model: calque.Model, english: list[str], tmp_path: Path
) -> None:
    shards = cut(english, tmp_path / "shards", ".txt")

    def interrupt(stage: str, done: int, all: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Stopped, match="stopped after 3 of 4 tasks") as stopped:
        encode_shards(small_model, [shards], tmp_path / "out", Here(), watch=interrupt)
    assert (stopped.value.exit_code, stopped.value.hint) == (130, "the same command goes on")
    assert encode_shards(small_model, [shards], tmp_path / "out", Here())["lines"] == len(english)


def test_a_finished_job_is_not_done_again(small_model: calque.Model, english: list[str], tmp_path: Path) -> None:
    shards = cut(english, tmp_path / "shards", ".txt")
    report = encode_shards(small_model, [shards], tmp_path / "out", Here())
    assert encode_shards(small_model, [shards], tmp_path / "out", Losing(0)) == report


def test_another_job_in_the_folder_is_refused(small_model: calque.Model, english: list[str], tmp_path: Path) -> None:
    shards = cut(english, tmp_path / "shards", ".txt")
    encode_shards(small_model, [shards], tmp_path / "out", Here())
    with pytest.raises(UsageError, match="begun with another normalize"):
        encode_shards(small_model, [shards], tmp_path / "out", Here(), normalize=True)
    (shards / "shard-0.txt").write_text("Something else.\n")
    with pytest.raises(UsageError, match="its files have changed"):
        encode_shards(small_model, [shards], tmp_path / "out", Here())


def test_a_folder_with_something_else_is_refused(small_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("A line.\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("Mine.\n")
    with pytest.raises(UsageError, match="holds something else"):
        encode_shards(small_model, [tmp_path / "text"], tmp_path / "mine", Here())
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["precious"]


def test_a_task_s_error_names_the_file_and_the_line(small_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"fine\nnot \xff fine\n")
    with pytest.raises(CorpusError, match="broken, line 2: not UTF-8"):
        encode_shards(small_model, [tmp_path / "broken"], tmp_path / "out", Here())


def test_errors_come_back_from_afar_as_they_were() -> None:
    def wrong(task: Task) -> Receipt:
        raise CorpusError("file, line 3: odd", hint="mend it")

    with pytest.raises(CorpusError, match="line 3") as raised:
        receipt_of(tried(wrong, {}))
    assert raised.value.hint == "mend it"

    def full(task: Task) -> Receipt:
        raise OSError(28, "No space left on device", "/somewhere")

    with pytest.raises(CalqueError, match="/somewhere: No space left"):
        receipt_of(tried(full, {}))

    def defect(task: Task) -> Receipt:
        return {"never": 1 // 0}

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        receipt_of(tried(defect, {}))
    assert receipt_of(tried(lambda task: {"fine": 1}, {})) == {"fine": 1}


def test_receipts_are_read_again_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    job = Job(Place.of(tmp_path / "out"), Here())
    job.open({"work": "counting"}, [])
    tasks = [{"name": f"{number:05d}", "number": number} for number in (2, 0, 1)]

    def squared(task: Task) -> Receipt:
        return {"square": task["number"] ** 2}

    first = job.stage("squares", squared, tasks)
    assert [each["square"] for each in first] == [4, 0, 1]
    assert job.stage("squares", lambda task: {"square": -1}, tasks) == first
    job.finish({"squares": 3})
    assert json.loads((tmp_path / "out" / "_job" / "report.json").read_text()) == {"squares": 3}


def test_shards_are_files_folders_and_patterns_in_order(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/1.txt", "b/_hidden", "b/.hidden", "b/_temporary/0.txt", "a.txt", "c-1.txt", "c-2.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(name)
    found = find_shards([tmp_path / "b", tmp_path / "a.txt", tmp_path / "c-*.txt"])
    names = [str(Path(shard.place.address).relative_to(tmp_path)) for shard in found]
    assert names == ["b/1.txt", "b/2.txt", "a.txt", "c-1.txt", "c-2.txt"]
    for path, message in (("nowhere.txt", "no such file"), ("d-*", "no file there"), ("-", "many machines")):
        with pytest.raises(UsageError, match=message):
            find_shards([path if path == "-" else tmp_path / path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no file there"):
        find_shards([tmp_path / "empty"])


def test_runs_of_shards_are_as_large_as_they_may_be() -> None:
    assert runs([5, 5, 5], 10) == [(0, 2), (2, 3)]
    assert runs([50, 1], 10) == [(0, 1), (1, 2)]
    assert runs([0, 0], 10) == [(0, 2)]
    assert runs([], 10) == []


@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_mining_goes_on_from_whichever_stage_it_was_lost_in(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path, search: str
) -> None:
    if search == "approximate":
        pytest.importorskip("faiss")
    sides = [cut(english, tmp_path / "en", ".txt")], [cut(spanish, tmp_path / "es", ".txt")]
    config = MiningConfig(search=search)  # type: ignore[arg-type]
    stages: list[str] = []
    block = 60 if search == "exact" else 160  # clusters take longer to make

    def mine(out: str, engine: Any, watch: Any = lambda stage, done, all: None) -> bytes:
        mine_shards(*sides, tmp_path / out, fluent_model, config, engine, block=block, watch=watch)
        return joined(tmp_path / out)

    undisturbed = mine("undisturbed", Here(), lambda stage, done, all: stages.append(stage) if all > 1 else None)
    own = [stage for stage in stages if search == "exact" or stage.endswith(("-clusters", "-found"))]
    assert own
    for stage in dict.fromkeys(own):
        with pytest.raises(Lost):
            mine(stage, Losing(stage=stage))
        assert mine(stage, Here()) == undisturbed
