"""Bitext: sentence pairs that translate each other, from one file of any format or from two parallel files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from .. import _kernel
from ..errors import CorpusError, UsageError
from .fields import check_columns
from .files import COMPRESSED, HEAD, STDIN, open_bytes
from .formats import MOSES, READABLE, detect, format_named
from .formats.detect import TEXT
from .formats.moses import read_parallel
from .languages import is_language, require_standard, standard
from .pair import Columns, Languages, Pair, Reading, Wanted

_ENDINGS = rf"(?:txt|tsv|csv|jsonl|ndjson|tmx|xlf|xliff|po|pot|parquet|arrow|zip|{'|'.join(COMPRESSED)})"


@dataclass(frozen=True)
class Bitext:
    """One corpus of one language pair.

    Bitext(("europarl.en-es.tsv.xz",), ("en", "es")) or Bitext(("corpus.en", "corpus.es"), ("en", "es"))
    """

    paths: tuple[str, ...]
    languages: Languages | None = None
    columns: Columns | None = None
    format: str | None = None  # None: found out by content
    found: bool = field(default=False, compare=False)  # the content told the languages: it may then hold no others

    @property
    def name(self) -> str:
        """What a signature calls it: the file's name without its endings."""
        name = without_endings(self.paths[0])
        if len(self.paths) == 2 and self.languages:
            return f"{re.sub(rf'[.]{_LANGUAGE}$', '', name)}.{'-'.join(self.languages)}"
        return name

    @contextlib.contextmanager
    def open(self) -> Iterator[Reading]:
        """The languages and the pairs; standard input can be opened once.

        Raises:
            CorpusError: with the place, on opening or while reading.
        """
        if len(self.paths) == 2:
            with open_bytes(self.paths[0]) as one, open_bytes(self.paths[1]) as two:
                yield Reading(self.languages, read_parallel(one, two, self.paths))
            return
        (path,) = self.paths
        wanted = Wanted(None if self.found else self.languages, self.columns, languages_in_name(path))
        with open_bytes(path) as file:
            yield format_named(self.format or _format_of(file.peek(HEAD), path)).read(file, path, wanted)

    def batches(self) -> Iterator[list[Pair]]:
        """The pairs, streamed some at a time, blank sides included."""
        with self.open() as reading:
            yield from reading.batches

    def pairs(self) -> Iterator[Pair]:
        """The pairs, streamed; pairs with an empty side say nothing and are left out."""
        return chain.from_iterable(map(_kernel.without_blank, self.batches()))


def without_endings(path: str) -> str:
    """
    >>> without_endings("data/europarl.en-es.tsv.xz")
    'europarl.en-es'
    """
    return re.sub(rf"(\.{_ENDINGS})+$", "", Path(path).name)


def find_bitexts(
    paths: Sequence[str],
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
) -> list[Bitext]:
    """The corpora that a list of files stands for: text without tabs belongs together by twos, all else stands alone.

    `languages` names the two sides and chooses among more; without it they are what the content (TMX, XLIFF, PO,
    headers) or the names of the files (`corpus.en-es.tsv`, `corpus.en corpus.es`) tell. In the format `moses`, all
    files belong together by twos, whatever they hold.
    """
    if not paths:
        raise UsageError("no bitext given", hint="name a bitext, or two parallel files")
    if format is not None and format not in READABLE:
        raise UsageError(f"no format {format!r}", hint=f"one of {', '.join(READABLE)}")
    named = require_standard(languages) if languages else None
    checked = check_columns(columns) if columns else None
    found: list[Bitext] = []
    waiting: str | None = None
    for path in map(str, paths):
        if format != MOSES and (path == STDIN or format or not _is_one_side(path)):
            found.append(_with_languages(Bitext((path,), named, checked, format)))
        elif waiting is None:
            waiting = path
        else:
            found.append(_parallel(waiting, path, named))
            waiting = None
    _check_order([path for bitext in found if len(bitext.paths) == 2 for path in bitext.paths])
    if waiting is not None and format == MOSES:
        raise UsageError(
            f"{waiting}: parallel files come by twos, and the other is missing", hint="name it right after this one"
        )
    if waiting is not None:
        raise _no_tab(waiting)
    return found


