from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import engine, options
from .command import command
from .doubts import doubt_lines
from .engine import RAY, cluster, doubt_shards, on_cluster, refuse, require_folder, watch
from .manner import note, warn
from .places import FILE, FOLDER
from .progress import Progress, duration

if TYPE_CHECKING:
    from ..mining import MiningConfig
    from ..mining.search import Progress as Searched
    from ..model import Model

_WORTH_TELLING = 60.0  # seconds: who waits longer wants to know how long
_LISTED = 3  # languages
_KNOWN_AFTER = 40.0  # seconds of searching that an estimate is made from


@command(
    examples={
        "calque mine news.de news.en -o pairs.tsv": "score, source and target, best first",
        "calque mine news.de news.en -o pairs.tsv --threshold auto --plot threshold.png": "",
        "calque mine news.de news.en --model my-model --threshold auto --calibrate some.de-en.tsv > pairs.tsv": "",
        "calque mine de/ en/ --engine ray --address auto -o pairs/": "over a cluster, from folders of shards",
    }
)
@click.argument("source", metavar="SRC", type=FILE)
@click.argument("target", metavar="TGT", type=FILE)
@options.model
@click.option(
    "--output",
    "-o",
    default="-",
    type=FILE,
    metavar="OUT",
    help="Where to write; its name says the format and compression; - is standard output.",
)
@click.option(
    "--to",
    type=click.Choice(["tsv", "jsonl", "parquet"]),
    help="The format to write.  [default: by OUT's name, or tsv]",
)
@options.column
@click.option(
    "--margin",
    type=click.Choice(["distance", "ratio", "absolute"]),
    default="distance",
    show_default=True,
    help="How a pair is judged by its neighbourhood: cosine − mean, cosine / mean, or the cosine itself.",
)
@click.option(
    "--retrieval",
    type=click.Choice(["max", "forward", "backward", "intersect"]),
    default="max",
    show_default=True,
    help="max: each sentence once, best pairs first; forward: a target for each of SRC; backward: the other way round; "
    "intersect: pairs that are both.",
)
@click.option("-k", type=int, default=4, show_default=True, metavar="N", help="Neighbours that make the mean.")
@click.option(
    "--threshold", type=options.Threshold(), metavar="T", help="Keep pairs that score as much: a number, or auto."
)
@click.option(
    "--calibrate",
    type=FILE,
    metavar="BITEXT",
    help="Known translations of the same kind, to tell the threshold from.",
)
@click.option(
    "--plot", type=FILE, metavar="FILE", help="Draw precision and recall over the threshold: png, svg or pdf."
)
@click.option("--ids", is_flag=True, help="Put the two line numbers behind the score.")
@options.languages
@click.option("--keep-repeats", is_flag=True, help="Keep sentences that differ in case and punctuation only apart.")
@click.option("--keep-copies", is_flag=True, help="Allow pairs whose two sides have the same letters.")
@click.option(
    "--keep-other-languages",
    is_flag=True,
    help="Mine lines that are surely in another language than their side, too.",
)
@click.option(
    "--search",
    type=click.Choice(["auto", "exact", "approximate"]),
    default="auto",
    show_default=True,
    help="auto is exact up to 4·10¹² pairs, two million sentences on each side; beyond, FAISS finds most of the "
    "neighbours, if it is installed, and the share is measured.",
)
@click.option(
    "--recall",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="R",
    help="Approximate search looks as far as it takes to find this share of the nearest neighbours. Of good pairs it "
    "finds more: with 0.85, over 99% in Europarl, in less than half of the time.  [default: 0.95]",
)
@click.option("--memory", type=options.Bytes(), default="2G", show_default=True, metavar="SIZE", help="Memory to use.")
@click.option(
    "--work",
    type=FOLDER,
    metavar="DIR",
    help="Keep vectors and neighbours there: another margin then costs seconds.",
)
@click.option(
    "--block",
    type=click.IntRange(1),
    metavar="N",
    help="On a cluster: sentences of either side that make a block of the product, the unit of work.  "
    "[default: 1048576]",
)
@engine.options
@options.as_json
@options.threads
def mine(
    source: str,
    target: str,
    model: str | None,
    output: str,
    calibrate: str | None,
    plot: str | None,
    ids: bool,
    to: str | None,
    column: Any,
    work: str | None,
    as_json: bool,
    languages: tuple[str, str],
    block: int | None,
    engine: str,
    address: str | None,
    recall: float | None,
    **chosen: Any,
) -> None:
    """Find the translations in two piles of text, a sentence a line: score, source and target, best first.

    Sentences are compared by meaning, each with each. Lines that differ from an earlier one in case and punctuation
    only count once; a sentence that is in both piles unchanged is no translation. Lines that are surely in another
    language than their side are left out if the extra language is installed; a side's language is the one that
    --languages or its file's name tells, or that most of its lines are in. --threshold auto estimates how many of the
    pairs are wrong. Ctrl-C saves and stops; the same command goes on. --json prints the report.
    """
    from ..mining import MiningConfig
    from ..model import load
    from ..tasks.mine import mine_files

    if as_json and output == "-" and engine != RAY:
        raise UsageError("the pairs and the report cannot both go to standard output", hint="name a file with -o")
    if recall is not None:
        if chosen["search"] == "exact" or (engine == RAY and chosen["search"] == "auto"):
            raise UsageError("--recall is for approximate search", hint="add --search approximate")
        chosen["recall"] = recall
    config = MiningConfig(languages=languages or None, **chosen)
    opened = load(model)
    if on_cluster(engine, address):
        refuse({"plot": plot, "work": work}, "plot", "work")
        report = _mine_shards(
            source, target, output, opened, config, address, calibrate, block, ids=ids, to=to, column=column
        )
    else:
        if block is not None:
            raise UsageError("--block is for a cluster", hint="add --engine ray")
        if column is None:
            doubt_lines(source, target, columns=True)
        with Progress(beside_data=output == "-") as progress:
            progress.reading([source, target], "lines")
            report = mine_files(
                source,
                target,
                output,
                opened,
                config,
                ids=ids,
                to=to,
                column=column,
                calibrate=calibrate,
                plot=plot,
                work=work,
                watch=_watch(progress),
            ).as_dict()
    if as_json:
        click.echo(options.as_json_text(report))
    else:
        _tell(report, output, config.keep_other_languages)
    _tell_doubt(report, chosen=config.threshold == "auto")


