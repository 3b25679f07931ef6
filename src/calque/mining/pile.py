"""One side of mining: the distinct sentences of a text, on disk, so that memory does not grow with them."""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import xxhash

from .. import _kernel
from ..atomic import cannot_write, write_text
from ..batches import text_batches
from ..corpus.identity import Identities, identities
from ..corpus.seen import NothingSeen, Seen
from ..errors import ModelError
from ..model import Model
from ..neighbours.nearest import Vectors
from ..regular import open_regular, read_text
from ..saved import count, get
from ..threads import resolve_threads

_SENTENCE = np.dtype([("line", np.int64), ("begin", np.int64), ("end", np.int64), ("identity", np.uint64)])
_MOST_HASHES = 1 << 25  # 256 MB: beyond, an early sentence may come twice


def nothing_seen(keep_repeats: bool) -> Seen:
    return NothingSeen() if keep_repeats else _kernel.Seen(_MOST_HASHES)


@dataclass(frozen=True)
class PileSummary:
    """What was found in a text; `fingerprint` tells its lines from any others."""

    lines: int
    blank: int
    repeated: int
    sentences: int
    dimension: int
    fingerprint: str


class Pile:
    """Sentences 0, 1, … of a text with their vectors of length 1; blank lines and repeats are not among them."""

    def __init__(self, folder: Path, name: str, summary: PileSummary) -> None:
        self.summary = summary
        self.vectors = VectorFile(folder / f"{name}.vectors", summary.sentences, summary.dimension)
        self._sentences = _mapped(folder / f"{name}.sentences", _SENTENCE)
        self._text = _mapped(folder / f"{name}.text", np.dtype(np.uint8))

    def __len__(self) -> int:
        return self.summary.sentences

    def fits(self) -> bool:
        """Whether the files hold what the summary says."""
        begin, end = self._sentences["begin"], self._sentences["end"]
        inside = len(begin) == 0 or bool((begin >= 0).all() and (begin <= end).all() and end.max() <= len(self._text))
        size = 4 * self.summary.sentences * self.summary.dimension
        return inside and len(begin) == self.summary.sentences and self.vectors.path.stat().st_size == size

    @property
    def identities(self) -> Identities:
        return np.ascontiguousarray(self._sentences["identity"])

    def line(self, sentence: int) -> int:
        """The first line that holds it, counted from 1."""
        return int(self._sentences["line"][sentence])

    def text(self, sentence: int) -> str:
        begin, end = self._sentences["begin"][sentence], self._sentences["end"][sentence]
        try:
            return self._text[begin:end].tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as problem:
            raise ModelError(
                f"{self.vectors.path.with_suffix('.text')} is damaged: {problem}",
                hint="delete the folder to begin anew",
            ) from problem


class VectorFile:
    """Rows of float32 that are read as they are sliced: mapping them would count as memory used."""

    def __init__(self, path: Path, rows: int, dimension: int) -> None:
        self.path = path
        self.rows = rows
        self.dimension = dimension

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, which: slice, /) -> Vectors:
        """
        Raises:
            OSError: some of them cannot be read; `numpy.fromfile` would give fewer, and say nothing.
        """
        begin, end, _ = which.indices(self.rows)
        vectors = np.empty((max(end - begin, 0), self.dimension), np.float32)
        left = vectors.reshape(-1).view(np.uint8).data
        with open(self.path, "rb", buffering=0) as file:
            file.seek(begin * self.dimension * vectors.itemsize)
            while left:
                read = file.readinto(left)
                if not read:
                    raise OSError(errno.EIO, "it is cut short", str(self.path))
                left = left[read:]
        return vectors


def make_pile(
    folder: Path,
    name: str,
    lines: Iterable[str],
    model: Model,
    *,
    language: str | None,
    seen: Seen,
    threads: int | None,
    watch: Callable[[int], None] = lambda lines: None,
) -> Pile:
    """Reads and encodes a text; its summary is written last, so that what has one is whole.

    What was `seen` before is left out.

    Raises:
        CalqueError: the disk is full.
    """
    writer = _Writer(model, language, seen, resolve_threads(threads))
    paths = [folder / f"{name}.{part}" for part in ("vectors", "sentences", "text")]
    try:
        with contextlib.ExitStack() as opened:
            files = [opened.enter_context(open(path, "wb")) for path in paths]
            for batch in text_batches(lines):
                writer.write(batch, *files)
                watch(writer.lines)
    except OSError as problem:
        if problem.filename is not None and Path(problem.filename) not in paths:
            raise
        raise cannot_write(folder, problem) from problem
    summary = writer.summary()
    write_text(folder / f"{name}.json", json.dumps(asdict(summary)) + "\n")
    return Pile(folder, name, summary)


def sentences_in(batch: Sequence[str]) -> list[int]:
    """The places of lines that are not blank."""
    return [at for at, line in enumerate(batch) if line and not line.isspace()]


def open_pile(folder: Path, name: str) -> Pile | None:
    """The pile that was made before, if it was wholly made and is still whole."""
    try:
        saved = json.loads(read_text(folder / f"{name}.json"))
        numbers = {each: count(saved, each) for each in ("lines", "blank", "repeated", "sentences", "dimension")}
        pile = Pile(folder, name, PileSummary(**numbers, fingerprint=get(saved, "fingerprint", str)))
        return pile if pile.fits() else None
    except (OSError, ValueError, RecursionError):
        return None


def fingerprint(lines: Iterable[str]) -> str:
    """What `PileSummary.fingerprint` would be, without the work."""
    state = xxhash.xxh3_128()
    for batch in text_batches(lines):
        state.update(_joined(batch))
    return state.hexdigest()


class _Writer:
    def __init__(self, model: Model, language: str | None, seen: Seen, threads: int) -> None:
        self.model, self.language, self.seen, self.threads = model, language, seen, threads
        self.state = xxhash.xxh3_128()
        self.lines = self.blank = self.repeated = self.sentences = self.bytes = 0

    def write(self, batch: list[str], vectors: IO[bytes], sentences: IO[bytes], text: IO[bytes]) -> None:
        self.state.update(_joined(batch))
        first = self.lines + 1
        self.lines += len(batch)
        filled = sentences_in(batch)
        self.blank += len(batch) - len(filled)
        if not filled:
            return
        known = identities([batch[at] for at in filled], self.threads)
        new = ~self.seen.add(known)
        self.repeated += int((~new).sum())
        places = np.array(filled, np.int64)[new]
        kept = [batch[at] for at in places]
        encoded = [line.encode("utf-8", "surrogatepass") for line in kept]
        rows = np.empty(len(kept), _SENTENCE)
        rows["line"], rows["identity"] = first + places, known[new]
        ends = self.bytes + np.cumsum([len(line) for line in encoded], dtype=np.int64)
        rows["begin"][:1], rows["begin"][1:], rows["end"] = self.bytes, ends[:-1], ends
        vectors.write(self.model.encode(kept, True, self.threads, self.language).reshape(-1).view(np.uint8).data)
        sentences.write(rows.tobytes())
        text.write(b"".join(encoded))
        self.bytes = int(ends[-1]) if len(ends) else self.bytes
        self.sentences += len(kept)

    def summary(self) -> PileSummary:
        return PileSummary(
            self.lines, self.blank, self.repeated, self.sentences, self.model.dimension, self.state.hexdigest()
        )


def _joined(batch: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in batch).encode("utf-8", "surrogatepass")


def _mapped(path: Path, type: np.dtype[Any]) -> npt.NDArray[Any]:
    if not path.stat().st_size:
        return np.empty(0, type)
    with open_regular(path) as file:
        return np.memmap(file, type, "r")
