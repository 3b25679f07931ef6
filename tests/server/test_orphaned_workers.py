"""Workers whose master was killed, and could tell them nothing."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest
from running import Running, running, wait_for

from calque.model import Model

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc, which Linux has")


def children(server: Running) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    ]


def serves(process: int) -> bool:
    """Has the model open; not so one that has ended, though nobody may have asked for its exit code."""
    try:
        return "model.safetensors" in Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return False


def test_workers_go_when_their_master_is_killed_and_so_does_their_folder_with_the_next_server(
    fluent_model: Model, tmp_path: Path
) -> None:
    arguments, environment = ("--model", fluent_model.path, "--workers", 2), {"TMPDIR": str(tmp_path)}
    with running(*arguments, environment=environment) as server:
        wait_for(lambda: sum(map(serves, children(server))) == 2)
        workers = [child for child in children(server) if serves(child)]
        try:
            server.process.kill()
            server.process.wait()
            wait_for(lambda: not any(map(serves, workers)))
        finally:
            for worker in filter(serves, workers):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
        server.reader.join(30)
        assert "Traceback" not in "".join(server.log), "".join(server.log)
    (left,) = tmp_path.iterdir()
    with running("--port", server.port, *arguments, environment=environment) as after:  # which is free again
        assert not left.exists()
        assert after.stop() == 0
    assert list(tmp_path.iterdir()) == []
