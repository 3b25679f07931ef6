"""Files to try the commands on: the parallel text as the bitext, memory, piles and documents that users come with."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..atomic import cannot_write, write_text
from ..corpus.pair import Pair
from ..corpus.writing import write_bitext
from .look import HELD_OUT, Text, held_out, sentences

_WRONG = 5  # one pair in so many of the noisy bitext
_PILE = 300  # lines that both piles share; each has as many that the other lacks
_DOCUMENT = 60  # sentences


class Written(NamedTuple):
    """Written("memory.tmx", 820, "a translation memory, English and Spanish")"""

    name: str
    lines: int
    what: str


def write_sample(folder: Path) -> list[Written]:
    """Writes them to the new `folder`; the same each time.

    Raises:
        CalqueError: the folder cannot be written to.
    """
    text = sentences()
    known = {language: lines[:-HELD_OUT] for language, lines in text.items()}
    draw = random.Random(1)
    try:
        (folder / "test").mkdir(parents=True)
    except OSError as problem:
        raise cannot_write(folder, problem) from problem
    return [
        *(_bitext(folder, known, "en", other) for other in ("es", "de", "fr")),
        _memory(folder, known),
        _noisy(folder, known, draw),
        *_piles(folder, text, draw),
        *_documents(folder, text),
        *(
            _lines(folder, f"test/test.{language}", lines, "aligned, new to a model of the above")
            for language, lines in held_out(text).items()
        ),
    ]


def _bitext(folder: Path, text: Text, one: str, two: str) -> Written:
    return _pairs(folder, f"{one}-{two}.tsv", list(zip(text[one], text[two], strict=True)), "bitext")


def _memory(folder: Path, text: Text) -> Written:
    pairs = [Pair(*pair) for pair in zip(text["en"], text["es"], strict=True)]
    write_bitext([str(folder / "memory.tmx")], [pairs], ("en", "es"))
    return Written("memory.tmx", len(pairs), "a translation memory, English and Spanish")


def _noisy(folder: Path, text: Text, draw: random.Random) -> Written:
    """Each wrong pair has a fault of crawled text: mixed up, not translated, half of it, nothing, too much."""
    pairs = list(zip(text["en"], text["es"], strict=True))
    faults: list[Callable[[str, str], tuple[str, str]]] = [
        lambda source, target: (source, draw.choice(text["es"])),
        lambda source, target: (source, source),
        lambda source, target: (source, target[: len(target) // 2]),
        lambda source, target: (source, ""),
        lambda source, target: (source, f"{target} {draw.choice(text['es'])}"),
    ]
    spoilt = [draw.choice(faults)(*pair) if number % _WRONG == 0 else pair for number, pair in enumerate(pairs)]
    return _pairs(folder, "noisy.en-es.tsv", spoilt, f"bitext, every {_WRONG}th pair spoilt")


def _piles(folder: Path, text: Text, draw: random.Random) -> list[Written]:
    numbers = list(range(3 * _PILE))
    draw.shuffle(numbers)
    shared, german, english = (numbers[at : at + _PILE] for at in range(0, 3 * _PILE, _PILE))
    what = f"a pile of sentences; {_PILE} have their translation in the other pile"
    written = []
    for language, own in (("de", german), ("en", english)):
        lines = [text[language][number] for number in (*shared, *own)]
        draw.shuffle(lines)
        written.append(_lines(folder, f"news.{language}", lines, what))
    return written


def _documents(folder: Path, text: Text) -> list[Written]:
    """Sentences in order; French joins some that German parts, and each lacks some of the other's."""
    numbers = range(_DOCUMENT)
    german = [text["de"][number] for number in numbers if number % 19 != 7]
    french: list[str] = []
    for number in numbers:
        if number % 10 == 4:
            french[-1] += f" {text['fr'][number]}"
        elif number % 17 != 9:
            french.append(text["fr"][number])
    what = "a document, a sentence or two a line"
    return [_lines(folder, "book.de", german, what), _lines(folder, "book.fr", french, what)]


def _pairs(folder: Path, name: str, pairs: Sequence[tuple[str, str]], what: str) -> Written:
    return _lines(folder, name, [f"{source}\t{target}" for source, target in pairs], what)


def _lines(folder: Path, name: str, lines: Sequence[str], what: str) -> Written:
    write_text(folder / name, "".join(f"{line}\n" for line in lines))
    return Written(name, len(lines), what)
