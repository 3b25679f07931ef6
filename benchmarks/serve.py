"""Requests a second and the slowest of a hundred, against the same model behind sentence-transformers and FastAPI.

Needs wrk. Each server has all cores, of which wrk takes its share; what is printed is each at its better number of
workers. Then, half a minute of full load with malformed requests mixed in: is anything lost or wrong?
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import english, machine, print_table, shorten_normaliser
from serve_load import check, counted

import calque

CALQUE = str(Path(sys.executable).with_name("calque"))
BATCH = 64
BODIES = 500  # different ones


class Load(NamedTuple):
    rate: float  # requests a second
    p99: float  # milliseconds
    failed: int  # answers other than 200, and connections that broke
    total: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of each run")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--only-load", action="store_true", help="no peers: just the 30 seconds of full load")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("skipped: wrk is not there (apt install wrk)")
    texts = english("europarl.en-de", BODIES * BATCH)
    with tempfile.TemporaryDirectory() as folder:
        calque.export(to="sentence-transformers", out=Path(folder) / "model")
        shorten_normaliser(Path(folder) / "model")
        print(machine())
        if not options.only_load:
            compare(Path(folder), texts, options.seconds, options.connections)
        full_load(Path(folder), texts[:2000])


def compare(folder: Path, texts: list[str], seconds: int, connections: int) -> None:
    scripts = {(size, form): lua(folder, texts, size, form) for size in (1, BATCH) for form in ("float", "base64")}
    measured = {
        (name, workers): measure(server(name, workers, folder), scripts, seconds, connections)
        for workers in (1, 2)
        for name in ("calque", "plain", "tuned")
    }
    for size, form in scripts:
        best = {
            name: max((measured[name, workers][size, form] for workers in (1, 2)), key=lambda load: load.rate)
            for name in ("calque", "plain", "tuned")
        }
        rows = [
            [LABELS[name], f"{load.rate:,.0f}", f"{load.rate * size:,.0f}", f"{load.p99:,.1f}", str(load.failed),
             f"{best['calque'].rate / load.rate:.1f}×"]
            for name, load in best.items()
        ]  # fmt: skip
        title = f"{'One sentence' if size == 1 else f'{size} sentences'} a request, {form}, {connections} connections"
        print_table(title, ["", "requests/s", "sentences/s", "p99, ms", "failed", "calque is faster by"], rows)
    print_table(
        "Requests/s by workers, one sentence, float",
        ["", "1 worker", "2 workers"],
        [
            [LABELS[name], *(f"{measured[name, workers][1, 'float'].rate:,.0f}" for workers in (1, 2))]
            for name in LABELS
        ],
    )


LABELS = {
    "calque": "calque serve",
    "plain": "sentence-transformers + FastAPI",
    "tuned": "… with orjson, tuned",
}


def measure(
    running: contextlib.AbstractContextManager[int],
    scripts: dict[tuple[int, str], Path],
    seconds: int,
    connections: int,
) -> dict[tuple[int, str], Load]:
    with running as port:
        found = {}
        for kind, script in scripts.items():
            wrk(port, script, 2, connections)  # so that all words have been met
            found[kind] = wrk(port, script, seconds, connections)
        return found


@contextlib.contextmanager
def server(name: str, workers: int, folder: Path) -> Iterator[int]:
    """Its port. The peer's threads and workers make up the cores together."""
    port = free_port()
    model = str(folder / "model")
    if name == "calque":
        command = [CALQUE, "serve", "--model", model, "--port", str(port), "--workers", str(workers)]
    else:
        command = [sys.executable, "-m", "uvicorn", f"serve_peer:{name}", "--port", str(port)]
        command += ["--workers", str(workers), "--log-level", "warning", "--no-access-log"]
    environment = {**os.environ, "PEER_MODEL": model, "PEER_THREADS": str(max(1, (os.cpu_count() or 1) // workers))}
    process = subprocess.Popen(command, cwd=Path(__file__).parent, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, workers)
        yield port
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def wait_for(port: int, workers: int) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60)  # nosec B310 # our own server
            time.sleep(8 * (workers - 1))  # nothing tells when the last one is ready
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


def lua(folder: Path, texts: list[str], size: int, form: str) -> Path:
    """A script that sends each of the requests in turn."""
    requests = [texts[at : at + size] for at in range(0, BODIES * size, size)]
    bodies = [json.dumps({"input": some[0] if size == 1 else some, "encoding_format": form}) for some in requests]
    (folder / f"{size}-{form}.txt").write_text("\n".join(bodies), encoding="utf-8")
    path = folder / f"{size}-{form}.lua"
    path.write_text(
        f'local bodies = {{}}\nfor line in io.lines("{folder}/{size}-{form}.txt") do bodies[#bodies + 1] = line end\n'
        'local headers = {["Content-Type"] = "application/json"}\n'
        "local at = 0\n"
        "function request()\n"
        "  at = at % #bodies + 1\n"
        '  return wrk.format("POST", "/v1/embeddings", headers, bodies[at])\n'
        "end\n"
    )
    return path


def wrk(port: int, script: Path, seconds: int, connections: int) -> Load:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency", "-s", str(script)]
    told = subprocess.run([*command, f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True).stdout
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", told).groups()  # type: ignore[union-attr]
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])  # type: ignore[index]
    total = int(re.search(r"(\d+) requests in", told)[1])  # type: ignore[index]
    failed = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", told)))
    failed += sum(sum(map(int, re.findall(r"\d+", line))) for line in re.findall(r"Socket errors: (.*)", told))
    return Load(rate, float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit], failed, total)


def full_load(folder: Path, texts: list[str], seconds: int = 30) -> None:
    """Is anything lost or wrong?"""
    model = calque.load(folder / "model")
    script = lua(folder, texts * (BODIES * BATCH // len(texts) + 1), 1, "float")
    with server("calque", 2, folder) as port:
        pressing = subprocess.Popen(
            ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", str(script), f"http://127.0.0.1:{port}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        tally = asyncio.run(check(port, model, texts, seconds))
        told, _ = pressing.communicate()
        time.sleep(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as metrics:  # nosec B310 # our own server
            seen = counted(metrics.read().decode())
    pressed = int(re.search(r"(\d+) requests in", told)[1])  # type: ignore[index]
    rows = [[status, f"{tally.sent[status]:,}", f"{seen[status]:,}"] for status in sorted(seen | tally.sent)]
    print_table(f"{seconds} s of full load", ["status", "sent by clients that check", "counted by the server"], rows)
    extra = seen["200"] - tally.sent["200"] - pressed
    print(f"\nwrk: {pressed:,} answers, all 200: {'Non-2xx' not in told and 'Socket errors' not in told}; "
          f"answers under way when it stopped: {extra}")  # fmt: skip
    print(f"wrong answers: {len(tally.wrong)}")
    for problem in tally.wrong[:5]:
        print(f"  {problem}")
    if tally.wrong or any(tally.sent[status] != seen[status] for status in tally.sent if status != "200"):
        sys.exit("something was lost or wrong")


if __name__ == "__main__":
    main()
