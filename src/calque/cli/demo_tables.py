"""What the demonstration prints."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from ..corpus.languages import distinct
from ..demo import Demo, Look, Opened
from ..demo.look import CHANCE, LANGUAGES

_TRANSLATIONS = 3  # the first of the similarities
_NUMBERS = ("similarity", "in the box", "trained", "untrained", "by chance")


def show_box(opened: Opened) -> None:
    look, console = opened.look, _console()
    model = look.model
    assert model.path is not None
    megabytes = sum(file.stat().st_size for file in model.path.iterdir()) / 1e6
    languages = len(distinct(model.languages))
    console.print(
        f"\n[bold]The model in the box[/bold] knows {languages} languages by {model.vocabulary.size:,} vectors of "
        f"{model.dimension} numbers, {megabytes:.1f} MB, and opened in {1000 * opened.seconds:.0f} ms.\n"
    )
    _show(console, look)
    found = ", ".join(f"{share:.0%} in {LANGUAGES[language]}" for language, share in look.found.items())
    console.print(f"Of 100 English sentences, it finds the translation among 100: {found}.")
    _show_speed(console, look)
    console.print("[bold]Now one is trained in front of you[/bold], on a few hundred lines.")


def show_trained(result: Demo, opened: Opened | None) -> None:
    look, console = result.look, _console()
    console.print(
        f"\nCalque read {result.lines} sentences in {', '.join(LANGUAGES.values())}, and was told nothing but which "
        f"ones translate each other. From that it learnt {look.model.vocabulary.size:,} vectors of "
        f"{look.model.dimension} numbers in {result.seconds:.0f} seconds, one for each piece of a word. A sentence's "
        "vector is the average of its pieces' vectors. All sentences below are new to it.\n"
    )
    _show(console, look)
    boxed = ["in the box"] if opened else []
    found = _table("Translations found among 100", "language", "trained", "untrained", "by chance", *boxed)
    for language, share in look.found.items():
        shares = [share, result.untrained[language], CHANCE, *([opened.look.found[language]] if opened else [])]
        found.add_row(LANGUAGES[language], *(f"{each:.0%}" for each in shares))
    console.print(found)
    _show_speed(console, look)


def show_next(out: str | None, *, boxed: bool) -> None:
    console, kept = _console(), out or "first-look"
    steps = ['calque similarity "A dog runs." "Un perro corre."'] if boxed else []
    steps += [] if out else [f"calque demo --out {kept}"]
    steps += [
        f'calque similarity --model {kept}/model "A dog runs." "Un perro corre."',
        f"calque similarity --model {kept}/model --pairs {kept}/demo.en-es.tsv",
        "calque train YOUR-BITEXT.tsv --out my-model",
    ]
    console.print("This was learnt from a few hundred lines; real models learn from hundreds of thousands. Next:\n")
    for step in steps:
        console.print(f"  {step}", soft_wrap=True)
    console.print("\nYOUR-BITEXT.tsv holds a sentence and its translation on each line, with a tab between them.")


def _show(console: Console, look: Look) -> None:
    similar = _table("How alike do they mean?  (1 = the same)", "sentence", "similarity")
    for at, (_, other, score) in enumerate(look.similarities):
        similar.add_row(other, f"{score:.2f}", style="green" if at < _TRANSLATIONS else None)
    console.print(f"[bold]“{look.similarities[0][0]}”[/bold] beside its three translations, then beside others:")
    console.print(similar)
    nearest = _table("Which of 100 sentences translates it?", "English", "nearest", "similarity", "right")
    for each in look.neighbours:
        nearest.add_row(
            each.query, f"{each.language}: {each.found}", f"{each.score:.2f}", "yes" if each.right else "no"
        )
    console.print(nearest)


def _show_speed(console: Console, look: Look) -> None:
    first, again = look.speed
    console.print(
        f"Speed on this machine: {first:,.0f} sentences a second of new text, {again:,.0f} of text whose words have "
        "been met.\n"
    )


def _console() -> Console:
    return Console(highlight=False)


def _table(title: str, *columns: str) -> Table:
    made = Table(title=title, title_justify="left", title_style="bold")
    for name in columns:
        made.add_column(name, justify="right" if name in _NUMBERS else "left", overflow="fold")
    return made
