"""Ten minutes of full load on `calque serve`: is every request answered, and does its memory stay as it is?

Everything that can be asked is asked, by 32 connections of wrk that wait for nothing but their answers: vectors of one
sentence and of 64, as numbers and as base64, similarities, search in an index of real text, explanations, mining, the
page and the metrics. Needs wrk.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import english, machine, print_table
from watching import Watching, at_shares, slope

import calque

SERVE = [sys.executable, "-c", "from calque.cli import main; main()", "serve", "--port", "0"]
INDEXED = 50_000  # sentences
REQUESTS = 2_000  # different ones
CONNECTIONS = 32
_LUA = """
local requests = {}
for line in io.lines("REQUESTS") do
  local method, path, body = line:match("^(%S+) (%S+) (.*)$")
  local headers = method == "POST" and {["Content-Type"] = "application/json"} or {}
  requests[#requests + 1] = wrk.format(method, path, headers, method == "POST" and body or nil)
end
local at = 0
function request()
  at = at % #requests + 1
  return requests[at]
end
"""


class Route(NamedTuple):
    name: str
    answers: int
    mean: float  # milliseconds
    within: str  # milliseconds that 99 of 100 took at most, as near as the buckets tell


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--workers", type=int, default=1, help="of calque serve, which has one unless told")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("skipped: wrk is not there (apt install wrk)")
    texts = english("europarl.en-es", INDEXED)
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calque.Index.build(iter(texts), folder / "index", calque.load())
        script = written(folder, texts)
        with serving(folder / "index", options.workers) as (process, address):
            begun = time.monotonic()
            with Watching(process.pid, lambda: time.monotonic() - begun) as watching:
                told = press(address, script, options.seconds)
            metrics = fetched(f"{address}/metrics")
        if process.returncode != 0:
            sys.exit(f"calque serve ended with {process.returncode}")
    requests, failed = counted(told)
    refused = not_answered(metrics)
    samples = [each for each in watching.samples if each.seconds <= options.seconds]
    print_table(
        f"`calque serve --workers {options.workers}`, everything at once, {CONNECTIONS} connections",
        ["minutes", "requests", "requests/s", "errors", "median, ms", "p99, ms", "MB at 1 %", "10 %", "50 %", "100 %",
         "MB more each minute"],
        [[f"{options.seconds / 60:g}", f"{requests:,}", f"{requests / options.seconds:,.0f}", str(failed + refused),
          latency(told, 50), latency(told, 99), *at_shares(samples, options.seconds), slope(samples, 60)]],
    )  # fmt: skip
    print_table(
        "The same by what was asked, as the server counts",
        ["", "answers", "mean, ms", "99 of 100 within, ms"],
        [[route.name, f"{route.answers:,}", f"{route.mean:.2f}", route.within] for route in routes(metrics)],
    )
    if failed or refused:
        sys.exit("something was not answered")


def written(folder: Path, texts: list[str]) -> Path:
    """The requests in an order by chance, and the script that sends them in turn."""
    chance = random.Random(1)
    lines = [request(texts, chance) for _ in range(REQUESTS)]
    (folder / "requests.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    script = folder / "requests.lua"
    script.write_text(_LUA.replace("REQUESTS", str(folder / "requests.txt")))
    return script


def request(texts: list[str], chance: random.Random) -> str:
    some = chance.sample(texts, 64)
    kinds: list[tuple[int, str, object]] = [
        (400, "/v1/embeddings", {"input": some[0]}),
        (200, "/v1/embeddings", {"input": some[0], "encoding_format": "base64"}),
        (100, "/v1/embeddings", {"input": some}),
        (100, "/v1/similarity", {"first": some[:8], "second": some[8:16]}),
        (100, "/v1/search", {"query": some[0], "k": 10}),
        (50, "/v1/explain", {"first": some[0][:500], "second": some[1][:500]}),
        (2, "/v1/mine", {"source": some[:32], "target": some[32:]}),
        (20, "/v1/models", None),
        (20, "/health", None),
        (5, "/metrics", None),
        (3, "/", None),
    ]
    (_, path, message), = chance.choices(kinds, [kind[0] for kind in kinds])  # fmt: skip
    return f"GET {path} " if message is None else f"POST {path} {json.dumps(message)}"


@contextlib.contextmanager
def serving(index: Path, workers: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address; it has ended by itself when the context has."""
    command = [*SERVE, "--index", str(index), "--workers", str(workers)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"serves at (http://\S+)", process.stderr.readline())
        if found is None:
            sys.exit("the server did not start")
        fetched(f"{found[1]}/health")
        time.sleep(8 * (workers - 1))  # nothing tells when the last one is ready
        yield process, found[1]
        process.terminate()
        if said := process.communicate(timeout=60)[1]:
            sys.exit(f"the server said:\n{said}")
    finally:
        process.kill()
        process.wait()


def press(address: str, script: Path, seconds: int) -> str:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s", str(script)]
    return subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout


def fetched(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:  # nosec B310 # our own server
        text: str = answer.read().decode()
        return text


def counted(told: str) -> tuple[int, int]:
    """Requests that wrk sent, and those that failed."""
    failed = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", told)))
    failed += sum(sum(map(int, re.findall(r"\d+", line))) for line in re.findall(r"Socket errors: (.*)", told))
    return int(re.findall(r"(\d+) requests in", told)[0]), failed


def latency(told: str, share: int) -> str:
    value, unit = re.findall(rf"{share}%\s+([\d.]+)(us|ms|s)", told)[0]
    return f"{float(value) * {'us': 1e-3, 'ms': 1, 's': 1e3}[unit]:.1f}"


def not_answered(metrics: str) -> int:
    """What the server itself counts as anything but an answer, without those that wrk left when its time was over."""
    found = re.findall(r'calque_requests_total\{route="[^"]+",status="(\w+)"\} ([\d.e+]+)', metrics)
    return int(sum(float(count) for status, count in found if status not in ("200", "disconnected")))


def routes(metrics: str) -> list[Route]:
    made = []
    for name in dict.fromkeys(re.findall(r'calque_request_seconds_count\{route="([^"]+)"', metrics)):
        chosen = re.escape(f'route="{name}"')
        count = float(re.findall(rf"calque_request_seconds_count\{{{chosen}\}} (\S+)", metrics)[0])
        total = float(re.findall(rf"calque_request_seconds_sum\{{{chosen}\}} (\S+)", metrics)[0])
        buckets = re.findall(r'calque_request_seconds_bucket\{le="([^"]+)",' + chosen + r"\} (\S+)", metrics)
        within = next(bound for bound, below in buckets if float(below) >= 0.99 * count)
        shown = "more" if within == "+Inf" else f"{float(within) * 1e3:g}"
        made.append(Route(name, int(count), total / count * 1e3, shown))
    return made


if __name__ == "__main__":
    main()
