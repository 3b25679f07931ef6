from __future__ import annotations

import json

import click

from ..errors import UsageError
from . import options
from .command import command
from .places import FILE
from .progress import Progress
from .quotes import two_texts
from .texts import require_no_files
from .visible import harmless_there


@command(
    examples={
        'calque similarity "A dog runs." "Un perro corre."': "the model in the box",
        'calque similarity --model my-model "A dog runs." "Un perro corre."': "",
        "calque similarity --pairs candidates.tsv > scored.tsv": "the score is the last column",
    }
)
@click.argument("texts", nargs=-1, metavar="[A B]")
@options.model
@click.option(
    "--pairs",
    type=FILE,
    metavar="FILE",
    help="Score the pairs of a TSV or another bitext; the score is the last column.",
)
@click.option(
    "--columns", type=options.Columns(named=False), default="1,2", show_default=True, help="Which columns to compare."
)
@options.languages
@options.as_json
def similarity(
    texts: tuple[str, ...],
    model: str | None,
    pairs: str | None,
    columns: tuple[int, int],
    languages: tuple[str, str],
    as_json: bool,
) -> None:
    """Score how alike two sentences mean: the cosine of their vectors, 1 at the most."""
    from ..model import load
    from ..model.familiarity import COMPARING, sides_of_pairs, warn_of_languages
    from ..tasks.similarity import score_pairs

    if (pairs is None) == (len(texts) == 0) or len(texts) not in (0, 2):
        got = f"{len(texts)} text{'' if len(texts) == 1 else 's'}"
        raise UsageError(
            f"expected two texts or --pairs FILE, got {got}{' and --pairs' if pairs else ''}",
            hint=f"put quotation marks around each text, {two_texts('calque similarity', texts)}, "
            "or name a file of pairs with --pairs",
        )
    if pairs is None:
        require_no_files(texts)
    opened = load(model)
    if pairs is None:
        warn_of_languages(opened, *sides_of_pairs((), languages or None), expect=COMPARING)
        score = opened.similarity(texts[0], texts[1], languages)
        click.echo(json.dumps({"score": score, "first": texts[0], "second": texts[1]}) if as_json else f"{score:.4f}")
        return
    with Progress(beside_data=True) as progress:
        progress.reading([pairs], "pairs", "scoring")
        for count, (line, first, second, score) in enumerate(
            score_pairs(opened, pairs, columns, languages or None), start=1
        ):
            described = {"score": score, "first": first, "second": second}
            shown = json.dumps(described, ensure_ascii=False) if as_json else f"{line}\t{score:.4f}"
            click.echo(harmless_there(shown))
            progress.at(count)
