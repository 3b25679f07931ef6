"""The command line: parsing and printing only. Each command calls the function of the same name."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from .._version import __version__
from ..errors import CalqueError
from .command import ReaderGone
from .interrupts import interruptible
from .lazy import LazyGroup
from .memory import lacks_memory
from .visible import harmless

SUMMARIES = {
    "train": "Learn a model from bitext.",
    "encode": "Turn lines of text into vectors.",
    "similarity": "Score how alike two sentences mean.",
    "mine": "Find the translations in two piles of text.",
    "search": "Find sentences by what they mean, in any language.",
    "align": "Find which sentences of two documents translate each other.",
    "explain": "Show what makes two texts similar.",
    "dedup": "Find and drop lines that say the same as others.",
    "filter": "Keep the pairs of a bitext that translate each other.",
    "serve": "Answer over HTTP, as OpenAI does, with a page to try it on.",
    "evaluate": "Measure how good a model is.",
    "reproduce": "Run the paper's experiments, tables and figure.",
    "corpus": "Read, convert, clean, describe and fetch bitext.",
    "export": "Write a model for other libraries, or a smaller one.",
    "info": "Show what a model is and how it was made.",
    "demo": "See it all at work in a minute, without any data.",
    "completion": "Print what makes your shell complete Calque's commands.",
}
INTERNAL = 70  # the exit code of a mistake in Calque itself

_EPILOG = """\
Data goes to standard output, everything else to standard error.

\b
Exit codes:
  0    done
  1    bad data, or a place that cannot be read or written
  2    bad usage: a command, an option, calque.toml or a file's name
  70   a mistake in Calque itself; -v shows where
  130  interrupted
  141  whoever read the output has gone

\b
Environment, below the command line:
  CALQUE_MODEL   the model folder, or box
  CALQUE_DATA    the folder with bitext/ and eval/, for evaluate and reproduce
  CALQUE_CACHE   the folder for what corpus download fetches
  CALQUE_CONFIG  another calque.toml; empty for none
  NO_COLOR       no colours

\b
calque.toml, below the environment; in this folder, one above it, or your configuration folder (~/.config/calque):
  model = "my-model"       # also data, cache, threads, quiet and verbose
  [corpus.clean]           # options of a command, by their long names
  preset = "strict"
"""


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=_EPILOG,
    examples={
        "calque demo": "a first look",
        'calque similarity "A dog runs." "Un perro corre."': "the model in the box",
        "calque train en-es.tsv --out my-model": "learn from your bitext",
        'calque similarity --model my-model "A dog runs." "Un perro corre."': "",
    },
)
@click.version_option(__version__, "--version", prog_name="calque", message="%(prog)s %(version)s")
def calque() -> None:
    """Sentence embeddings learnt from translations."""


def main(arguments: list[str] | None = None) -> None:
    """Runs a command; problems that the user can mend end in two lines, never in a traceback."""
    try:
        with interruptible():
            calque.main(arguments, prog_name="calque", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", None, 130)
    except ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in its buffer goes nowhere
        sys.exit(141)
    except Exception as problem:
        if lacks_memory(problem):
            _fail("not enough memory", "give it less at once, or close other programs", 1)
        _explain(problem)


def _explain(problem: Exception) -> NoReturn:
    if isinstance(problem, CalqueError):
        _fail(problem.message, problem.hint, problem.exit_code)
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        click.echo(problem.format_message(), err=True)
        sys.exit(problem.exit_code)
    if isinstance(problem, click.ClickException):
        _fail(problem.format_message(), _usage_hint(problem), problem.exit_code)
    if isinstance(problem, OSError):
        _fail(str(problem), None, 1)
    _fail(
        f"a mistake in Calque: {type(problem).__name__}: {problem}",
        "-v shows where; please report it with that, and what you did",
        INTERNAL,
    )


def _fail(message: str, hint: str | None, code: int) -> NoReturn:
    click.echo(f"error: {harmless(message)}", err=True)
    if hint:
        click.echo(f"\nhint: {harmless(hint)}", err=True)
    sys.exit(code)


def _usage_hint(problem: click.ClickException) -> str | None:
    context = getattr(problem, "ctx", None)
    return f"see {context.command_path} --help" if context else None
