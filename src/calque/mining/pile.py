"""One side of mining: the distinct sentences of a text, on disk, so that memory does not grow with them."""

from __future__ import annotations

import contextlib
import errno
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import xxhash

from .. import _kernel
from ..atomic import cannot_write, write_text
from ..batches import text_batches
from ..corpus.expectation import Expectation, LineSample, Named, expect
from ..corpus.identity import Identities, identities
from ..corpus.seen import NothingSeen, Seen
from ..errors import ModelError
from ..model import Model
from ..neighbours.nearest import Vectors
from ..regular import open_regular, read_text
from ..saved import count, get, optional
from ..threads import resolve_threads

_SENTENCE = np.dtype([("line", np.int64), ("begin", np.int64), ("end", np.int64), ("identity", np.uint64)])
_AT_ONCE = 1 << 15  # sentences whose language is looked at, and that are moved
_MOST_HASHES = 1 << 25  # 256 MB: beyond, an early sentence may come twice


def nothing_seen(keep_repeats: bool) -> Seen:
    return NothingSeen() if keep_repeats else _kernel.Seen(_MOST_HASHES)


@dataclass(frozen=True)
class PileSummary:
    """What was found in a text; `fingerprint` tells its lines from any others.

    Sentences in other languages than the one `expected` are counted in `others`, and are not among `sentences`. Where
    there are so many of them that they stay, `mixed` has their shares, and nothing is expected.
    """

    lines: int
    blank: int
    repeated: int
    sentences: int
    dimension: int
    fingerprint: str
    expected: str | None = None
    others: dict[str, int] = field(default_factory=dict)
    mixed: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """What a report says of it."""
        return {
            "lines": self.lines,
            "blank": self.blank,
            "repeated": self.repeated,
            "sentences": self.sentences,
            "language": self.expected,
            "other_languages": self.others,
            "mixed_languages": self.mixed,
        }


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
    expected: Named | Expectation | None = None,
    watch: Callable[[int], None] = lambda lines: None,
) -> Pile:
    """Reads and encodes a text; its summary is written last, so that what has one is whole.

    What was `seen` before is left out, and so are sentences in another language than the one `expected`; None keeps
    them.

    Raises:
        CalqueError: the disk is full.
    """
    sample = LineSample() if isinstance(expected, Named) else None
    writer = _Writer(model, language, seen, resolve_threads(threads), sample)
    paths = [folder / f"{name}.{part}" for part in ("vectors", "sentences", "text")]
    try:
        with contextlib.ExitStack() as opened:
            files = [opened.enter_context(open(path, "wb")) for path in paths]
            for batch in text_batches(lines):
                writer.write(batch, *files)
                watch(writer.lines)
        summary = writer.summary()
        if isinstance(expected, Named):
            expected = expect(writer.sample.lines() if writer.sample else [], expected)
        if expected is not None:
            summary = leave_out_others(paths, summary, expected)
    except OSError as problem:
        if problem.filename is not None and Path(problem.filename) not in paths:
            raise
        raise cannot_write(folder, problem) from problem
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
        summary = PileSummary(
            **numbers,
            fingerprint=get(saved, "fingerprint", str),
            expected=optional(saved, "expected", str),
            others=get(saved, "others", dict),
            mixed=get(saved, "mixed", dict),
        )
        pile = Pile(folder, name, summary)
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
    def __init__(self, model: Model, language: str | None, seen: Seen, threads: int, sample: LineSample | None) -> None:
        self.model, self.language, self.seen, self.threads, self.sample = model, language, seen, threads, sample
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
        if self.sample is not None:
            self.sample.add(kept, known[new])
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


def leave_out_others(paths: Sequence[Path], summary: PileSummary, expected: Expectation) -> PileSummary:
    """Takes sentences in other languages out of a pile's files of vectors and sentences, which has no summary yet."""
    vectors, sentences, text = paths
    rows, found = _mapped(sentences, _SENTENCE), _mapped(text, np.dtype(np.uint8))
    others: dict[int, str] = {}
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        begin, end = some["begin"].astype(np.int64), some["end"].astype(np.int64)
        there = found[begin[0] : end[-1]]
        others |= {first + at: name for at, name in expected.others(there, begin - begin[0], end - begin[0]).items()}
    summary = replace(summary, expected=expected.language, mixed=expected.mixed)
    if not others:
        return summary
    left_out = np.array(sorted(others), np.int64)
    _take_out(vectors, np.dtype((np.float32, summary.dimension)), left_out)
    _take_out(sentences, _SENTENCE, left_out)
    counts = dict(Counter(others.values()).most_common())
    return replace(summary, sentences=summary.sentences - len(left_out), others=counts)


def _take_out(path: Path, type: np.dtype[Any], left_out: npt.NDArray[np.int64]) -> None:
    """Moves the rows that stay to the front of their file, and cuts off its end."""
    rows = path.stat().st_size // type.itemsize
    with open(path, "r+b", buffering=0) as file:
        place = int(left_out[0]) * type.itemsize
        for first in range(int(left_out[0]), rows, _AT_ONCE):
            file.seek(first * type.itemsize)
            some = np.frombuffer(_read(file, min(_AT_ONCE, rows - first) * type.itemsize), np.uint8)
            begin, end = np.searchsorted(left_out, [first, first + _AT_ONCE])
            kept = np.delete(some.reshape(-1, type.itemsize), left_out[begin:end] - first, axis=0)
            file.seek(place)
            _write(file, kept.tobytes())
            place += kept.size
        file.truncate(place)


def _read(file: IO[bytes], size: int) -> bytes:
    parts = []
    while size and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(file: IO[bytes], content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]


def _joined(batch: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in batch).encode("utf-8", "surrogatepass")


def _mapped(path: Path, type: np.dtype[Any]) -> npt.NDArray[Any]:
    if not path.stat().st_size:
        return np.empty(0, type)
    with open_regular(path) as file:
        return np.memmap(file, type, "r")
