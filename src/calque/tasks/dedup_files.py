"""Files of lines, or bitexts, without what repeats something."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..batches import batches
from ..corpus import Languages, Pair
from ..corpus.writing import open_output, output_format, require_different, write_bitext
from ..deduplication import Duplicates, Line, Store, find_duplicates
from ..deduplication.store import Row
from ..errors import UsageError
from ..model import Model
from ..threads import resolve_threads
from .dedup import Options, contrast_of
from .dedup_intake import Intake, Source, is_bitext
from .inputs import Paths, as_paths, spare_inputs

_WRITTEN = 1000  # pairs at a time
_EXAMPLES = 3  # of each reason


@dataclass(frozen=True)
class Outputs:
    """Where things will be written, if anywhere."""

    kept: Sequence[str] = ()
    to: str | None = None  # a bitext's format
    groups: str | None = None

    def check(self, bitext: bool) -> None:
        """So that a mistake is told before long work.

        Raises:
            UsageError: a bitext cannot be written so, or two things would go to the same place.
        """
        if self.kept and bitext:
            output_format(self.kept, self.to)
        elif self.to:
            raise UsageError("--to is for bitext, and this is lines" if self.kept else "--to needs a place: -o OUT")
        elif len(self.kept) > 1:
            raise UsageError(f"expected one output for lines, got {len(self.kept)}")
        require_different([*self.kept, *([self.groups] if self.groups else [])])


@dataclass(frozen=True)
class Watch:
    """Who wants to know how far it has come."""

    read: Callable[[int], None] = lambda lines: None
    compared: Callable[[float], None] = lambda share: None


class Shown(NamedTuple):
    """A line of a group: where it stands, and why it stays or goes."""

    verdict: str  # kept, kept:REASON, dropped:same (letters and digits) or dropped:near
    similarity: float
    file: str
    line: int  # from 1 on; of a bitext, the pair
    texts: Row


class Apart(NamedTuple):
    """A line that stays although it is near to another, and what tells them apart: an example in a report."""

    reason: str  # negation, opposite or number
    lines: tuple[Shown, Shown]  # the one that it is near to comes first


@dataclass(frozen=True)
class Found:
    """Duplicates in files, while their texts are at hand."""

    store: Store
    duplicates: Duplicates
    intake: Intake
    references: int  # lines at the beginning that others were compared with

    @property
    def lines(self) -> int:
        return self.store.lines - self.references

    @property
    def dropped(self) -> int:
        return len(self.duplicates.dropped)

    @property
    def same(self) -> int:
        """Of those dropped, how many have the same letters and digits."""
        return int(self.duplicates.same.sum())

    def report(self) -> dict[str, Any]:
        """Return counts, and examples of lines that stay although they are near to another."""
        counts = {"lines": self.lines, "kept": self.lines - self.dropped, "dropped": self.dropped, "same": self.same}
        examples = [
            {"reason": reason, "lines": [line._asdict() for line in lines]} for reason, lines in self.examples()
        ]
        pairs = self.store.sides == 2
        return counts | {"pairs": pairs, "spared": self.duplicates.counts(), "examples": examples}

    def examples(self) -> list[Apart]:
        similar = self.intake.encoding.similarities
        return [
            Apart(reason, (self._shown("kept", beside), self._shown(f"kept:{reason}", line)))
            for reason, line, beside in self.duplicates.spared(self.store, similar, _EXAMPLES)
        ]

    def groups(self) -> Iterator[list[Shown]]:
        """What stays comes first; with references, that is a line of theirs."""
        for kept, dropped in self.duplicates.groups(self.store, self.intake.encoding.similarities):
            yield [self._shown("kept", kept), *(self._shown(_verdict(line), line) for line in dropped)]

    def write(self, outputs: Outputs) -> None:
        """What stays, in its order; files appear whole or not at all."""
        kept = self.duplicates.kept
        rows = self.store.rows(kept[kept >= self.references])
        write_rows(outputs.kept, rows, self.store.sides, self.intake.languages, outputs.to)

    def write_groups(self, path: str) -> None:
        with open_output(path) as file:
            for number, group in enumerate(self.groups(), start=1):
                file.writelines(as_tsv(number, line).encode("utf-8", "replace") for line in group)

    def _shown(self, verdict: str, line: Line) -> Shown:
        return Shown(verdict, line.similarity, *self.intake.place(line.line), line.texts)


def write_rows(
    outs: Sequence[str], rows: Iterator[Row], sides: int, languages: Languages | None, to: str | None = None
) -> None:
    """Lines as they are, or pairs as a bitext."""
    if sides == 2:
        write_bitext(outs, batches((Pair(*row) for row in rows), _WRITTEN), languages, to)
        return
    with open_output(outs[0]) as file:
        file.writelines(f"{text}\n".encode() for (text,) in rows)


@contextlib.contextmanager
def find_in_files(
    corpus: Paths,
    model: Model,
    options: Options,
    *,
    against: Paths = (),
    source: Source,
    outputs: Outputs,
    watch: Watch,
) -> Iterator[Found]:
    """Reads files, and finds what repeats something among them, or, if there are any, in `against`."""
    paths, references = as_paths(corpus), as_paths(against)
    bitext = is_bitext([*references, *paths], source)
    outputs.check(bitext)
    spare_inputs([*outputs.kept, *([outputs.groups] if outputs.groups else [])], [*paths, *references])
    model.require_languages([*source.languages, *([source.language] if source.language else [])])
    with Store(2 if bitext else 1, model.dimension, options.numbers) as store:
        intake = Intake(store, model, source, resolve_threads(None), watch.read)
        if references:
            intake.take(references)
            if not store.lines:
                raise UsageError(f"{references[0]}: nothing to compare with", hint="it is empty; leave out --against")
        known = store.lines
        intake.take(paths)
        contrast = contrast_of(options, intake.encoding)
        found = find_duplicates(store, options.threshold, options.keep, known, watch.compared, contrast)
        yield Found(store, found, intake, known)


def as_tsv(group: int, line: Shown) -> str:
    """Group, verdict, similarity, file, line, and one or two texts."""
    cells = (" ".join(text.split()) for text in line.texts)
    place = (str(group), line.verdict, f"{line.similarity:.4f}", line.file, str(line.line))
    return "\t".join((*place, *cells)) + "\n"


def _verdict(line: Line) -> str:
    return "dropped:same" if line.same else "dropped:near"