def _mine_shards(
    source: str,
    target: str,
    output: str,
    model: Model,
    config: MiningConfig,
    address: str | None,
    calibrate: str | None,
    block: int | None,
    **given: Any,
) -> dict[str, Any]:
    from ..cluster.mine import BLOCK, mine_shards
    from ..cluster.places import Place
    from ..tasks.mine import known_pairs

    out = require_folder([output])
    if given["column"] is None:
        doubt_shards(source, target)
    known = None
    if calibrate is not None:
        with Place.of(calibrate).fetched() as path:
            known = list(known_pairs(str(path), config.languages, (source, target)))
    with Progress() as progress, cluster(address, config.threads) as engine:
        return mine_shards(
            [source],
            [target],
            out,
            model,
            config,
            engine,
            known=known,
            block=block or BLOCK,
            watch=watch(progress),
            **given,
        )


def _watch(progress: Progress) -> Any:
    from ..mining import MiningWatch

    class Told(MiningWatch):
        """The lines of both piles are one number."""

        def __init__(self) -> None:
            self.lines: dict[str, int] = {}
            self.begun = 0.0
            self.told = False

        def read(self, name: str, lines: int) -> None:
            self.lines[name] = lines
            progress.at(sum(self.lines.values()))

        def searched(self, now: Searched) -> None:
            if not self.begun:
                self.begun = time.monotonic()
                progress.stage("searching", "pairs", total=now.total, then="choosing pairs")
            progress.at(now.done)
            passed = time.monotonic() - self.begun
            if not self.told and passed >= _KNOWN_AFTER:
                self.told = True
                left = passed * (now.total - now.done) / now.done
                if passed + left >= _WORTH_TELLING:
                    progress.keep(f"searching {now.total:.3g} pairs: about {duration(left)} left")

    return Told()


def _tell_languages(report: dict[str, Any], keeps_all: bool) -> None:
    from ..corpus.expectation import most_of
    from ..corpus.identification import HINT, available

    for name in ("source", "target"):
        others, mixed = report[name]["other_languages"], report[name]["mixed_languages"]
        if others:
            found = ", ".join(f"{language} {count:,}" for language, count in list(others.items())[:_LISTED])
            found += ", …" if len(others) > _LISTED else ""
            count = sum(others.values())
            note(
                f"{name}: left out {count:,} line{'s' if count > 1 else ''} in another language than "
                f"{report[name]['language']} ({found}); --keep-other-languages keeps them"
            )
            if count > report[name]["sentences"]:
                warn(f"{name}: most lines are not in {report[name]['language']}: is this the order of --languages?")
        if (mostly := most_of(mixed)) is not None:
            warn(f"{name}: {mixed[mostly]:.0%} of the lines are in {mostly}, unlike the file's name; --languages tells")
        elif mixed:
            found = ", ".join(f"{share:.0%} {language}" for language, share in list(mixed.items())[:_LISTED])
            warn(f"{name}: lines are in several languages ({found} besides); --languages says which to keep")
    if not (keeps_all or available()):
        note(f"lines in other languages are not looked for; to leave them out: {HINT}")


def _tell(report: dict[str, Any], output: str, keeps_all: bool) -> None:
    for name in ("source", "target"):
        side = report[name]
        note(
            f"{name}: {side['lines']:,} lines, {side['sentences']:,} sentences "
            f"({side['blank']:,} lines are blank, {side['repeated']:,} repeat one before)"
        )
    _tell_languages(report, keeps_all)
    where = "" if output == "-" else f"{output}: "
    note(f"{where}{report['pairs']:,} pairs of {report['candidates']:,} candidates")
    if report["search_recall"] is not None:
        note(f"approximate search found {report['search_recall']:.1%} of the nearest neighbours, measured on a sample")
    if report["most_shared"] > 1:
        note(f"the most popular sentence is in {report['most_shared']:,} of them")
    if report["expected"] is not None:
        _tell_estimate(report, report["expected"])


def _tell_estimate(report: dict[str, Any], expected: dict[str, Any]) -> None:
    from ..thresholds.words import estimated_shares

    what = f"threshold {expected['threshold']:.4f}"
    if report["threshold"] is None:
        what = f"--threshold auto would keep {expected['kept']:,} ({what})"
    told = estimated_shares(expected)
    note(f"{what}: {told}, estimated from {report['evidence']}" if told else what)


def _tell_doubt(report: dict[str, Any], chosen: bool) -> None:
    """`chosen`: the threshold is the estimate's, not the user's, so that -q is no reason to keep silent."""
    from ..thresholds.words import untold_shares

    expected = report["expected"]
    if expected is not None and (untold := untold_shares(expected, report["doubt"])):
        say = warn if chosen and expected["precision_range"] is None else note
        # Known translations always tell recall; precision stays unknown where right and wrong pairs score alike.
        helps = expected["recall_range"] is None
        say(f"{untold}; --calibrate BITEXT estimates recall from known translations" if helps else untold)
