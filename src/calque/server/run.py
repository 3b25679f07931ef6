"""The server as a process, or several."""

from __future__ import annotations

import contextlib
import errno
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..extras import require
from ..temporary import temporary_folder
from .settings import SELF, ServerSettings
from .versions import require_tested

_GRACE = 20  # seconds that requests under way have to finish when the server is stopped
_OWN_ADDRESS = "--host takes an address of this machine: 127.0.0.1 for itself alone, 0.0.0.0 for the network too"
_MOST_CONNECTIONS = 4096  # of each worker
_FILES = 256  # that each worker may have open beside its connections


def serve(
    settings: ServerSettings,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    *,
    access_log: bool = False,
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serves until it is told to stop by SIGTERM or Ctrl-C; requests under way are finished.

    `started` hears the address as soon as connections wait in line, which is a moment before they are answered.

    Raises:
        UsageError: the port is in use, the address is not this machine's, or uvicorn is one that was not tested.
        ModelError: the model or the index cannot be opened.
    """
    if workers < 1:
        raise UsageError(f"workers: expected 1 or more, got {workers}")
    for module in ("uvicorn", "httptools", "msgspec", "orjson", "prometheus_client"):
        require(module, "serve", "the server")
    require_tested()
    from ..model.familiarity import warn_of_model
    from .app import create_app

    settings = among_browsers(settings, host)
    with _listening(host, port) as listener, _common_metrics(workers) as metrics:
        app = create_app(settings)  # what cannot be opened is told here once, not by each worker
        warn_of_model(app.service.model)
        started(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}")
        _run(_config(partial(_app, settings, metrics), workers, access_log), listener, workers)


def _app(settings: ServerSettings, metrics: Path | None) -> Any:
    """In the process that serves, which is a worker if there are metrics of several."""
    from .app import create_app

    if metrics is not None and (master := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_stop_after, args=(master,), daemon=True).start()
    return create_app(settings, metrics)


def _stop_after(master: Any) -> None:
    """One that was killed could not stop its workers: they would keep the port, and answer for nobody."""
    master.join()
    signal.raise_signal(signal.SIGTERM)


def among_browsers(settings: ServerSettings, host: str) -> ServerSettings:
    """On its own machine, whoever may ask without a token must call the server what it is called (access.py)."""
    if settings.hosts is None and settings.token is None and host in SELF:
        return replace(settings, hosts=())
    return settings


def _config(factory: Callable[[], Any], workers: int, access_log: bool) -> Any:
    import uvicorn

    from .protocol import Protocol

    return uvicorn.Config(
        factory,
        factory=True,
        http=Protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        workers=workers,
        access_log=access_log,
        log_config=_logging(),
        log_level="info" if access_log else "error",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_most_connections() + 1,  # reached, uvicorn refuses everybody: see Protocol
        timeout_graceful_shutdown=_GRACE,
    )


def _most_connections() -> int:
    """No more than there are file descriptors for, or one that has none left could not even open its index."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_CONNECTIONS
    wanted = _MOST_CONNECTIONS + _FILES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= allowed < wanted:  # below 0: without limit
        allowed = wanted if most < 0 else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return _MOST_CONNECTIONS if allowed < 0 else max(1, min(_MOST_CONNECTIONS, allowed - _FILES))


def _logging() -> dict[str, Any]:
    """uvicorn's, but for standard output, which is not for logs."""
    from uvicorn.config import LOGGING_CONFIG

    handlers: dict[str, Any] = LOGGING_CONFIG["handlers"]
    return {
        **LOGGING_CONFIG,
        "handlers": {name: {**each, "stream": "ext://sys.stderr"} for name, each in handlers.items()},
    }


def _run(config: Any, listener: socket.socket, workers: int) -> None:
    if workers > 1:
        from uvicorn.supervisors import Multiprocess

        Multiprocess(config, [listener]).run()
        return
    from uvicorn import Server

    # uvicorn passes the signal on when it has stopped; it is then no more than the reason to go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run([listener])


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except socket.gaierror as problem:
        raise UsageError(f"cannot listen on {host}: {problem.strerror}", hint=_OWN_ADDRESS) from problem
    except OSError as problem:
        reason = os.strerror(problem.errno or 0)
        raise UsageError(f"cannot listen on {host}, port {port}: {reason}", hint=_way_out(problem)) from problem
    with listener:
        listener.set_inheritable(True)
        yield listener


def _way_out(problem: OSError) -> str:
    if problem.errno == errno.EADDRNOTAVAIL:
        return _OWN_ADDRESS
    if problem.errno == errno.EACCES:
        return "ports below 1024 are for the administrator; try --port 8000"
    return "choose another with --port, or --port 0 for any that is free"


@contextlib.contextmanager
def _common_metrics(workers: int) -> Iterator[Path | None]:
    """A folder where workers keep their numbers, so that each can tell those of all."""
    if workers == 1:
        yield None
        return
    with temporary_folder("metrics") as folder:
        yield folder
