"""Requests a second and the slowest of a hundred, against the same model behind sentence-transformers and FastAPI.

Needs wrk. Each server has all cores, of which wrk takes its share; what is printed is each at its better number of
workers. Each load is put on a server that has just been started and warmed up with other sentences than those of the
load, which lasts no longer than there are new sentences to send. Then, half a minute of full load with malformed
requests mixed in: is anything lost or wrong?
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
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
CHECKED = 2000  # sentences
WARM_UP = 500 * BATCH  # sentences, in the load of no server


class Load(NamedTuple):
    rate: float  # requests a second
    p99: float  # milliseconds
    failed: int  # answers other than 200, and connections that broke
    total: int


class Bodies(NamedTuple):
    """Requests of one kind in a script that sends each of them in turn."""

    script: Path
    count: int


class Kind(NamedTuple):
    size: int  # sentences a request
    form: str  # of the numbers


KINDS = [Kind(size, form) for size in (1, BATCH) for form in ("float", "base64")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of each run, at the most")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--only-load", action="store_true", help="no peers: just the 30 seconds of full load")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("skipped: wrk is not there (apt install wrk)")
    texts = distinct_english()
    with tempfile.TemporaryDirectory() as folder:
        calque.export(to="sentence-transformers", out=Path(folder) / "model")
        shorten_normaliser(Path(folder) / "model")
        print(machine())
        if not options.only_load:
            compare(Path(folder), texts, options.seconds, options.connections)
        full_load(Path(folder), texts)


def distinct_english() -> list[str]:
    """Some 900,000 sentences of Europarl, each once."""
    every = (text for language in ("de", "es", "fr") for text in english(f"europarl.en-{language}", 1_000_000))
    return list(dict.fromkeys(every))


def compare(folder: Path, texts: list[str], seconds: int, connections: int) -> None:
    warm = {kind: bodies(folder, "warm", texts[:WARM_UP], kind) for kind in KINDS}
    load = {kind: bodies(folder, "load", texts[WARM_UP:], kind) for kind in KINDS}
    measured = {
        (name, workers, kind): measure(server(name, workers, folder), warm[kind], load[kind], seconds, connections)
        for workers in (1, 2)
        for name in LABELS
        for kind in KINDS
    }
    for kind in KINDS:
        best = {
            name: max((measured[name, workers, kind] for workers in (1, 2)), key=lambda found: found.rate)
            for name in LABELS
        }
        rows = [
            [LABELS[name], f"{found.rate:,.0f}", f"{found.rate * kind.size:,.0f}", f"{found.p99:,.1f}",
             str(found.failed), f"{best['calque'].rate / found.rate:.1f}×"]
            for name, found in best.items()
        ]  # fmt: skip
        sentences = "One sentence" if kind.size == 1 else f"{kind.size} sentences"
        title = f"{sentences} a request, {kind.form}, {connections} connections"
        print_table(title, ["", "requests/s", "sentences/s", "p99, ms", "failed", "calque is faster by"], rows)
        most = max(found.total for (_, _, other), found in measured.items() if other == kind) / load[kind].count
        told = "once" if most <= 1 else f"{math.ceil(most)} times"
        print(f"\nNo server was sent a sentence more than {told}.")
    one = Kind(1, "float")
    print_table(
        "Requests/s by workers, one sentence, float",
        ["", "1 worker", "2 workers"],
        [[LABELS[name], *(f"{measured[name, workers, one].rate:,.0f}" for workers in (1, 2))] for name in LABELS],
    )


LABELS = {
    "calque": "calque serve",
    "plain": "sentence-transformers + FastAPI",
    "tuned": "… with orjson, tuned",
}


def measure(
    running: contextlib.AbstractContextManager[int], warm: Bodies, load: Bodies, seconds: int, connections: int
) -> Load:
    with running as port:
        rate = wrk(port, warm.script, 2, connections).rate
        return wrk(port, load.script, max(1, min(seconds, int(load.count / rate))), connections)


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


def bodies(folder: Path, name: str, texts: list[str], kind: Kind) -> Bodies:
    """As many requests as the texts suffice for, and at most some minutes' worth."""
    count = min(len(texts) // kind.size, 200_000)
    stem = f"{name}-{kind.size}-{kind.form}"
    with (folder / f"{stem}.txt").open("w", encoding="utf-8") as file:
        for at in range(count):
            some = texts[at * kind.size : (at + 1) * kind.size]
            asked = {"input": some[0] if kind.size == 1 else some, "encoding_format": kind.form}
            file.write(json.dumps(asked) + "\n")
    script = folder / f"{stem}.lua"
    script.write_text(
        f'local bodies = {{}}\nfor line in io.lines("{folder}/{stem}.txt") do bodies[#bodies + 1] = line end\n'
        'local headers = {["Content-Type"] = "application/json"}\n'
        "local at = 0\n"
        "function request()\n"
        "  at = at % #bodies + 1\n"
        '  return wrk.format("POST", "/v1/embeddings", headers, bodies[at])\n'
        "end\n"
    )
    return Bodies(script, count)


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
    """Is anything lost or wrong? The clients that check send some sentences, and wrk all others."""
    model = calque.load(folder / "model")
    checked, others = texts[:CHECKED], texts[CHECKED:]
    script = bodies(folder, "full", others, Kind(1, "float")).script
    with server("calque", 2, folder) as port:
        pressing = subprocess.Popen(
            ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", str(script), f"http://127.0.0.1:{port}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        tally = asyncio.run(check(port, model, checked, seconds))
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
