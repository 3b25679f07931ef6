"""Cleaning rules as options, for the commands that take them."""

from __future__ import annotations

import click

from .command import Command
from .options import Decorator

PRESETS = ("none", "light", "strict")  # corpus.cleaning, unimported


class CommandWithRules(Command):
    """Its help ends with every rule and its limits under the presets."""

    checks_languages = False  # by any preset

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from ..corpus.cleaning import RULES
        from ..corpus.cleaning.presets import limits_of

        width = max(len(rule.name) for rule in RULES)
        rows = [(f"{'':<{width}}  light  strict", "drops pairs with")]
        limits = [limits_of(preset, self.checks_languages) for preset in ("light", "strict")]
        for rule in RULES:
            cells = [_limit(each, rule.name) for each in limits]
            rows.append((f"{rule.name:<{width}}  {cells[0]:>5}  {cells[1]:>6}", rule.summary))
        with formatter.section("Rules"):
            formatter.write_dl(rows, col_max=40)


class CommandThatChecksLanguages(CommandWithRules):
    """Every preset of filtering looks for sides in another language."""

    checks_languages = True


def _limit(limits: dict[str, float | None], name: str) -> str:
    if name not in limits:
        return ""
    limit = limits[name]
    return "yes" if limit is None else f"{limit:g}"


def preset(default: str) -> Decorator:
    return click.option(
        "--preset",
        type=click.Choice(PRESETS),
        default=default,
        show_default=True,
        help="Which rules, and how strict; see below.",
    )


rules: Decorator = click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME[=LIMIT]",
    help="Add a rule, or change its limit; module:function names one of your own. May be repeated.",
)
without: Decorator = click.option(
    "--without", multiple=True, metavar="NAME", help="Leave out a rule, or mojibake: mend no text."
)
