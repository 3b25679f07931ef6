"""How the costs of mining grow: encoding, exact and approximate search by one core, at several sizes.

scale.py [--sizes N N N N] [--blocks N N N] [--recall R]

Europarl's English and Spanish, the model in the box, the cluster's own tasks one after the other in this process.
Then clusters over blocks that are larger than those piles, English of six bitexts, asked by some Spanish sentences.
Seconds are the processor's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from common import bitext_path, machine, print_table

import calque
from calque.cluster.engine import Here
from calque.cluster.mine import mine_shards
from calque.corpus import find_bitexts
from calque.mining import MiningConfig
from calque.neighbours.approximate import Approximate

SIZES = (32_768, 65_536, 131_072, 262_144)
BLOCKS = (262_144, 524_288, 1_048_576)
LANGUAGES = ("es", "de", "fr", "it", "pt", "nl")
QUERIES = 8_192
SHARDS = 4

ENCODING = (
    "source-keys",
    "source-repeats-found",
    "source-encoded",
    "target-keys",
    "target-repeats-found",
    "target-encoded",
)
EXACT = ("blocks",)
FITTING = ("forward-clusters", "backward-clusters")
ASKING = ("forward-found", "backward-found")


@dataclass
class Watched:
    """Seconds of each stage, and what lies in the job's folder when the pairs are chosen."""

    state: Path
    seconds: dict[str, float] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    last: float = field(default_factory=time.process_time)

    def __call__(self, stage: str, done: int, all: int) -> None:
        now = time.process_time()
        if done == 0:
            self.seconds.setdefault("choosing", 0.0)
            if stage == "source-texts":
                self.seconds["choosing"] += now - self.last
                for folder in (self.state / "data").iterdir():
                    self.bytes[folder.name] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        else:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.last
        self.last = time.process_time()

    def of(self, stages: tuple[str, ...]) -> float:
        return sum(self.seconds.get(stage, 0.0) for stage in stages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--blocks", type=int, nargs="*", default=BLOCKS)
    parser.add_argument("--recall", type=float, default=0.85)
    options = parser.parse_args()
    print(machine(), flush=True)
    model = calque.load()
    rows = [measured(model, size, options.recall) for size in options.sizes]
    print_table(
        f"One core, recall {options.recall}",
        [
            *("sentences", "encode a line (µs)", "a cosine (ns)", "fit a vector (µs)", "ask (µs)", "choose (µs)"),
            *("neighbours found", "pairs found"),
        ],
        [
            [
                f"{row['sentences']:,}",
                *(f"{row[name]:.3g}" for name in ("encode", "cosine", "fit", "ask", "choose")),
                f"{row['recall']:.1%}",
                f"{row['pairs']:.1%}",
            ]
            for row in rows
        ],
    )
    print(json.dumps(rows))
    if options.blocks:
        ask_blocks(model, options.blocks, options.recall)


def ask_blocks(model: calque.Model, sizes: list[int], recall: float) -> None:
    """What clusters over a block cost to make and to ask."""
    texts = english_of_all(max(sizes))
    block = model.encode(texts, normalize=True, threads=1)
    (bitext,) = find_bitexts([str(bitext_path("europarl.en-es"))])
    queries = model.encode([pair.target for pair in islice(bitext.pairs(), QUERIES)], normalize=True, threads=1)
    rows = []
    for size in sizes:
        begun = time.process_time()
        made = Approximate.fit(block[:size], k=8, target=recall, queries=queries, threads=1)
        fitted = time.process_time()
        made.search(queries, 8, threads=1)
        asked = time.process_time()
        rows.append(
            [
                f"{min(size, len(block)):,}",
                f"{made.recall.share:.1%}",
                f"{made.recall.probes} of {made.recall.clusters:,}",
                f"{1e6 * (fitted - begun) / min(size, len(block)):.3g}",
                f"{1e6 * (asked - fitted) / len(queries):.3g}",
            ]
        )
    print_table(
        f"Clusters over a block, {len(queries):,} queries",
        ["vectors", "neighbours found", "clusters looked into", "fit a vector (µs)", "ask (µs)"],
        rows,
    )


def english_of_all(most: int) -> list[str]:
    """Each sentence once."""
    found: dict[str, None] = {}
    for language in LANGUAGES:
        (bitext,) = find_bitexts([str(bitext_path(f"europarl.en-{language}"))])
        for pair in bitext.pairs():
            found[pair.source] = None
            if len(found) == most:
                return list(found)
    return list(found)


def measured(model: calque.Model, size: int, recall: float) -> dict[str, Any]:
    """Costs of `size` sentences on each side, for one of them (or for one cosine) on one core."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = write_shards(folder, size)
        exact, _ = mined(model, sides, folder / "exact", MiningConfig(search="exact"), size)
        chosen = MiningConfig(search="approximate", recall=recall)
        most, report = mined(model, sides, folder / "approximate", chosen, size)
        expected, found = (pairs_in(folder / search) for search in ("exact", "approximate"))
    sentences = report["source"]["sentences"] + report["target"]["sentences"]
    cosines = report["source"]["sentences"] * report["target"]["sentences"]
    lines = report["source"]["lines"] + report["target"]["lines"]
    return {
        "sentences": sentences // 2,
        "encode": 1e6 * exact.of(ENCODING) / lines,
        "cosine": 1e9 * exact.of(EXACT) / cosines,
        "fit": 1e6 * most.of(FITTING) / sentences,
        "ask": 1e6 * most.of(ASKING) / sentences,
        "choose": 1e6 * exact.seconds["choosing"] / sentences,
        "recall": report["search_recall"],
        "pairs": len(expected & found) / len(expected),
        "seconds": {"encode": exact.of(ENCODING), "exact": exact.of(EXACT), "approximate": most.of(FITTING + ASKING)},
        "bytes": {name: each / sentences for name, each in most.bytes.items()},
    }


def mined(
    model: calque.Model, sides: list[Path], out: Path, config: MiningConfig, size: int
) -> tuple[Watched, dict[str, Any]]:
    watched = Watched(out / "_job")
    config = replace(config, threshold="auto", threads=1, memory=8 << 30)
    report = mine_shards([sides[0]], [sides[1]], out, model, config, Here(), block=size, watch=watched)
    print(
        f"{size:,} {config.search}: " + ", ".join(f"{stage} {each:.1f}" for stage, each in watched.seconds.items()),
        flush=True,
    )
    return watched, report


def pairs_in(out: Path) -> set[str]:
    """Without their scores."""
    return {line.partition("\t")[2] for part in out.glob("part-*") for line in calque.read_lines(part)}


def write_shards(folder: Path, size: int) -> list[Path]:
    (bitext,) = find_bitexts([str(bitext_path("europarl.en-es"))])
    pairs = list(islice(bitext.pairs(), size))
    sides = []
    for side, language in enumerate(("en", "es")):
        (folder / language).mkdir()
        for shard, part in enumerate(np.array_split(np.arange(len(pairs)), SHARDS)):
            text = "".join(f"{pairs[at][side]}\n" for at in part)
            (folder / language / f"{shard}.txt").write_text(text, encoding="utf-8")
        sides.append(folder / language)
    return sides


if __name__ == "__main__":
    main()
