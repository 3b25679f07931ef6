from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import engine, options
from .command import command
from .engine import cluster, on_cluster, refuse, require_folder, watch
from .manner import note
from .places import FILE
from .progress import Progress
from .visible import visible

_BY = {
    "negation": "a negation",
    "opposite": "an opposite",
    "number": "a number",
    "unread": "letters that the model does not know",
}
_WIDTH = 60  # characters of an example

if TYPE_CHECKING:
    from ..deduplication.contrast import Reason
    from ..model import Model
    from ..tasks.dedup import Options
    from ..tasks.dedup_files import Found, Shown, Watch
    from ..tasks.dedup_intake import Source


@command(
    examples={
        "calque dedup sentences.txt | less": "see first what would go",
        "calque dedup sentences.txt -o unique.txt --groups dropped.tsv": "",
        "calque dedup corpus.en-es.tsv --keep longest -o unique.en-es.tsv": "pairs, of which both sides are alike",
        "calque dedup train.txt --against test.txt -o clean.txt": "keep a test set out of the training text",
        "calque dedup shards/ --engine ray --address auto -o unique/": "over a cluster, a part for each shard",
    },
    rivals=[{"keep", "against"}],
)
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS...", type=FILE)
@options.model
@click.option(
    "--threshold", type=float, metavar="T", help="How similar is a duplicate, 1 at the most.  [default: 0.95]"
)
@click.option(
    "--keep",
    type=click.Choice(["first", "longest"]),
    help="Which line of a group stays.  [default: first]",
)
@click.option(
    "--against", multiple=True, type=FILE, metavar="FILE", help="Drop what repeats a line of FILE. May be repeated."
)
@click.option("--ignore-numbers", is_flag=True, help="Drop near lines whose numbers differ, too.")
@click.option("--drop-opposites", is_flag=True, help="Drop near lines that a negation or an opposite tells apart, too.")
@click.option(
    "--output",
    "-o",
    "outs",
    multiple=True,
    type=FILE,
    metavar="OUT",
    help="Write what stays; twice for parallel files.",
)
@click.option(
    "--dry-run/--no-dry-run",
    default=None,
    help="Print the groups and write nothing.  [default: dry run, unless there is an OUT]",
)
@click.option("--groups", type=FILE, metavar="FILE", help="Write the groups as TSV.")
@click.option(
    "--bitext/--lines", default=None, help="Whether the files hold pairs or lines.  [default: by their content]"
)
@options.reading
@click.option("--language", metavar="L", help="The lines' language, for models with a vocabulary for each.")
@options.to
@engine.options
@options.as_json
def dedup(
    corpus: tuple[str, ...],
    model: str | None,
    threshold: float | None,
    keep: str | None,
    against: tuple[str, ...],
    ignore_numbers: bool,
    drop_opposites: bool,
    outs: tuple[str, ...],
    dry_run: bool | None,
    groups: str | None,
    bitext: bool | None,
    language: str | None,
    to: str | None,
    as_json: bool,
    engine: str,
    address: str | None,
    **reading: Any,
) -> None:
    """Find lines that say the same as others, in the same language or in another, and drop them.

    A line is dropped if a line that stays has the same letters and digits, or a similarity of T or more. Of a bitext,
    both sides must be alike. First see what would go: without an OUT nothing is written, and groups are printed with
    number, verdict (kept, dropped:same, dropped:near), similarity to what is kept, file, line and text. A vector is
    an average: it does not see the order of words, and hardly a "not". So near lines stay if a number, a negation or
    an opposite (at most, at least) tells them apart, unless you ask to drop them; words are looked up in lists of 52
    languages, or in --language's alone. Lines most of whose letters the model does not know stay, too. Translations
    lie further apart than paraphrases: to find them, try a T of 0.7.
    """
    from ..model import load
    from ..tasks.dedup import THRESHOLD, Options
    from ..tasks.dedup_files import Outputs, find_in_files
    from ..tasks.dedup_intake import Source

    chosen = Options(
        THRESHOLD if threshold is None else threshold,
        keep or "first",  # type: ignore[arg-type]
        numbers=not ignore_numbers,
        opposites=not drop_opposites,
    )
    if on_cluster(engine, address):
        refuse({"groups": groups, "dry_run": dry_run}, "groups", "dry_run")
        source = Source(bitext, language=language, **reading)
        _dedup_shards(load(model), corpus, require_folder(outs), chosen, address, as_json, against, source, to)
        return
    dry = not outs if dry_run is None else dry_run
    _check(dry, outs, against, keep, as_json, groups)
    with (
        Progress() as progress,
        find_in_files(
            corpus,
            load(model),
            chosen,
            against=against,
            source=Source(bitext, language=language, **reading),
            outputs=Outputs(outs, to, groups),
            watch=_watch(progress, [*against, *corpus]),
        ) as found,
    ):
        progress.stage("writing")
        if groups:
            found.write_groups(groups)
        if as_json or dry:
            progress.clear()
            _print_groups(found, as_json)
        if as_json:
            click.echo(json.dumps(found.report(), ensure_ascii=False).encode("utf-8", "replace").decode())
        if not dry:
            found.write(Outputs(outs, to))
        progress.keep(_summary(found, dry, bool(against)))


