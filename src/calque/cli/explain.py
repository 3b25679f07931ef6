from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import options
from .command import command
from .manner import note
from .places import FILE
from .quotes import two_texts
from .texts import require_no_files

if TYPE_CHECKING:
    from ..explanation import Explanation, Part

TOP = 12


@command(
    examples={
        'calque explain "A dog runs." "Un perro corre."': "",
        'calque explain "A dog runs." "Un perro corre." --plot why.svg': "needs pip install 'calque-nlp[plot]'",
        'calque explain --model my-model --by piece --json "A dog runs." "Un perro corre."': "",
    }
)
@click.argument("texts", nargs=-1, metavar="A B")
@options.model
@click.option(
    "--by",
    type=click.Choice(["word", "piece"]),
    default="word",
    show_default=True,
    help="Whether to add up the pieces of a word.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=TOP,
    show_default=True,
    metavar="N",
    help="How many of the strongest to list where a whole table would not fit.",
)
@click.option("--plot", type=FILE, metavar="FILE", help="Draw it as a heat map; .png, .svg or .pdf.")
@click.option(
    "--languages", nargs=2, metavar="L L", help="The texts' languages, for models with a vocabulary for each."
)
@options.as_json
def explain(
    texts: tuple[str, ...],
    model: str | None,
    by: str,
    top: int,
    plot: str | None,
    languages: tuple[str, str] | None,
    as_json: bool,
) -> None:
    """Show what makes two texts similar: how much each pair of words adds to the score.

    A text's vector is the average of its pieces' vectors, so the similarity is a sum over all pairs of a piece of one
    text and a piece of the other. Nothing is estimated: what is shown adds up to the score. What the model does not
    know adds nothing, and is named.
    """
    from ..pictures import require_pictures
    from ..tasks.explain import explain as run

    if len(texts) != 2:
        raise UsageError(
            f"expected two texts, got {len(texts)}",
            hint=f"put quotation marks around each: {two_texts('calque explain', texts)}",
        )
    require_no_files(texts)
    if plot:
        require_pictures(plot)
    explained = run(*texts, model=model, languages=languages)
    shown = explained.by_word() if by == "word" else explained
    if plot:
        _draw(shown, plot)
    if as_json:
        click.echo(options.as_json_text(_described(shown, by)))
    else:
        from .explained import print_explanation

        print_explanation(shown, by, top)


def _draw(shown: Explanation, path: str) -> None:
    from ..explanation.plot import plot_explanation

    plot_explanation(shown, path)
    note(f"drawn: {path}")


def _described(shown: Explanation, by: str) -> dict[str, Any]:
    sides = zip(
        ("first", "second"),
        shown.texts,
        (shown.first, shown.second),
        (shown.first_totals, shown.second_totals),
        strict=True,
    )
    described: dict[str, Any] = {"score": shown.score, "by": by}
    for name, text, parts, totals in sides:
        described[name] = {"text": text, "parts": _listed(parts, totals.tolist())}
    return described | {"unknown": list(shown.unknown), "contributions": shown.contributions.tolist()}


def _listed(parts: tuple[Part, ...], totals: list[float]) -> list[dict[str, Any]]:
    return [part._asdict() | {"total": total} for part, total in zip(parts, totals, strict=True)]
