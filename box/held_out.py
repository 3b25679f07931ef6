"""Pairs kept out of the training text, to measure languages that no evaluation set covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from calque.corpus import Pair, read_bitext
from overlap import key
from plan import Corpus

PAIRS = 200  # of a language


def keep_out(chosen: list[Corpus], recipe: dict[str, Any], out: Path) -> list[Corpus]:
    """The bitexts, of which those that the recipe's `tests` name are replaced by what remains of them.

    The tests are written to OUT/held-out/LANGUAGE, as test.en and test.LANGUAGE. Their sentences in the language, and
    their pairs, are nowhere in the training text; their English sides may be, beside other languages.
    """
    tests = recipe.get("tests", {})
    kept = []
    for corpus in chosen:
        if tests.get(corpus.language) == corpus.name:
            others = [each for each in chosen if each.language == corpus.language and each is not corpus]
            corpus = _split(corpus, others, out)
        kept.append(corpus)
    return kept


def tests_in(out: Path) -> dict[str, Path]:
    """The folders that `keep_out` wrote, by language."""
    return {folder.name: folder for folder in sorted((out / "held-out").glob("*"))}


def _split(corpus: Corpus, others: Iterable[Corpus], out: Path) -> Corpus:
    elsewhere = {key(pair.target) for other in others for pair in read_bitext(other.path)}
    pairs = list(read_bitext(corpus.path))
    new = [at for at in _distinct(pairs) if key(pairs[at].target) not in elsewhere]
    if len(new) < 2 * PAIRS:
        raise SystemExit(f"{corpus.path}: {len(new)} sentences of its own are too few to keep {PAIRS} out")
    test = [pairs[new[at * len(new) // PAIRS]] for at in range(PAIRS)]
    known = {key(side) for pair in test for side in pair}
    rest = [pair for pair in pairs if key(pair.source) not in known and key(pair.target) not in known]
    folder = out / "held-out" / corpus.language
    folder.mkdir(parents=True, exist_ok=True)
    for side, name in enumerate(("en", corpus.language)):
        (folder / f"test.{name}").write_text("".join(f"{pair[side]}\n" for pair in test), encoding="utf-8")
    path = out / "rest" / f"{corpus.name}.tsv"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in rest), encoding="utf-8")
    return replace(corpus, path=path, pairs=len(rest))


def _distinct(pairs: list[Pair]) -> list[int]:
    """Where the pairs stand whose sides both occur for the first time."""
    found, seen = [], set[str]()
    for at, pair in enumerate(pairs):
        keys = {key(pair.source), key(pair.target)}
        if not keys & seen:
            found.append(at)
        seen |= keys
    return found
