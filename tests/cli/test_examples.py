"""Examples in every help, each of which would be understood."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from every import COMMANDS

from calque.cli import calque
from calque.cli.command import Command, example_lines
from calque.errors import UsageError

EXAMPLES = [
    (path, example)
    for path, command in COMMANDS.items()
    if isinstance(command, Command)
    for example in command.examples
]


def calls_in(example: str) -> list[list[str]]:
    """The calls of calque in a line of a shell, without what the shell does for them."""
    plain = re.sub(r"\$\(([^)]*)\)", "x.tsv ; \\1 ;", example)
    calls, words = [], shlex.split(plain.replace("\n", " ").replace(";", " ; "))
    for word in [*words, ";"]:
        if word == "calque":
            calls.append([])
        if word in ("|", ";", "&&"):
            calls += [[]]
        elif calls:
            calls[-1].append(word)
    return [_without_redirections(call[1:]) for call in calls if call[:1] == ["calque"]]


def _without_redirections(words: list[str]) -> list[str]:
    ends = [at for at, word in enumerate(words) if word in (">", ">>", "<")]
    return words[: ends[0]] if ends else words


def parse(arguments: list[str]) -> click.Context:
    """As far as the command that would run, with all its options; it does not run."""
    context = calque.make_context("calque", list(arguments))
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    return context


@pytest.mark.parametrize("path", COMMANDS)
def test_every_help_has_examples_of_its_own(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = COMMANDS[path]
    assert isinstance(command, Command)
    assert command.examples
    assert all(f"calque {path}".strip() in example for example in command.examples)
    with pytest.raises(SystemExit) as ended:
        calque.main([*path.split(), "--help"], prog_name="calque")
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert printed.count("\nExamples:\n") == 1
    for line in example_lines(command.examples):
        assert f"\n  {line}\n" in printed


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_every_example_would_be_understood(path: str, example: str) -> None:
    calls = calls_in(example)
    assert calls
    for call in calls:
        assert isinstance(parse(call).command, Command)


@pytest.mark.parametrize(
    "wrong",
    [
        "calque train a.tsv --out m --epoks 3",
        "calque export --to word3vec -o m",
        "calque corpus wash a.tsv",
        "zcat a.gz | calque encode --model m > vectors.raw && calque info a b",
    ],
)
def test_an_example_that_would_not_be_is_found_out(wrong: str) -> None:
    *good, last = calls_in(wrong)
    for call in good:
        parse(call)
    with pytest.raises((click.UsageError, UsageError)):
        parse(last)


@pytest.mark.parametrize("path", COMMANDS)
def test_comments_stand_in_one_column(path: str) -> None:
    command = COMMANDS[path]
    assert isinstance(command, Command)
    columns = {line.index("  # ") for line in example_lines(command.examples) if "  # " in line}
    commented = [line.rstrip() for line in example_lines(command.examples) if "  # " in line]
    assert len(columns) <= 1 or all(re.search(r"\S +# \S", line) for line in commented)
    assert len({line.rindex(" # ") for line in commented}) <= 1


def test_the_first_help_tells_exit_codes_variables_and_calque_toml(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        calque.main(["--help"], prog_name="calque")
    printed = capsys.readouterr().out
    for code in ("0", "1", "2", "70", "130", "141"):
        assert re.search(rf"^ +{code} +\w", printed, re.MULTILINE)
    for name in ("CALQUE_MODEL", "CALQUE_DATA", "CALQUE_CACHE", "CALQUE_CONFIG", "NO_COLOR", "calque.toml"):
        assert name in printed
