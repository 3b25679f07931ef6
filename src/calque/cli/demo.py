from __future__ import annotations

from pathlib import Path

import click

from ..errors import UsageError
from . import options
from .command import command
from .places import FOLDER
from .progress import Progress


@command(
    examples={
        "calque demo": "",
        "calque demo --out first-look": "keep what it trains, and on what",
        "calque demo --sample sample": "bitext, a memory, piles and documents to try the commands on",
    }
)
@click.option(
    "--out", "-o", type=FOLDER, metavar="DIR", help="Keep the bitexts and the trained model in this new folder."
)
@click.option(
    "--sample", type=FOLDER, metavar="DIR", help="Only write files to try the commands on, into this new folder."
)
@options.threads
def demo(out: str | None, sample: str | None, threads: int | None) -> None:
    """See it all at work in a minute, without any data.

    Shows what the model in the box makes of sentences in English, Spanish, German and French. Then trains a smaller one
    in front of you, on a few hundred lines that ship with Calque, and shows the same again.
    """
    from ..demo import can_show_in, look_into_box, run_demo
    from ..threads import resolve_threads
    from ..training import Progress as Training
    from .demo_tables import show_box, show_next, show_trained

    if out is not None and not can_show_in(Path(out)):
        raise UsageError(f"{out} exists already", hint="choose another --out")
    if sample is not None and Path(sample).exists():
        raise UsageError(f"{sample} exists already", hint="choose another --sample")
    if sample is not None:
        if out is not None:
            raise UsageError("--sample trains nothing that --out could keep", hint="leave out one of them")
        _write_sample(Path(sample))
        return
    resolve_threads(threads)  # a mistake should come before anything is shown
    opened = look_into_box(threads)
    if opened:
        show_box(opened)
    with Progress() as progress:
        progress.stage("learning the vocabulary")
        learning = False

        def report(now: Training) -> None:
            nonlocal learning
            if not learning:
                progress.stage("learning", total=now.steps)
                learning = True
            epoch = f"epoch {now.epoch} of {now.epochs}"
            progress.at(now.step, f"{epoch}, {now.pairs_per_second:,.0f} sentence pairs/s", now.seconds_left)

        result = run_demo(Path(out) if out else None, threads, report)
    show_trained(result, opened)
    show_next(out, boxed=opened is not None)


def _write_sample(folder: Path) -> None:
    from ..demo import write_sample
    from .tables import show_table

    rows = [(f"{folder}/{each.name}", each.what, str(each.lines)) for each in write_sample(folder)]
    show_table(("file", "what it is", "lines"), rows, numbers_from=2)
