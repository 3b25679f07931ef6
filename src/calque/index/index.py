"""The index as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..corpus import STDIN
from ..errors import UsageError
from ..model import Model, as_model
from ..model.familiarity import SEARCHING, Side, peeked, side_of_file, warn_of_languages
from ..threads import resolve_threads
from . import changes
from .changes import Report, Work
from .entries import Texts
from .identity import find_model
from .ranking import Hit, search
from .repeats import count_repeats
from .snapshot import Snapshot

_QUERIES = 4096  # answered together


class Index:
    """Texts in a folder that can be searched by meaning, in any language of the model.

    Examples:
        >>> index = calque.Index.build(["Un perro corre.", "Hoy llueve."], "index/")
        >>> for hit in index.search(["A dog runs."], k=1)[0]:
        ...     print(hit.id, hit.text, round(hit.score, 2))
        1 Un perro corre. 0.94

    Processes may search while another one adds or deletes; `path` is the folder.
    """

    def __init__(self, path: Path, snapshot: Snapshot, model: Model | None, usual: str | None = None) -> None:
        self.path = path
        self._snapshot = snapshot
        self._model = model
        self._usual = usual

    @classmethod
    def build(
        cls,
        texts: Texts,
        out: str | Path,
        model: Model | str | Path | None = None,
        *,
        language: str | None = None,
        approximate: bool = False,
        overwrite: bool = False,
        threads: int | None = None,
        report: Report = lambda lines: None,
    ) -> Index:
        """Indexes a file, one text a line, or texts; memory does not grow with them.

        Ids count lines or texts from 1, over all files; blank ones count but are not indexed.

        Args:
            texts: A path, or something to go through that yields texts (str) or files (`pathlib.Path`).
            out: A folder that is new or empty.
            model: A model, or its folder; without it, the one that `calque.load()` opens.
            language: That of the texts, for models with a vocabulary for each language.
            approximate: Add clusters for a faster search that misses some (needs `calque-nlp[ann]`).
            overwrite: Replace an index in `out`, which stays until the new one is whole.
            threads: As many as there are cores, unless given.
            report: Told the id that comes next, every few thousand texts.

        Raises:
            UsageError: something is there already.
            CorpusError: no text, or a file that is not UTF-8.
        """
        opened = as_model(model)
        _require(opened, language)
        texts = _looked_into(texts, opened, language)
        work = Work(opened, language, resolve_threads(threads), report)
        changes.build(Path(out), texts, work, approximate=approximate, overwrite=overwrite)
        return cls.open(out, opened)

    @classmethod
    def open(cls, path: str | Path, model: Model | str | Path | None = None, *, usual: str | None = None) -> Index:
        """Maps an index into memory. Without a model, the one it was built with is opened when it is needed.

        If that has moved, it is looked for where `usual` says, else CALQUE_MODEL, and in the box.

        Raises:
            ModelError: no index, a damaged one, or another model than it was built with.
        """
        folder = Path(path)
        snapshot = Snapshot.open(folder)
        identity = snapshot.manifest.model
        return cls(folder, snapshot, None if model is None else find_model(folder, identity, model), usual)

    @property
    def model(self) -> Model:
        """The one given, or the one that the index was built with, opened when first asked for.

        Raises:
            ModelError: it is not where it was any more.
        """
        if self._model is None:
            self._model = find_model(self.path, self._snapshot.manifest.model, None, self._usual)
        return self._model

    def search(
        self, queries: Sequence[str], k: int = 10, *, language: str | None = None, threads: int | None = None
    ) -> list[list[Hit]]:
        """For each query, the k nearest entries: score (cosine), id, text, and file and line if it came from one.

        The nearest come first; of equals, the smaller id. A query of nothing that the model knows, such as an empty
        one, finds nothing. `language` is the queries', for models with a vocabulary for each language.

        Raises:
            UsageError: one str in place of a list, or k below 1.
        """
        if isinstance(queries, str):
            raise UsageError("search takes a list of queries, got one str", hint="write search([text])")
        if k < 1:
            raise UsageError(f"k: expected 1 or more, got {k}")
        _require(self.model, language)
        if language is not None:  # one query is too little to tell its language by
            warn_of_languages(self.model, Side("the query", language), expect=SEARCHING)
        count = resolve_threads(threads)
        hits: list[list[Hit]] = []
        for begin in range(0, len(queries), _QUERIES):
            some = list(queries[begin : begin + _QUERIES])
            vectors = self.model.encode(some, normalize=True, threads=count, language=language)
            hits += search(self._snapshot, vectors, k, count)
        return hits

    def add(
        self,
        texts: Texts,
        *,
        language: str | None = None,
        threads: int | None = None,
        report: Report = lambda lines: None,
    ) -> int:
        """Adds files or texts, as `build` takes them, and returns how many entries are new; ids go on from the last.

        A text that is there already is added once more: `repeats` counts such entries.
        """
        language = language or self._snapshot.manifest.language
        _require(self.model, language)
        texts = _looked_into(texts, self.model, language)
        added = changes.add(self.path, texts, Work(self.model, language, resolve_threads(threads), report))
        self.refresh()
        return added

    def delete(self, ids: Iterable[int], *, threads: int | None = None) -> int:
        """Deletes entries and returns how many; if one is not there, none. An id is never used again.

        Raises:
            UsageError: there is no such entry.
        """
        deleted = changes.delete(self.path, list(ids), resolve_threads(threads))
        self.refresh()
        return deleted

    def ids_of(self, text: str) -> list[int]:
        """The ids of the entries with exactly this text."""
        return self._snapshot.ids_with(text)

    def repeats(self, since: int = 1) -> int:
        """The number of entries, from the id `since` on, with exactly the text of an earlier entry.

        Nothing keeps a text from being added twice, and a search then finds it twice.
        """
        return count_repeats(self._snapshot, since)

    def refresh(self) -> None:
        """Sees what others have added or deleted meanwhile; until then, an index stays as it was when opened."""
        before, self._snapshot = self._snapshot, Snapshot.open(self.path)
        if self._snapshot.manifest.model != before.manifest.model:
            self._model = None  # it was built again with another one, which is found when it is needed

    def check(self) -> None:
        """Reads all of it. Opening looks at sizes only.

        Raises:
            ModelError: something has changed since it was written.
        """
        for segment in self._snapshot.segments:
            segment.check()

    def __len__(self) -> int:
        return self._snapshot.rows - len(self._snapshot.deleted_ids)

    @property
    def next_id(self) -> int:
        """The id of the text that is added next."""
        return self._snapshot.manifest.next_id

    @property
    def recall(self) -> float | None:
        """Of approximate search: the share of the ten nearest that is found; None where search is exact."""
        shares = [
            (segment.entry.recall if segment.entry.recall is not None else 1.0, len(segment))
            for segment in self._snapshot.segments
        ]
        if all(segment.entry.recall is None for segment in self._snapshot.segments):
            return None
        return sum(share * rows for share, rows in shares) / sum(rows for _, rows in shares)

    def describe(self) -> dict[str, Any]:
        """What `calque search info` prints: entries, size, kind of search, files, the model."""
        manifest, segments = self._snapshot.manifest, self._snapshot.segments
        files = [path for segment in segments for path in segment.folder.rglob("*") if path.is_file()]
        described: dict[str, Any] = {
            "path": str(self.path),
            "entries": len(self),
            "deleted": len(self._snapshot.deleted_ids),
            "segments": len(segments),
            "dimension": manifest.dimension,
            "megabytes": round(sum(path.stat().st_size for path in files) / 1e6, 1),
            "search": "exact" if self.recall is None else "approximate",
            "recall": None if self.recall is None else round(self.recall, 4),
            "language": manifest.language,
            "files": [asdict(source) for source in manifest.sources],
            "model": manifest.model.path,
            "model checksum": manifest.model.checksum,
            "calque": manifest.version,
        }
        return described

    def __repr__(self) -> str:
        return f"<calque.Index {len(self)} × {self._snapshot.manifest.dimension} {self.path}>"


def _require(model: Model, language: str | None) -> None:
    if language is not None:
        model.require_languages([language])


def _looked_into(texts: Texts, model: Model, language: str | None) -> Texts:
    """The texts, with a warning before the first if the model hardly knows the language of a file or of the texts."""
    if isinstance(texts, str | Path):
        warn_of_languages(model, _side_of(Path(texts), language), expect=SEARCHING)
        return texts
    return _warning_first(texts, model, language)


def _warning_first(texts: Iterable[str | Path], model: Model, language: str | None) -> Iterator[str | Path]:
    head, texts = peeked(texts)
    files = (each for each in head if isinstance(each, Path))
    said = [each for each in head if isinstance(each, str)]
    sides = [_side_of(each, language) for each in files] + ([Side("the text", language, said)] if said else [])
    warn_of_languages(model, *sides, expect=SEARCHING)
    yield from texts


def _side_of(path: Path, language: str | None) -> Side:
    return Side("standard input", language) if str(path) == STDIN else side_of_file(path, language)
