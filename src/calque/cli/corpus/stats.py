from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import click

from .. import options
from ..command import command
from ..progress import Progress
from ..visible import harmless

if TYPE_CHECKING:
    from ...tasks.stats import Stats

_BAR = 24  # characters of the longest bar; fewer on a narrow terminal


@command(
    examples={
        "calque corpus stats corpus.en-es.tsv.gz": "",
        "calque corpus stats memory.tmx --languages en es --pieces 0 --json": "faster, without the overlap",
    }
)
@options.bitext
@options.reading
@click.option(
    "--pieces",
    type=click.IntRange(min=0),
    default=20_000,
    show_default=True,
    help="Pieces a language for their overlap, learnt from the first 100,000 pairs; 0 leaves it out and is faster.",
)
@options.as_json
@options.threads
def stats(bitext: tuple[str, ...], pieces: int, as_json: bool, threads: int | None, **reading: Any) -> None:
    """Show what a bitext is like: sizes, lengths, pieces in common, repeats and likely noise.

    Noise is counted by each rule of the strict preset by itself (see calque corpus clean --help), but for the wrong
    language, which takes long. The piece overlap is the paper's: the share of the source's pieces that occur in the
    target too, each side having a SentencePiece vocabulary of its own.
    """
    from ...tasks.stats import stats as run

    with Progress() as progress:
        progress.reading(bitext, "pairs", "counting", then="learning pieces" if pieces else "")
        found = run(bitext, pieces=pieces, threads=threads, report=progress.at, **reading)
    if as_json:
        click.echo(options.as_json_text(found.as_dict()))
    else:
        _print(found)


def _print(found: Stats) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)

    def table(*columns: str) -> Table:
        made = Table(*columns, box=None, pad_edge=False)
        for column in made.columns[1:]:
            column.justify = "right"
        return made

    sides = (found.source, found.target)
    console.print(f"{found.pairs:,} pairs\n")
    sizes = table(
        "", *(harmless(side.language or name) for side, name in zip(sides, ("source", "target"), strict=True))
    )
    sizes.add_row("words", *(f"{side.words:,}" for side in sides))
    sizes.add_row("words a sentence", *(f"{side.mean_words:.1f}" for side in sides))
    sizes.add_row("characters", *(f"{side.characters:,}" for side in sides))
    sizes.add_row("characters a sentence", *(f"{side.mean_characters:.1f}" for side in sides))
    sizes.add_row("characters of the longest", *(f"{side.longest:,}" for side in sides))
    if found.overlap:
        tokens = (count / max(found.overlap.pairs, 1) for count in found.overlap.tokens)
        sizes.add_row("pieces a sentence", *(f"{count:.1f}" for count in tokens))
    console.print(sizes)
    _print_lengths(found)
    if found.overlap:
        console.print(
            f"\npiece overlap {found.overlap.share:.1%} of the pieces, {found.overlap.token_share:.1%} of the text "
            f"({found.overlap.size:,} pieces a language, learnt from {found.overlap.pairs:,} pairs)"
        )
    elif found.pieces:
        console.print("\npiece overlap: too little text to learn pieces from")
    noise = table("\nlikely noise", "\npairs", "\nshare")
    for rule, counted in found.noise.items():
        noise.add_row(rule, f"{counted.count:,}", f"{counted.count / found.pairs:.2%}")
    console.print(noise)
    for rule, reason in found.skipped.items():
        console.print(f"{rule}: not checked; it {reason}", markup=False)


def _print_lengths(found: Stats) -> None:
    from ...tasks.stats import EDGES

    most = max(*found.source.lengths, *found.target.lengths, 1)
    width = max(min(_BAR, (shutil.get_terminal_size().columns - 16) // 2), 4)
    one, two = found.source.language or "source", found.target.language or "target"
    click.echo(harmless(f"\n{'characters':>11}  {one:<{width}}  {two}"))
    for at, edge in enumerate(EDGES):
        ends = f"{edge:,}–{EDGES[at + 1] - 1:,}" if at + 1 < len(EDGES) else f"{edge:,}–"
        one, two = (_bar(side.lengths[at], most, width) for side in (found.source, found.target))
        click.echo(f"{ends:>11}  {one:<{width}}  {two}".rstrip())


def _bar(count: int, most: int, width: int = _BAR) -> str:
    """Eighths of a character; what is not nothing shows.

    >>> _bar(1, 1000), _bar(0, 1000), len(_bar(1000, 1000))
    ('▏', '', 24)
    """
    eighths = -(-count * width * 8 // most)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else "")
