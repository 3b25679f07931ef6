"""Vectors for a corpus in shards: a part for each, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpus.texts import Column
from ..model import Model
from ..tasks.encode import Format, encode_file
from .apart import keep_apart
from .engine import Engine, Receipt, Task
from .job import Job, Watch
from .places import Place
from .shards import find_shards, tasks_for
from .texts import column_in

ENDINGS = {"npy": "npy", "raw": "f32", "parquet": "parquet"}


@dataclass(frozen=True)
class EncodeShard:
    """A shard to a file of vectors, by the function that does it for one file."""

    model: Model
    out: Place
    format: Format
    normalize: bool
    language: str | None
    column: Column | None
    threads: int

    def __call__(self, task: Task) -> Receipt:
        part = f"part-{task['name']}.{ENDINGS[self.format]}"
        with Place(task["shard"]).fetched() as path, (self.out / part).placing() as out:
            column = column_in(path, self.column)
            lines = encode_file(
                self.model,
                path,
                out,
                format=self.format,
                normalize=self.normalize,
                threads=self.threads,
                language=self.language,
                column=column,
            )
        return {"part": part, "lines": lines}


def encode_shards(
    model: Model,
    paths: Sequence[str | Path],
    out: str | Path,
    engine: Engine,
    *,
    format: Format = "npy",
    normalize: bool = False,
    language: str | None = None,
    column: Column | None = None,
    threads: int = 1,
    watch: Watch = lambda stage, done, all: None,
) -> Receipt:
    """Writes `part-00000.npy` and so on into the folder `out`; joined, they are what one file would have given.

    Raises:
        UsageError: no shards, or `out` holds something else.
    """
    model.require_languages([language] if language else ())
    job = Job(Place.of(out), engine, watch)
    shards = find_shards(paths, [job.out])
    keep_apart([job.out], paths, shards)
    options = {"format": format, "normalize": normalize, "language": language, "column": column}
    report = job.open({"work": "encode", "model": model.checksum} | options, shards)
    if report is None:
        work = EncodeShard(model, job.out, format, normalize, language, column, threads)
        parts = job.stage("encode", work, tasks_for(shards))
        report = {"parts": len(parts), "lines": sum(part["lines"] for part in parts), "dimension": model.dimension}
        job.finish(report)
    return report
