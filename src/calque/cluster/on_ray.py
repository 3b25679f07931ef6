"""Ray as the engine: tasks go to whoever is free, and are repeated when a worker or a machine is lost.

Plain tasks, not Ray Data: nothing but names and receipts travels through Ray, so there is nothing for it to stream, and
a stage of Ray Data starts workers of its own, six seconds against a hundredth of one (two cores).
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import CalqueError, UsageError
from ..extras import require
from ..threads import resolve_threads
from .engine import Receipt, Task, Work, receipt_of, tried

_AHEAD = 4  # tasks asked for, for each worker: enough that none waits, few enough that an error is soon heard of
_TOLD = 400  # characters of what Ray says
_PATIENCE = 10.0  # seconds
_ATTEMPTS = 10  # more than machines fail by chance, so that a task that ends every worker comes to an end
_OBJECTS = 256 << 20  # bytes for what travels through a cluster of our own: a model


class OnRay:
    """A cluster that is reached, or started, when it is needed; `threads` cores for each task."""

    def __init__(self, address: str | None, threads: int) -> None:
        self._address = address
        self._threads = threads
        self._begun = False

    def start(self) -> None:
        ray = _module()
        if not ray.is_initialized():
            self._reach(ray)
        # A cluster without any core may be one that grows.
        most = max((int(each["Resources"].get("CPU", 0)) for each in ray.nodes() if each["Alive"]), default=0)
        if 0 < most < self._threads:
            raise UsageError(f"no machine has {self._threads} cores for a task", hint=f"--threads {most}")

    def _reach(self, ray: Any) -> None:
        _require_somebody(self._address)
        if not self._address:
            _have_a_token()
        own = {"address": "local", "include_dashboard": False, "object_store_memory": _OBJECTS}
        options: dict[str, Any] = {"address": self._address} if self._address else own
        try:
            with _own_signals(), _quiet() if self._address else contextlib.nullcontext():
                ray.init(**options, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, ImportError, ValueError, RuntimeError, ray.exceptions.RayError) as problem:
            raise _no_cluster(self._address or "this machine", problem) from problem
        self._begun = True

    def run(self, work: Work, tasks: Iterable[Task]) -> Iterator[Receipt]:
        """After an error, what was asked for ends with the driver.

        It is not cancelled: where a task is done at that very moment, Ray would end this process.
        """
        self.start()  # a job that goes on has not
        ray = _module()
        kept = [ray.put(work)]  # in a list, so that Ray leaves it to the worker to fetch it
        remote = ray.remote(num_cpus=self._threads, max_retries=_ATTEMPTS)(_done)
        left = iter(tasks)
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)) // self._threads)
        waiting = [remote.remote(kept, task) for task in islice(left, _AHEAD * workers)]
        try:
            while waiting:
                done, waiting = ray.wait(waiting)
                for told in ray.get(done):
                    yield receipt_of(told)
                waiting += [remote.remote(kept, task) for task in islice(left, len(done))]
        except ray.exceptions.RayError as problem:
            raise _failed(problem) from problem

    def close(self) -> None:
        """Leaves the cluster, or ends it if it was started here."""
        if self._begun:
            _module().shutdown()


_at_hand: dict[str, Work] = {}


def _done(kept: list[Any], task: Task) -> Receipt:
    """In a worker, which does many tasks of one work: it opens that, and the model in it, once."""
    key = kept[0].hex()
    if key not in _at_hand:
        import ray

        _at_hand.clear()
        _at_hand[key] = ray.get(kept[0])
    return tried(_at_hand[key], task)


@contextlib.contextmanager
def on_ray(address: str | None = None, threads: int | None = None) -> Iterator[OnRay]:
    """A running cluster at an address, or `auto`, or one of this machine's cores that goes with the block.

    Raises:
        UsageError: Ray is not installed, or there are to be fewer threads than one.
    """
    _module()
    engine = OnRay(address, 1 if threads is None else resolve_threads(threads))
    try:
        yield engine
    finally:
        engine.close()


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Ray would end the process at SIGTERM, with a trace of its own; a job that is stopped says how it goes on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Ray's native part tells of each attempt to reach a cluster; the last becomes an error of ours."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _module() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # no advice on GPUs, which nothing here uses
    return require("ray", "cluster", "the engine ray")


def _have_a_token() -> None:
    """Whoever has none would be given one by Ray, in a file of the home folder, and two that start at once would write
    over each other's. One in the environment is for this process and its cluster alone.
    """
    kept = os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token"
    if not os.path.exists(kept):
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _require_somebody(address: str | None) -> None:
    """Ray itself would go on asking for minutes.

    Raises:
        UsageError: nobody listens there.
    """
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except (OSError, UnicodeError) as problem:  # which is what a name that cannot be one gives
            raise _no_cluster(str(address), problem) from problem


def _failed(problem: Exception) -> CalqueError:
    """What Ray says of a worker that died too often, or could not open its work."""
    told = " ".join(str(problem).split())
    return CalqueError(
        f"a task fails on every worker: {type(problem).__name__}: {told[:_TOLD]}",
        hint="is the same Calque on all machines? Smaller shards, or a smaller --block, need less memory; "
        "the same command goes on",
    )


def _no_cluster(address: str, problem: Exception) -> UsageError:
    return UsageError(
        f"no Ray cluster at {address}: {str(problem).splitlines()[0]}",
        hint="HOST:PORT of one that `ray start --head` has started, or auto; if it wants a token: RAY_AUTH_MODE=token, "
        "and the token in RAY_AUTH_TOKEN or ~/.ray/auth_token; without --address, this machine is the cluster",
    )