def _dedup_shards(
    model: Model,
    corpus: tuple[str, ...],
    out: str,
    chosen: Options,
    address: str | None,
    as_json: bool,
    against: tuple[str, ...],
    source: Source,
    to: str | None,
) -> None:
    from ..cluster.dedup import dedup_shards

    with Progress() as progress, cluster(address, None) as engine:
        report = dedup_shards(
            model, corpus, out, engine, chosen, against=against, source=source, to=to, watch=watch(progress)
        )
    if as_json:
        click.echo(options.as_json_text(report))
    what = "pairs" if report["pairs"] else "lines"
    near = report["dropped"] - report["same"]
    note(
        f"{out}: {report['lines']:,} {what}, {report['kept']:,} kept, {report['dropped']:,} dropped: "
        f"{report['same']:,} with the same letters and digits, {near:,} near{_spared(report['spared'])}"
    )


def _check(
    dry: bool, outs: tuple[str, ...], against: tuple[str, ...], keep: str | None, as_json: bool, groups: str | None
) -> None:
    if not dry and not outs:
        raise UsageError("--no-dry-run needs a place for what stays", hint="-o OUT; nothing is changed in place")
    if keep and against:
        raise UsageError("--keep says which line of a group stays; with --against it is always FILE's")
    if ("-" in outs and not dry) + (groups == "-") + as_json > 1:
        raise UsageError("groups and lines cannot both go to standard output", hint="give one of them a file")


def _watch(progress: Progress, paths: list[str]) -> Watch:
    from ..tasks.dedup_files import Watch

    progress.reading(paths, "lines")
    comparing = False

    def compared(share: float) -> None:
        nonlocal comparing
        if not comparing:
            progress.stage("comparing", total=1)
            comparing = True
        progress.at(share)

    return Watch(progress.at, compared)


def _print_groups(found: Found, as_json: bool) -> None:
    from ..tasks.dedup_files import as_tsv

    plain = not sys.stdout.isatty()
    for number, group in enumerate(found.groups(), start=1):
        if as_json:
            click.echo(_as_json(number, group))
        elif plain:
            click.echo("".join(as_tsv(number, line) for line in group).encode("utf-8", "replace"), nl=False)
        else:
            _print_group(number, group)


def _as_json(number: int, group: list[Shown]) -> str:
    described = {"group": number, "lines": [line._asdict() for line in group]}
    return json.dumps(described, ensure_ascii=False).encode("utf-8", "replace").decode()


def _print_group(number: int, group: list[Shown]) -> None:
    """For a terminal: a group is a paragraph."""
    click.secho(f"group {number}", dim=True)
    for line in group:
        kept = line.verdict == "kept"
        similarity = "kept  " if kept else f"{line.similarity:.4f}"
        place = click.style(f"{line.file}:{line.line}", dim=True)
        text = " ⇥ ".join(map(visible, line.texts))
        same = click.style("  same letters", dim=True) if line.verdict == "dropped:same" else ""
        click.echo(f"  {click.style(similarity, fg='green' if kept else 'red')}  {text}  {place}{same}")


def _summary(found: Found, dry: bool, against: bool) -> str:
    what = "pairs" if found.store.sides == 2 else "lines"
    dropped, same = found.dropped, found.same
    verb = "would be dropped" if dry else "dropped"
    told = f"{found.lines:,} {what}, {found.lines - dropped:,} kept, {dropped:,} {verb}"
    reasons = f": {same:,} with the same letters and digits, {dropped - same:,} near" if dropped else ""
    advice = "\nnothing was written; -o OUT writes what stays" if dry and dropped else ""
    references = f" to one of {found.references:,} references" if against and dropped else ""
    return told + reasons + references + _spared(found.duplicates.counts()) + _examples(found) + advice


def _spared(counts: dict[Reason, int]) -> str:
    """Say how many lines stay although they are near to another, and why."""
    reasons = [f"{count:,} by {_BY[reason]}" for reason, count in counts.items() if count]
    return f"\n{sum(counts.values()):,} near but told apart, so kept: {', '.join(reasons)}" if reasons else ""


def _examples(found: Found) -> str:
    """Show one line for each reason beside the line that it is near to."""
    shown: dict[str, str] = {}
    for reason, lines in found.examples():
        texts = (_shortened(" ⇥ ".join(map(visible, line.texts))) for line in lines)
        shown.setdefault(reason, f"\n  {reason}: " + " | ".join(texts))
    return "".join(shown.values())


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