def read_bitext(
    *paths: str | Path, languages: Sequence[str] = (), columns: Columns | None = None, format: str | None = None
) -> Iterator[Pair]:
    """The sentence pairs of one or more bitexts, streamed; pairs with a blank side are left out.

    Examples:
        >>> for source, target in calque.read_bitext("en-es.tsv"):
        ...     print(source, "|", target)
        ...     break
        I have to take this letter to the post office. | Tengo que llevar esta carta a Correos.

    Args:
        paths: Files in any format that Calque reads, compressed or not, or two parallel files one after the other; what
            a file is, its content says.
        languages: Two codes, for files that hold more languages or tell none: `["en", "es"]`.
        columns: Which two columns of a table to read, by numbers from 1 or by a header's names: `(2, 3)`.
        format: Such as `"csv"`, where the content is not to decide.

    Raises:
        CalqueError: a file that cannot be read, with the line; some of it only when that line is reached.
    """
    found = find_bitexts([str(path) for path in paths], languages, columns, format)
    return chain.from_iterable(bitext.pairs() for bitext in found)


def _parallel(one: str, two: str, named: Languages | None) -> Bitext:
    in_names = languages_of_files(one, two)
    paths = (two, one) if Wanted(named, in_name=in_names).swapped else (one, two)
    return Bitext(paths, named or in_names)


def _check_order(paths: Sequence[str]) -> None:
    """Parallel files sorted by language, `a.en b.en a.es b.es`, would make bitext of what does not belong together.

    Raises:
        UsageError: each has a partner by its name, but not beside it.
    """
    stems = [_SIDE.sub("", path) for path in paths]
    if any(stems.count(stem) != 2 for stem in stems):
        return
    for one in range(0, len(paths), 2):
        if stems[one] != stems[one + 1]:
            meant = sorted(paths, key=lambda path: stems.index(_SIDE.sub("", path)))
            raise UsageError(
                f"{paths[one]} and {paths[one + 1]} stand side by side, but by their names each belongs to another",
                hint=f"the sides of a bitext come one after the other: {' '.join(meant)}",
            )


def _with_languages(bitext: Bitext) -> Bitext:
    if bitext.languages or bitext.paths == (STDIN,):
        return bitext  # standard input can be read once only; what it holds is found out then
    with bitext.open() as reading:
        found = reading.languages
    return replace(bitext, languages=found or languages_in_name(bitext.paths[0]), found=found is not None)


def _is_one_side(path: str) -> bool:
    with open_bytes(path) as file:
        head = file.peek(HEAD)
    if not head:
        raise CorpusError(f"{path} is empty", hint="a bitext holds sentence pairs")
    return detect(head, path) == TEXT


def _format_of(head: bytes, path: str) -> str:
    found = detect(head, path)
    if found == TEXT and head:
        raise _no_tab(path)
    return "tsv" if found == TEXT else found


def _no_tab(path: str) -> CorpusError:
    return CorpusError(
        f"{path}, line 1: no tab, so this is one side of a bitext, and the other is missing",
        hint="name two parallel files one after the other, or a TSV with source and target separated by a tab; "
        "if it is another format, say which: --format csv",
    )


_LANGUAGE = r"[a-z]{2,3}(?:[-_][A-Z][A-Za-z]{1,3})?"


def languages_in_name(path: str) -> Languages | None:
    """The languages that a name like `corpus.en-es.tsv` tells.

    At the start of a name, a short and a long code are more likely words: `my-set.tsv`, `en-dev.tsv`.
    """
    found = re.search(rf"(?:^|[._])({_LANGUAGE})-({_LANGUAGE})(?=[._]|$)", Path(path).name)
    if not found or (found.start() == 0 and len(found[1]) != len(found[2])):
        return None
    return _standard(found[1], found[2])


_SIDE = re.compile(rf"\.(?!{_ENDINGS}(?:\.|$))({_LANGUAGE})(?:\.{_ENDINGS})*$")


def languages_of_files(one: str, two: str) -> Languages | None:
    """Those that the names of two files tell: `news.de` and `news.en.gz`."""
    ends = [_SIDE.search(path) for path in (one, two)]
    return _standard(ends[0][1], ends[1][1]) if ends[0] and ends[1] else None


# Endings that are codes of some language, too, and in a file's name seldom mean it.
_NO_LANGUAGE = frozenset(
    """
    bak bib bin cfg cln csv dat dev doc hyp in log mt npy old org out raw ref sgm src tex tgt tok
    """.split()  # noqa: SIM905 (a quarter of the lines)
)


def language_of_file(path: str) -> str | None:
    """The language that a name like `news.de` or `corpus.en.gz` tells."""
    found = _SIDE.search(Path(path).name)
    if not found or found[1] in _NO_LANGUAGE or not is_language(found[1]):
        return None
    return standard(found[1])


def _standard(one: str, two: str) -> Languages:
    return standard(one) or one, standard(two) or two
