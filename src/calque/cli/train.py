from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import click

from ..errors import UsageError
from ..training.config import TrainingConfig
from . import options
from .command import command
from .doubts import doubt_size
from .manner import note
from .places import FILE, FOLDER, MODEL
from .progress import Progress, duration
from .settings import given

if TYPE_CHECKING:
    from ..corpus import Columns
    from ..model import Model
    from ..tasks.train import Watcher
    from ..training import Progress as Training


def _config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option a field of TrainingConfig, so that nothing is listed twice."""
    hints = get_type_hints(TrainingConfig)
    for field in reversed(fields(TrainingConfig)):
        name = field.name.replace("_", "-")
        help = field.metadata["help"] + _default(field.name)
        if hints[field.name] is bool:
            command = click.option(f"--{name}/--no-{name}", default=None, help=help)(command)
            continue
        choices = get_args(hints[field.name])
        kind = click.Choice([str(choice) for choice in choices]) if choices else hints[field.name]
        command = click.option(f"--{name}", type=kind, default=None, help=help)(command)
    return command


def _default(name: str) -> str:
    if name in ("recipe", "encoder"):
        return f"  [default: {getattr(TrainingConfig(), name)}]"
    ours, papers, blstms, both = (
        _plain(getattr(TrainingConfig.of(recipe, encoder=encoder), name))
        for encoder in ("average", "blstm")
        for recipe in ("calque", "paper")
    )
    told = {"default": ours, "paper": papers, "blstm": blstms, "both": both}
    told |= {recipe: _plain(getattr(TrainingConfig.of(recipe), name)) for recipe in ("adapt", "extend")}
    implied = dict.fromkeys(("paper", "blstm", "adapt", "extend"), ours)
    implied["both"] = papers if blstms == ours else blstms
    parts = [f"{when}: {value}" for when, value in told.items() if value != implied.get(when)]
    return f"  [{'; '.join(parts)}]"


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


class Weight(click.ParamType[Any]):
    """A bitext's name, or a pattern of names, and a number."""

    name = "NAME=W"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        name, _, number = str(value).rpartition("=")
        try:
            if name:
                return name, float(number)
        except ValueError:
            pass
        self.fail(f"expected a name and a number like europarl.en-es=0.3, got {value!r}", param, context)


