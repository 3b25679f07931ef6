"""Several processes behind one address."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from running import Running, running, wait_for

from calque.demo import sentences
from calque.model import Model

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc, which Linux has")


@pytest.fixture(scope="module")
def pair(fluent_model: Model) -> Iterator[Running]:
    with running("--model", fluent_model.path, "--workers", 2) as server:
        wait_for(lambda: len(workers(server)) == 2)
        yield server


def workers(server: Running) -> list[int]:
    """The processes that have the model open and answer, without the one that watches over them."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return [int(child) for child in children if maps_the_model(int(child))]


def maps_the_model(process: int) -> bool:
    try:
        return "model.safetensors" in Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return False


def ask(server: Running) -> float:
    asked = {"first": "A dog runs.", "second": "Un perro corre."}
    return float(server.post("/v1/similarity", asked).json()["similarities"][0][0])


def test_they_share_one_file_in_memory(pair: Running, fluent_model: Model) -> None:
    assert fluent_model.path is not None
    inode = os.stat(fluent_model.path / "model.safetensors").st_ino
    for worker in workers(pair):
        lines = [line.split() for line in Path(f"/proc/{worker}/maps").read_text().splitlines()]
        (mapped,) = [line for line in lines if line[-1].endswith("model.safetensors")]
        assert mapped[1].startswith("r--")
        assert int(mapped[4]) == inode


def counted(server: Running) -> float:
    lines = server.get("/metrics").text.splitlines()
    counts = [line for line in lines if line.startswith('calque_requests_total{route="/v1/similarity"')]
    return sum(float(line.split()[-1]) for line in counts)


def test_any_of_them_tells_the_metrics_of_all(pair: Running) -> None:
    before = counted(pair)
    for _ in range(20):
        ask(pair)
    assert {counted(pair) for _ in range(10)} == {before + 20}


def test_one_that_dies_is_replaced_and_nobody_notices(pair: Running, fluent_model: Model) -> None:
    expected = fluent_model.similarity("A dog runs.", "Un perro corre.")
    before, count = workers(pair), counted(pair)
    os.kill(before[0], signal.SIGKILL)
    wait_for(lambda: len(set(workers(pair)) - set(before)) == 1)
    assert [ask(pair) for _ in range(20)] == pytest.approx([expected] * 20)
    assert {counted(pair) for _ in range(10)} == {count + 20}  # what the dead one had answered is not forgotten
    assert "calque_requests_in_flight 1.0" in pair.get("/metrics").text  # this one


def test_all_stop_together_and_leave_nothing(fluent_model: Model, tmp_path: Path) -> None:
    with running("--model", fluent_model.path, "--workers", 2, environment={"TMPDIR": str(tmp_path)}) as server:
        wait_for(lambda: len(workers(server)) == 2)
        started = workers(server)
        assert server.stop() == 0
        assert not any(maps_the_model(worker) for worker in started)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_has_been_asked_is_answered_before_it_stops(fluent_model: Model, how: int, count: int) -> None:
    texts = [" ".join(sentences()["en"][at : at + 40]) for at in range(400)]
    asked = {"input": texts, "encoding_format": "float"}
    with running("--model", fluent_model.path, "--workers", count) as server:
        wait_for(lambda: count == 1 or len(workers(server)) == 2)
        got: list[httpx.Response] = []
        asking = threading.Thread(target=lambda: got.append(server.post("/v1/embeddings", asked)))
        asking.start()
        wait_for(lambda: "calque_requests_in_flight 2.0" in server.get("/metrics").text or bool(got))
        server.process.send_signal(how)
        asking.join()
        vectors = [each["embedding"] for each in got[0].json()["data"]]
        np.testing.assert_allclose(vectors, fluent_model.encode(texts, normalize=True), atol=1e-6)
        assert server.process.wait(30) == 0
