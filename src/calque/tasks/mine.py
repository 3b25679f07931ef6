"""Translations found in two piles of text."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from ..corpus import STDIN, Languages, Pair, find_bitexts, read_bitext, read_lines
from ..corpus.bitext import languages_of_files
from ..corpus.languages import is_swapped
from ..corpus.writing import STDOUT, open_output, require_different
from ..mining import Mined, Mining, MiningConfig, MiningReport, MiningWatch
from ..mining.job import forget_job
from ..mining.mine import Text
from ..model import Model, as_model
from ..pictures import require_pictures
from ..surrogates import without_surrogates
from ..thresholds.plot import plot_calibration
from .inputs import require_one_standard_input
from .interrupt import stop_on_signals

Lines = str | Path | Iterable[str]


def mine(
    source: Lines,
    target: Lines,
    model: Model | str | Path | None = None,
    *,
    known: Iterable[tuple[str, str]] | None = None,
    config: MiningConfig | None = None,
    **options: object,
) -> Iterator[Mined]:
    """Pairs that translate each other, best first. The work begins when the first is asked for.

    Examples:
        >>> english = ["A dog runs.", "It rains today.", "The house is red."]
        >>> spanish = ["La casa es roja.", "Un perro corre.", "Hoy llueve."]
        >>> for score, source, target in calque.mine(english, spanish):
        ...     print(round(score, 1), source, target)
        2.6 The house is red. La casa es roja.
        2.6 It rains today. Hoy llueve.
        2.6 A dog runs. Un perro corre.

    A pair also knows the lines it comes from, `source_line` and `target_line`. Sentences and vectors are kept in a
    temporary folder, not in memory.

    Args:
        source: Sentences, or the name of a file with a sentence a line.
        target: The same in another language.
        model: A model, or its folder; without it, the one that `calque.load()` opens.
        known: Pairs that are surely translations, some hundred, to calibrate the threshold on.
        config: What to mine by.
        options: Fields of MiningConfig that differ from it: `threshold="auto"`, `k=8`.

    Raises:
        CorpusError: a side without a sentence, or too few to tell a threshold from.
        UsageError: no such option, a language that the model does not know, or too little memory allowed.
    """
    chosen = (config or MiningConfig()).changed(options)
    opened = as_model(model)
    pairs = None if known is None else (Pair(*pair) for pair in known)
    with tempfile.TemporaryDirectory(prefix="calque-mining-") as folder:
        mining = Mining(opened, chosen, Path(folder) / "work")
        _, mined = mining.run(_text(source, "the source"), _text(target, "the target"), pairs)
        yield from mined


def mine_files(
    source: str | Path,
    target: str | Path,
    out: str | Path,
    model: Model,
    config: MiningConfig,
    *,
    ids: bool = False,
    calibrate: str | Path | None = None,
    plot: str | Path | None = None,
    work: str | Path | None = None,
    watch: MiningWatch | None = None,
) -> MiningReport:
    """Mines two files into a third: score, source and target, separated by tabs, or JSON Lines if its name says so.

    `ids` puts the numbers of the lines behind the score. `calibrate` names a bitext of known translations. The work is
    done in the folder `work`, which is kept; without it, beside the output in a folder that goes when all is done, and
    stays when something comes between, so that the same call goes on from there.
    """
    require_one_standard_input([str(source), str(target)])
    require_different([str(path) for path in (out, plot) if path is not None])
    if plot is not None:
        require_pictures(plot)
    known = None if calibrate is None else _known(str(calibrate), config.languages, (str(source), str(target)))
    with _folder(str(out), work) as folder, stop_on_signals() as asked:
        mining = Mining(model, config, folder, watch)
        report, mined = mining.run(_text(source, ""), _text(target, ""), known, asked)
        if plot is not None and mining.calibration is not None:
            plot_calibration(mining.calibration, mining.scores, plot, f"{config.margin} margin")
        with open_output(str(out)) as file:
            _write(file, mined, ids, str(out))
    return report


def _known(path: str, languages: Languages | None, piles: tuple[str, str]) -> Iterator[Pair]:
    """The known pairs, in the order of the piles where the names of all files tell it."""
    if languages is None and (in_names := languages_of_files(*piles)):
        of_known = find_bitexts([path])[0].languages
        if of_known and is_swapped(in_names, *of_known):
            languages = in_names
    return read_bitext(path, languages=languages or ())


@contextlib.contextmanager
def _folder(out: str, work: str | Path | None) -> Iterator[Path]:
    if work is not None:
        yield Path(work)
    elif out == STDOUT:
        with tempfile.TemporaryDirectory(prefix="calque-mining-") as temporary:
            yield Path(temporary) / "work"
    else:
        beside = Path(f"{out}.mining")
        yield beside
        forget_job(beside)


def _text(lines: Lines, name: str) -> Text:
    if isinstance(lines, str | Path):
        path = lines
        return Text("standard input" if str(path) == STDIN else str(path), lambda: read_lines(path))
    texts = lines
    return Text(name, lambda: texts)


def _write(file: IO[bytes], mined: Iterator[Mined], ids: bool, out: str) -> None:
    as_json = any(ending in (".jsonl", ".ndjson") for ending in Path(out).suffixes)
    for pair in mined:
        file.write((_json(pair, ids) if as_json else _row(pair, ids)).encode() + b"\n")


def _row(pair: Mined, ids: bool) -> str:
    lines = [str(pair.source_line), str(pair.target_line)] if ids else []
    texts = (" ".join(without_surrogates(text).split()) for text in (pair.source, pair.target))
    return "\t".join([f"{pair.score:.6f}", *lines, *texts])


def _json(pair: Mined, ids: bool) -> str:
    lines = {"source_line": pair.source_line, "target_line": pair.target_line} if ids else {}
    texts = {"source": without_surrogates(pair.source), "target": without_surrogates(pair.target)}
    return json.dumps({"score": round(pair.score, 6)} | lines | texts, ensure_ascii=False)