def _last_last(weights: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """By name; one that is given twice stands where it was given last."""
    chosen: dict[str, float] = {}
    for name, weight in weights:
        chosen.pop(name, None)
        chosen[name] = weight
    return chosen


@command(
    examples={
        "calque train europarl.en-es.tsv.xz --out my-model": "",
        "calque train corpus.en corpus.de --out my-model --dimension 256 --epochs 5": "two parallel files",
        "calque train *.tsv --out many-languages --vocabulary-size 40000 --dev sts-dev.tsv": "",
        "calque train in-domain.tmx --init my-model --out adapted": "go on from a model",
        "calque train --text manuals.en.txt --init box --out adapted": "adapt to text that has no translation",
        "calque train tatoeba.en-eo.tsv --init my-model --add-language eo --out with-esperanto": "",
        "calque train --resume my-model": "after Ctrl-C",
    },
    epilog="Ctrl-C saves the state and stops; `calque train --resume DIR` goes on from there.",
)
@click.argument("bitext", nargs=-1, metavar="BITEXT...", type=FILE)
@click.option("--out", "-o", type=FOLDER, metavar="DIR", help="The folder for the model; it must be new or empty.")
@click.option("--resume", type=FOLDER, metavar="DIR", help="Go on with the training that was stopped in this folder.")
@click.option(
    "--text",
    "text",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Plain text to learn from as well, one sentence a line, in one language. Each sentence is paired with itself; "
    "both copies lack some words (--leave-out). May be repeated, and BITEXT left out.",
)
@click.option(
    "--text-language",
    metavar="LANGUAGE",
    help="The language of --text files whose names do not tell it, as news.es.txt does.",
)
@options.reading
@click.option(
    "--dev",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Keep the epoch that does best on this TSV of score, sentence, sentence, or on this bitext of held-out "
    "translations, such as dev.en-es.tsv, which also measures how well the model knows the language. May be repeated.",
)
@click.option(
    "--init",
    type=MODEL,
    metavar="MODEL",
    help="Start from what this model has learnt (box: the model in the box), with its vocabulary and encoder. The "
    "recipe is then adapt.",
)
@click.option(
    "--add-language",
    "add_languages",
    metavar="LANGUAGE",
    multiple=True,
    help="A language of the bitext that the model of --init does not know; what it knows stays as it is. The recipe is "
    "then extend. May be repeated.",
)
@click.option(
    "--vocabulary-from",
    type=MODEL,
    metavar="MODEL",
    help="Use this model's vocabulary as it is; the rows start at random.",
)
@click.option("--add-pieces", type=int, help="Pieces for each added language, at the most.  [default: 8000]")
@click.option(
    "--weight",
    "weights",
    metavar="NAME=W",
    multiple=True,
    type=Weight(),
    help="How often an epoch sees the pairs of a bitext or text: europarl.en-es=0.3, or of several by a pattern like "
    "'europarl.*=0.5'; of those that fit, the last counts. May be repeated.  [default: 1]",
)
@options.threads
@click.option(
    "--checkpoint-minutes",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    help="Minutes between saved states.",
)
@_config_options
def train(
    bitext: tuple[str, ...],
    out: str | None,
    resume: str | None,
    text: tuple[str, ...],
    text_language: str | None,
    dev: tuple[str, ...],
    init: str | None,
    add_languages: tuple[str, ...],
    weights: tuple[tuple[str, float], ...],
    add_pieces: int | None,
    vocabulary_from: str | None,
    threads: int | None,
    checkpoint_minutes: float,
    recipe: str | None,
    languages: tuple[str, ...],
    columns: Columns | None,
    format: str | None,
    **changes: Any,
) -> None:
    """Learn a model from bitext, from plain text, or from both.

    BITEXT is a TSV, CSV, JSON Lines, TMX, XLIFF, PO, Parquet or Arrow file or an OPUS zip, told by its content, or two
    parallel files, one after the other; plain or compressed with gzip, bzip2, xz or zstandard. Several bitexts of
    several language pairs make one model.
    """
    from ..tasks import train as task

    if resume is not None:
        _require_alone(click.get_current_context())
        bitext = _bitexts_of(resume)
    with Progress() as progress:
        watcher = _watcher(progress, (*bitext, *text), checkpoint_minutes)
        if resume is not None:
            model = task.resume(resume, threads=threads, watcher=watcher)
        else:
            if not bitext and not text:
                raise UsageError("no bitext given", hint="see calque train --help")
            if out is None:
                raise UsageError("no folder for the model given", hint="add --out DIR")
            model = task.train(
                bitext,
                out,
                text=text,
                text_language=text_language,
                languages=languages,
                columns=columns,
                format=format,
                dev=dev,
                init=init,
                add_languages=add_languages,
                add_pieces=add_pieces,
                vocabulary_from=vocabulary_from,
                weights=_last_last(weights),
                threads=threads,
                watcher=watcher,
                recipe=recipe,
                **{name: value for name, value in changes.items() if value is not None},
            )
    note(_summary(model))
    if model.about.recipe.startswith("calque") and init is None and resume is None:
        from ..model.about import pairs_in

        doubt_size(sum(map(pairs_in, model.about.data)))


def _require_alone(context: click.Context) -> None:
    """What calque.toml says was not said now, and counts for new trainings only.

    Raises:
        UsageError: an option that only a new training can have.
    """
    if set(given(context, *context.params)) - {"resume", "threads", "checkpoint_minutes"}:
        raise UsageError("--resume goes on with the options the training began with", hint="leave the others out")


def _bitexts_of(folder: str) -> tuple[str, ...]:
    from ..tasks.training_run import Run

    return tuple(path for bitext in Run.read(Path(folder)).bitexts for path in bitext.paths)


def _watcher(progress: Progress, bitext: tuple[str, ...], checkpoint_minutes: float) -> Watcher:
    from ..tasks.train import Watcher

    paths = [str(Path(path).absolute()) for path in bitext]  # as they are opened
    begun = False

    def stage(name: str) -> None:
        if name == "vocabulary":
            progress.reading(paths, "", "counting words", then="learning the vocabulary")
        elif name == "reading":
            progress.reading(paths, "pairs")

    def trained(now: Training) -> None:
        nonlocal begun
        if not begun:
            begun = True
            progress.stage("training", total=now.steps)
        rate = f"{now.pairs_per_second:,.0f} pairs/s"
        if now.ends_epoch:
            development = f"  dev {now.development:.2f}" if now.development is not None else ""
            told = f"epoch {now.epoch}/{now.epochs}  loss {now.loss:.4f}  {rate}  mega-batch {now.mega_batch}"
            progress.keep(told + development)
        progress.at(now.step, f"{rate}  epoch {now.epoch}/{now.epochs}  loss {now.loss:.4f}", now.seconds_left)

    return Watcher(stage, progress.at, trained, checkpoint_minutes)


def _summary(model: Model) -> str:
    score = model.about.development
    chosen = f", epoch {model.about.epoch} with {score.value:.1f} on {score.name}" if score else ""
    return (
        f"{model.path}: {model.vocabulary.size:,} rows of {model.dimension} dimensions{chosen}, "
        f"trained in {duration(model.about.seconds)}\n"
        f'try: calque similarity --model {Path(str(model.path))} "one sentence" "another"'
    )
