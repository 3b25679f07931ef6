"""Files that say the same line by line in many languages, told by their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...corpus.languages import CODE, best_fit, is_language
from .folders import folders_of, name_of

_FLORES = re.compile(r"([a-z]{3}_[A-Z][a-z]{3}(?:_\w+)?)\.(txt|dev|devtest)|([a-z]{3}(?:_\w+)?)\.(dev|devtest)")
_NTREX = re.compile(r"(newstest\d{4})-(?:src|ref)\.([A-Za-z-]+)\.txt")
_ANY = re.compile(rf"(?:(.+)\.)?({CODE.pattern})")
_ENDING = re.compile("bak|bib|bin|cfg|csv|dev|doc|log|npy|old|raw|sgm|src|tex|tgt|tmp|tsv|txt|xml|yml")  # codes, too


class Side(NamedTuple):
    code: str  # as the file has it
    path: Path


class Parallel(NamedTuple):
    """Parallel("devtest", Side("eng_Latn", …), [Side("deu_Latn", …), …])"""

    label: str
    pivot: Side  # English, or else the first
    others: list[Side]


def find_parallel(files: Sequence[Path], top: Path) -> list[Parallel]:
    """What belongs together: FLORES and NTREX anywhere, files of any other name only in the folder `top` itself."""
    groups: dict[tuple[Path, str], list[Side]] = defaultdict(list)
    for file in files:
        if named := _flores(file) or _ntrex(file) or (_any(file) if file.parent == top else None):
            label, code = named
            groups[file.parent, label].append(Side(code, file))
    found = {key: sorted(sides) for key, sides in groups.items() if len(sides) > 1}
    labels = [label for _, label in found]
    return [
        _around_pivot(label if labels.count(label) == 1 else f"{folder.name}.{label}", sides)
        for (folder, label), sides in sorted(found.items())
    ]


def _flores(file: Path) -> tuple[str, str] | None:
    """
    >>> _flores(Path("flores101_dataset/devtest/deu.devtest")), _flores(Path("flores200-dev/deu_Latn.txt"))
    (('devtest', 'deu'), ('flores200-dev', 'deu_Latn'))
    """
    found = _FLORES.fullmatch(name_of(file))
    if not found:
        return None
    split = found[2] or found[4]
    return folders_of(file)[0] if split == "txt" else split, found[1] or found[3]


def _ntrex(file: Path) -> tuple[str, str] | None:
    found = _NTREX.fullmatch(name_of(file))
    return (found[1], found[2]) if found else None


def _any(file: Path) -> tuple[str, str] | None:
    """
    >>> _any(Path("wiki/corpus.de")), _any(Path("wiki/en.txt")), _any(Path("wiki/notes.txt"))
    (('corpus', 'de'), ('wiki', 'en'), None)
    """
    found = _ANY.fullmatch(name_of(file).removesuffix(".txt"))
    if not found or _ENDING.fullmatch(found[2]) or not is_language(found[2]):
        return None
    return found[1] or folders_of(file)[0], found[2]


def _around_pivot(label: str, sides: list[Side]) -> Parallel:
    at = best_fit("en", [side.code for side in sides]) or 0
    return Parallel(label, sides[at], sides[:at] + sides[at + 1 :])
