"""Translations found in two piles of text that are too large for one machine, or too slow on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Pair
from ..corpus.bitext import languages_of_files
from ..corpus.expectation import Expectation, LineSample, Named, expect
from ..corpus.texts import Column
from ..errors import UsageError
from ..mining import MiningConfig, MiningReport
from ..mining.choosing import Chosen, choose, report_of
from ..mining.known_pairs import encode_known, enough_known, score_known
from ..mining.mine import doubt_of, named_languages, require_sentences
from ..mining.pile import PileSummary
from ..model import Model
from ..model.familiarity import MINING, warn_of_languages
from ..neighbours.nearest import BothWays
from ..tasks.mined_files import mined_format
from .apart import keep_apart
from .approximate import search_by_clusters
from .blocks import Block, Merge, Way, read_both
from .engine import Engine, Task
from .job import Job, Watch
from .pairs import A_PART, SCORES, Ranks, TextsOfShard, WritePart
from .piles import KeyShard, PileShard, PileShards, SampleShard
from .places import Place
from .repeats import Repeats
from .shards import Run, Shard, find_shards, runs, side_of, tasks_for

BLOCK = 1 << 20  # sentences of a side: a block is some minutes' work
_MOST = (1 << 31) - 1  # sentences of a side that neighbours can number


class ShardedMining:
    """Mines in the folder of its output: the same call goes on where another was lost."""

    def __init__(
        self,
        model: Model,
        config: MiningConfig,
        job: Job,
        block: int,
        column: Column | None,
        by_name: tuple[str | None, str | None],
    ) -> None:
        self.by_name, self.named = by_name, named_languages(config, by_name)
        self.model, self.config, self.job = model, config, job
        self.block, self.column, self.threads = block, column, config.threads or 1
        self.recall: float | None = None

    def run(
        self, source: Sequence[Shard], target: Sequence[Shard], known: list[Pair] | None, ids: bool, format: str
    ) -> MiningReport:
        one, two = (
            self._pile(name, shards, side)
            for side, (name, shards) in enumerate((("source", source), ("target", target)))
        )
        found = self._neighbours(one, two)
        scores = self._score_known(known, one, two, found)
        doubt = doubt_of(self.model, self.config, self.by_name, (one.summary, two.summary))
        chosen = choose(found, (one.identities(), two.identities()), self.config, scores, doubt)
        self._write(chosen, one, two, ids, format)
        return report_of(chosen, one.summary, two.summary, self.recall)

    def _pile(self, name: str, shards: Sequence[Shard], side: int) -> PileShards:
        """Sentences that repeat an earlier one are left out before anything is encoded."""
        tasks, repeats = tasks_for(shards), None
        if not self.config.keep_repeats:
            repeats = Repeats.among(self.job.folder(f"{name}-repeats"), [shard.size for shard in shards])
            keyed = self.job.stage(f"{name}-keys", KeyShard(repeats, self.column, self.threads), tasks)
            repeats.find(self.job, f"{name}-repeats-found")
            tasks = [task | {"sentences": each["sentences"]} for task, each in zip(tasks, keyed, strict=True)]
        language = self.config.languages[side] if self.config.languages else None
        expected = self._expected(name, tasks, repeats, self.named[side]) if self.named else None
        work = PileShard(self.model, self.job.folder(name), repeats, language, self.column, self.threads, expected)
        made = self.job.stage(f"{name}-encoded", work, tasks)
        for each in made:
            each.pop("name")
        pile = PileShards(work.folder, tuple(PileSummary(**each) for each in made))
        require_sentences(pile.summary, str(shards[0].place))
        if len(pile) > _MOST:
            raise UsageError(f"{len(pile):,} sentences on a side are more than {_MOST:,}", hint="mine parts of them")
        return pile

    def _expected(self, name: str, tasks: Sequence[Task], repeats: Repeats | None, named: Named) -> Expectation:
        """As of one file, since a sample's lines are chosen by what they say."""
        sample = LineSample()
        for each in self.job.stage(f"{name}-sampled", SampleShard(repeats, self.column, self.threads), tasks):
            sample.join(each["sample"])
        return expect(sample.lines(), named)

    def _neighbours(self, one: PileShards, two: PileShards) -> BothWays:
        blocks, merged = self.job.folder("blocks"), self.job.folder("neighbours")
        rows, columns = (runs([each.sentences for each in pile.summaries], self.block) for pile in (one, two))
        k = self.config.neighbours
        if self.config.search == "approximate":
            self.recall = search_by_clusters(
                self.job, (one, two), (rows, columns), self.config, blocks, self.job.folder("clusters"), self.threads
            )
        else:
            tasks = [
                {"name": f"{row:05d}-{column:05d}", "source": rows[row], "target": columns[column]}
                for row in range(len(rows))
                for column in range(len(columns))
            ]
            self.job.stage("blocks", Block(one, two, blocks, k, self.threads), tasks)
        self.job.stage("merged", Merge(blocks, merged, k), _merging(one, two, rows, columns))
        blocks.remove()
        return read_both(merged, {"forward": len(rows), "backward": len(columns)}, k)

    def _score_known(self, known: list[Pair] | None, one: PileShards, two: PileShards, found: BothWays) -> Any:
        if known is None:
            return None
        config = self.config
        vectors = encode_known(self.model, known, config.languages, self.threads)
        with one.vectors() as sources, two.vectors() as targets:
            return score_known(vectors, (sources, targets), found, config.margin, config.k, self.threads)

    def _write(self, chosen: Chosen, one: PileShards, two: PileShards, ids: bool, format: str) -> None:
        folder, kept = self.job.folder("pairs"), chosen.kept
        parts = max(-(-kept // A_PART), 1)
        (folder / SCORES).write(chosen.matches.score[:kept].astype(np.float32).tobytes())
        ranks = []
        for side, pile, sentences in (("source", one, chosen.matches.source), ("target", two, chosen.matches.target)):
            ranks.append(Ranks(folder, side, len(pile.summaries)))
            ranks[-1].write(pile, sentences[:kept])
            shards = [{"name": f"{shard:05d}", "shard": shard} for shard in range(len(pile.summaries))]
            self.job.stage(f"{side}-texts", TextsOfShard(pile, ranks[-1], parts), shards)
        work = WritePart(ranks[0], ranks[1], self.job.out, kept, parts, ids, format)
        self.job.stage("written", work, [{"name": f"{part:05d}", "part": part} for part in range(parts)])


def _languages_in_names(source: Sequence[str | Path], target: Sequence[str | Path]) -> tuple[str | None, str | None]:
    names = [str(paths[0]) if len(paths) == 1 else "" for paths in (source, target)]
    return languages_of_files(*names) or (None, None)


def _merging(one: PileShards, two: PileShards, rows: list[Run], columns: list[Run]) -> list[Task]:
    forward = [
        _merge("forward", row, one, rows[row], [f"{row:05d}-{column:05d}" for column in range(len(columns))])
        for row in range(len(rows))
    ]
    backward = [
        _merge("backward", column, two, columns[column], [f"{row:05d}-{column:05d}" for row in range(len(rows))])
        for column in range(len(columns))
    ]
    return forward + backward


def _merge(way: Way, number: int, pile: PileShards, chunk: Run, blocks: list[str]) -> Task:
    sentences = int(pile.begins[chunk[1]] - pile.begins[chunk[0]])
    return {"name": f"{way}-{number:05d}", "sentences": sentences, "parts": [f"{way}-{block}" for block in blocks]}


def mine_shards(
    source: Sequence[str | Path],
    target: Sequence[str | Path],
    out: str | Path,
    model: Model,
    config: MiningConfig,
    engine: Engine,
    *,
    known: Iterable[Pair] | None = None,
    ids: bool = False,
    to: str | None = None,
    block: int = BLOCK,
    column: Column | None = None,
    watch: Watch = lambda stage, done, all: None,
) -> dict[str, Any]:
    """Writes `part-00000.tsv` and so on into the folder `out`, best pairs first; joined, they are as one file's.

    `block` sentences of either side make one block of the product, the unit of work. Search is exact unless the
    configuration says approximate.

    Raises:
        UsageError: no shards, or `out` holds something else.
        CorpusError: a side without a sentence, or too few to tell a threshold from.
    """
    format = mined_format(str(out), to)
    model.require_vocabularies(config.languages or ())
    pairs = enough_known(list(known)) if known is not None else None
    job = Job(Place.of(out), engine, watch)
    sides = find_shards(source, [job.out]), find_shards(target, [job.out])
    keep_apart([job.out], [*source, *target], [*sides[0], *sides[1]])
    told = {name: value for name, value in vars(config).items() if name not in ("memory", "threads")}
    by_name = _languages_in_names(source, target)
    described = {
        "work": "mine",
        "model": model.checksum,
        "known": pairs,
        "ids": ids,
        "format": format,
        "block": block,
        "column": column,
        "others": named_languages(config, by_name),
    }
    report = job.open(described | told | {"sources": len(sides[0])}, [*sides[0], *sides[1]])
    if report is None:
        one, two = config.languages or (None, None)
        warn_of_languages(model, side_of(sides[0], one, column), side_of(sides[1], two, column), expect=MINING)
        report = ShardedMining(model, config, job, block, column, by_name).run(*sides, pairs, ids, format).as_dict()
        job.finish(report)
    return report
