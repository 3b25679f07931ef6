from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..errors import UsageError
from ..surrogates import without_surrogates
from . import options
from .command import command
from .places import FOLDER, MODEL
from .progress import Progress
from .tables import show_table

if TYPE_CHECKING:
    from ..evaluation.evaluate import Evaluation
    from ..evaluation.result import Result

SUITES = ("sts", "sts17", "stsb", "bucc", "tatoeba", "retrieval", "alignment", "speed")  # evaluation.suites, unimported


@command(
    examples={
        "calque evaluate --suite sts17 --data sts17/": "the model in the box",
        "calque evaluate --model my-model --suite sts --only 2012 --only 2013": "with CALQUE_DATA or calque.toml",
        "calque evaluate --model my-model --compare random-sp other-model --suite sts --data sts/ --json": "",
    },
    rivals=[{"as_json", "markdown"}],
    epilog="MODEL may also be random-sp, random-word or random-trigram, the paper's untrained encoders, or another "
    "library's model as sentence-transformers:NAME or model2vec:NAME.",
)
@click.argument("models", nargs=-1, metavar="[MODEL]...", type=MODEL)
@options.model
@click.option("--suite", type=click.Choice(SUITES), required=True, help="What to measure.")
@click.option(
    "--data",
    envvar="CALQUE_DATA",
    type=FOLDER,
    metavar="DIR",
    help="The folder that holds the suite's files or those of all suites, or one file; else CALQUE_DATA.",
)
@click.option("--compare", type=MODEL, metavar="MODEL", multiple=True, help="Another model beside it; more may follow.")
@click.option(
    "--only",
    metavar="TEXT",
    multiple=True,
    help="Only sets of this name, or part of a name (en-en, 2012, track4*); may be given several times.",
)
@click.option(
    "--resamples",
    type=click.IntRange(0, 1_000_000),
    default=1000,
    show_default=True,
    help="Bootstrap resamples behind intervals and tests; 0 for none.",
)
@options.as_json
@click.option("--markdown", is_flag=True, help="Print Markdown, with every signature.")
def evaluate(
    models: tuple[str, ...],
    model: str | None,
    suite: str,
    data: str | None,
    compare: tuple[str, ...],
    only: tuple[str, ...],
    resamples: int,
    as_json: bool,
    markdown: bool,
) -> None:
    """Measure how good a model is, or several side by side.

    \b
    sts        STS 2012-2016, or any TSV of score, sentence, sentence: Pearson and Spearman,
               by set, as means of sets, and over each year's pooled pairs
    sts17      STS 2017, within and across languages
    stsb       STS benchmark
    bucc       BUCC 2018 mining: F1, by margins and by cosine, at the best threshold
               and at the automatic one
    tatoeba    LASER's Tatoeba: accuracy both ways
    retrieval  aligned files such as FLORES and NTREX: accuracy both ways
    alignment  documents such as Bleualign's, sentence by sentence: strict and lax F1
    speed      sentences encoded a second, the first time and of the same text again

    Files may lie as their organisers published them (`calque corpus download sts12` fetches some), or as TSVs.
    """
    from ..evaluation.evaluate import differences, evaluate_all
    from ..evaluation.tables import as_markdown, one_model, side_by_side

    if as_json and markdown:
        raise UsageError("--json and --markdown are two ways to print the same: choose one")
    folder = _suite_data(data, suite)
    _require_models(models, only)
    chosen = _chosen(model, compare, models)
    with Progress() as progress:
        progress.stage("reading")

        def report(name: str, done: int, total: int) -> None:
            if not done:
                progress.stage("measuring", "", total=total)
            progress.at(done, name)

        evaluations = evaluate_all(chosen, suite, folder, only=only, resamples=resamples, report=report)
    if as_json:
        first, *others = evaluations
        described: dict[str, Any] = first.as_dict()
        if others:
            described["compared"] = [
                other.as_dict()
                | {"differences": {name: apart._asdict() for name, apart in differences(first, other).items()}}
                for other in others
            ]
        click.echo(options.as_json_text(described))
        return
    table = side_by_side(evaluations) if len(evaluations) > 1 else one_model(evaluations[0])
    if markdown:
        click.echo(without_surrogates(as_markdown(table, evaluations)), nl=False)
        return
    notes = [*filter(None, [table.note]), f"signature: {_overall(evaluations[0]).signature}"]
    show_table(table.header, table.rows, bold_from=table.means_begin, notes=notes)


def _overall(evaluation: Evaluation) -> Result:
    """The mean of all sets in known languages, or the last row where there is none."""
    means = [row for row in evaluation.means if row.name == f"{evaluation.suite}:mean"]
    return (means or evaluation.rows)[-1]


def _suite_data(data: str | None, suite: str) -> Path:
    """Of a folder that holds bitext/ and eval/, as `reproduce` takes it, the sets of one suite.

    Raises:
        UsageError: nobody has said where the data lies.
    """
    if data is None:
        raise UsageError(
            "no --data given",
            hint="pass --data DIR, or set CALQUE_DATA to a folder for all suites; calque corpus download fetches some",
        )
    folder = Path(data) / "eval"
    if not folder.is_dir():
        return Path(data)
    named = sorted(folder.glob("flores*")) if suite == "retrieval" else []
    return next((own for own in (folder / suite, *named) if own.is_dir()), folder)


def _require_models(models: Sequence[str], only: Sequence[str]) -> None:
    """What follows `--only en-en` may be meant for another set, and would be taken for a model."""
    for name in models:
        if only and MODEL.is_folder(name) and not Path(name).exists():
            raise UsageError(
                f"there is no model at {name}",
                hint=f"several sets need the option several times: --only {only[-1]} --only {name}",
            )


def _chosen(model: str | None, compare: tuple[str, ...], models: tuple[str, ...]) -> list[str | None]:
    """The first is what the others are compared with: --model, or the first that is named, or the usual one.

    Raises:
        UsageError: some are named outright and some by --compare, and none by --model.
    """
    source = click.get_current_context().get_parameter_source("model")
    if source == ParameterSource.COMMANDLINE:
        return [model, *compare, *models]
    if compare and models:
        raise UsageError(
            "which of them are the others to be compared with?",
            hint=f"name it first, and leave out --compare: calque evaluate {' '.join([*models, *compare])}",
        )
    return [*models] or [model, *compare]
