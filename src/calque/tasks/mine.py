"""Translations found in two piles of text."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..corpus import STDIN, Languages, Pair, find_bitexts, read_bitext
from ..corpus.bitext import languages_of_files
from ..corpus.languages import is_swapped
from ..corpus.texts import Column, read_texts
from ..corpus.writing import STDOUT, open_output, require_different
from ..errors import Stopped, UsageError
from ..locks import occupied
from ..mining import Mined, Mining, MiningConfig, MiningReport, MiningWatch
from ..mining.job import forget_beginning, forget_job, has_pile
from ..mining.mine import NothingToMine, Text
from ..model import Model, as_model
from ..model.familiarity import MINING, Side, peeked, side_of_file, warn_of_languages
from ..pictures import require_pictures
from ..temporary import temporary_folder
from ..thresholds.plot import plot_calibration
from .inputs import require_one_standard_input, spare_inputs
from .interrupt import stop_on_signals
from .mined_files import mined_format, write_mined

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
        0.6 It rains today. Hoy llueve.
        0.6 The house is red. La casa es roja.
        0.6 A dog runs. Un perro corre.

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
    with temporary_folder("mining") as folder:
        mining = Mining(opened, chosen, folder / "work")
        one, two = _texts(opened, chosen, (source, "the source"), (target, "the target"))
        _, mined = mining.run(one, two, pairs)
        yield from mined


def mine_files(
    source: str | Path,
    target: str | Path,
    out: str | Path,
    model: Model,
    config: MiningConfig,
    *,
    ids: bool = False,
    to: str | None = None,
    column: Column | None = None,
    calibrate: str | Path | None = None,
    plot: str | Path | None = None,
    work: str | Path | None = None,
    watch: MiningWatch | None = None,
) -> MiningReport:
    """Mines two files, lines or a `column` of tables, into a third, in the format `to` or that its name says.

    `ids` puts the numbers of the lines behind the score. `calibrate` names a bitext of known translations. The work is
    done in the folder `work`, which is kept; without it, beside the output in a folder that goes when all is done, and
    stays when something comes between, so that the same call goes on from there. Beside a pipe there can be none.

    Raises:
        Stopped: it was interrupted; the message says whether there is something to go on from.
        KeyboardInterrupt: it was interrupted before there was any.
    """
    require_one_standard_input([str(source), str(target)])
    written = [str(path) for path in (out, plot) if path is not None]
    require_different(written)
    spare_inputs(written, [str(path) for path in (source, target, calibrate) if path is not None])
    format = mined_format(str(out), to)
    if plot is not None:
        require_pictures(plot)
    known = None if calibrate is None else known_pairs(str(calibrate), config.languages, (str(source), str(target)))
    with _folder(str(out), work) as folder:
        mining = Mining(model, config, folder, watch)
        one, two = _texts(model, config, (source, ""), (target, ""), column)
        report, mined = mining.run(one, two, known, stop_on_signals)
        if plot is not None and mining.calibration is not None:
            plot_calibration(mining.calibration, mining.scores, plot, f"{config.margin} margin")
        with open_output(str(out)) as file:
            write_mined(file, mined, ids, format)
    return report


def known_pairs(path: str, languages: Languages | None, piles: tuple[str, str]) -> Iterator[Pair]:
    """The known pairs, in the order of the piles where the names of all files tell it.

    Raises:
        UsageError: the names say that they are in other languages than the piles.
    """
    in_names = languages or languages_of_files(*piles)
    of_known = find_bitexts([path])[0].languages
    if in_names and of_known:
        swapped = is_swapped(in_names, *of_known)
        if swapped is None:
            raise UsageError(
                f"{path} is in {' and '.join(of_known)}, the piles are in {' and '.join(in_names)}",
                hint="calibrate with translations between the languages of the piles",
            )
        if swapped:
            languages = in_names
    return read_bitext(path, languages=languages or ())


@contextlib.contextmanager
def _folder(out: str, work: str | Path | None) -> Iterator[Path]:
    if work is not None:
        with occupied(Path(work), "mines"), _saying_what_is_saved(Path(work)):
            yield Path(work)
    elif out == STDOUT or _is_stream(out):
        with temporary_folder("mining") as temporary, _saying_that_nothing_is_saved():
            yield temporary / "work"
    else:
        beside = Path(f"{out}.mining")
        with occupied(beside, "mines"), _saying_what_is_saved(beside):
            try:
                yield beside
            except NothingToMine:
                forget_job(beside)  # with corrected options, the same command would find other work there
                raise
            except BaseException:
                forget_beginning(beside)
                raise
            forget_job(beside)


def _is_stream(out: str) -> bool:
    """Whether no folder can lie beside an output: at a pipe or a device, and where the system lists open files."""
    if os.path.exists(out) and not os.path.isfile(out):
        return True
    place = os.path.realpath(os.path.dirname(out))
    return place == "/dev" or place.startswith("/proc/")


@contextlib.contextmanager
def _saying_that_nothing_is_saved() -> Iterator[None]:
    try:
        yield
    except Stopped as stopped:
        raise Stopped(
            "stopped; nothing is saved", hint="with -o FILE or --work DIR, the same command goes on"
        ) from stopped


@contextlib.contextmanager
def _saying_what_is_saved(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interrupted:
        if has_pile(folder):
            raise Stopped("stopped; what is done is saved", hint="the same command goes on") from interrupted
        raise


def _texts(
    model: Model,
    config: MiningConfig,
    source: tuple[Lines, str],
    target: tuple[Lines, str],
    column: Column | None = None,
) -> tuple[Text, Text]:
    """Both sides, each with its name, after a warning if the model hardly knows their languages."""
    model.require_vocabularies(config.languages or ())
    told, named = config.languages or (None, None), _languages_in_names(source[0], target[0])
    (first, first_side), (second, second_side) = (
        _text(*side, column, told[at], named[at]) for at, side in enumerate((source, target))
    )
    warn_of_languages(model, first_side, second_side, expect=MINING)
    return first, second


def _languages_in_names(source: Lines, target: Lines) -> tuple[str | None, str | None]:
    """The languages that the names of two files tell, if both do."""
    paths = [str(each) for each in (source, target) if isinstance(each, str | Path)]
    return languages_of_files(*paths) or (None, None) if len(paths) == 2 else (None, None)


def _text(lines: Lines, name: str, column: Column | None, told: str | None, named: str | None) -> tuple[Text, Side]:
    if not isinstance(lines, str | Path):
        head, texts = peeked(lines)
        return Text(name, lambda: texts), Side(name, told, head)
    path = lines
    if str(path) != STDIN:
        return Text(str(path), lambda: read_texts(path, column), named), side_of_file(path, told, column)
    head, texts = peeked(read_texts(path, column))
    return Text("standard input", lambda: texts, named), Side("standard input", told, head)
