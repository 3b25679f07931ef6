"""Full load with malformed requests mixed in: is any answer lost or wrong?

wrk keeps every core busy; beside it, clients that know what each answer must be send good and bad requests, some of
which break off. In the end the server's own count of requests must be that of all clients.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from calque.model import Model

CLIENTS = 8

BAD = [
    (400, b"{"),
    (400, b"\xff\xfe"),
    (400, b'{"input": [1, 2, 3]}'),
    (400, b'{"input": []}'),
    (400, b'{"input": "a", "dimensions": 100000}'),
    (400, b'{"inputs": "a"}'),
    (404, b'{"input": "a", "model": "no-such-model"}'),
    (413, b" " * (9 << 20)),
]


@dataclass
class Tally:
    sent: Counter[str] = field(default_factory=Counter)  # by the status that must come back
    wrong: list[str] = field(default_factory=list)


async def check(port: int, model: Model, texts: list[str], seconds: float) -> Tally:
    """Asks until the time is over."""
    expected = model.encode(texts, normalize=True)
    end = time.monotonic() + seconds
    tally = Tally()
    await asyncio.gather(*(_client(port, texts, expected, end, seed, tally) for seed in range(CLIENTS)))
    return tally


async def _client(port: int, texts: list[str], expected: np.ndarray, end: float, seed: int, tally: Tally) -> None:
    choose = random.Random(seed)
    while time.monotonic() < end:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        there = True
        for _ in range(20):
            if choose.random() < 0.3:
                status, body = choose.choice(BAD)
                await _ask(reader, writer, body, status, tally)
                if status == 413:
                    there = False  # the server hangs up after that
                    break
            else:
                which = [choose.randrange(len(texts)) for _ in range(choose.choice([1, 1, 1, 64]))]
                body = json.dumps({"input": [texts[at] for at in which]}).encode()
                answer = await _ask(reader, writer, body, 200, tally)
                got = np.float32([each["embedding"] for each in json.loads(answer)["data"]])
                if not np.array_equal(got, expected[which]):
                    tally.wrong.append(f"vectors off by {np.abs(got - expected[which]).max()}")
        if there and choose.random() < 0.5:  # leaves in the middle of a request
            writer.write(_head(100) + b'{"input": "')
            await writer.drain()
            tally.sent["disconnected"] += 1
        writer.close()


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes, status: int, tally: Tally
) -> bytes:
    tally.sent[str(status)] += 1
    writer.write(_head(len(body)) + body)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    answer = await reader.readexactly(int(length[1]))
    if int(head.split()[1]) != status:
        tally.wrong.append(f"{status} became {head.split()[1].decode()}: {answer[:200]!r}")
    return answer


def _head(length: int) -> bytes:
    return (
        "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def counted(metrics: str) -> Counter[str]:
    """What the server has counted, by status."""
    found = re.findall(r'calque_requests_total\{route="/v1/embeddings",status="(\w+)"\} ([\d.e+]+)', metrics)
    return Counter({status: int(float(count)) for status, count in found})
