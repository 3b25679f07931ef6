"""Help and version: every documented name is there."""

from __future__ import annotations

import pytest

import calque
from calque.cli import SUMMARIES, main
from calque.training import TrainingConfig

ENGINE = ("--engine", "--address")

OPTIONS = {
    "train": [
        *("--out", "--resume", "--languages", "--columns", "--dev", "--init", "--add-language", "--add-pieces"),
        *("--weight", "--threads", "--checkpoint-minutes", "--sharing", "--inverse-frequency"),
        *(
            "--recipe",
            "--encoder",
            "--scrambling",
            "--vocabulary",
            "--vocabulary-size",
            "--dimension",
            "--epochs",
            "--seed",
        ),
    ],
    "encode": ["--model", "--output", "-o", "--format", "--normalize", "--language", "--threads", *ENGINE, "--column"],
    "similarity": ["--model", "--pairs", "--columns", "--languages", "--json"],
    "mine": [
        *("--model", "--output", "-o", "--margin", "--retrieval", "-k", "--threshold", "--calibrate", "--plot"),
        *("--ids", "--languages", "--keep-repeats", "--keep-copies", "--search", "--memory", "--work", "--json"),
        *("--threads", "--block", *ENGINE),
    ],
    "search": ["build", "query", "add", "delete", "info"],
    "align": [
        *("--model", "--output", "-o", "--format", "--json", "--one-to-one", "--max-size", "--skip", "--languages"),
        "--threads",
    ],
    "explain": ["--model", "--by", "--top", "--plot", "--languages", "--json"],
    "dedup": [
        *("--model", "--threshold", "--keep", "--against", "--ignore-numbers", "--drop-opposites"),
        *("--output", "-o", "--groups", "--json"),
        *("--languages", "--columns", "--format", "--language", "--to", *ENGINE),
    ],
    "filter": [
        *("--output", "-o", "--model", "--score", "--threshold", "--keep", "--calibrate", "--preset", "--rule"),
        *("--without", "--rejected", "--plot", "--languages", "--columns", "--format", "--to", "--json", "--threads"),
        *ENGINE,
    ],
    "serve": [
        *(
            "--model",
            "--index",
            "--host",
            "--port",
            "--workers",
            "--name",
            "--allow-host",
            "--token-file",
            "--max-body",
        ),
        *("--max-batch", "--max-text", "--max-lines", "--patience", "--threads", "--access-log"),
    ],
    "evaluate": ["--model", "--suite", "--data", "--compare", "--only", "--resamples", "--json", "--markdown"],
    "reproduce": ["--data", "--scale", "--out", "-o", "--json"],
    "corpus": ["convert", "clean", "stats", "download"],
    "export": ["--model", "--to", "--output", "-o", "--bits", "--binary"],
    "info": ["--json"],
    "demo": ["--out", "--sample", "--threads"],
    "completion": ["--quiet", "--verbose"],
}


def help_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    main([*command, "--help"])
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def test_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--version"])
    assert capsys.readouterr().out == f"calque {calque.__version__}\n"


def test_help_names_every_command_with_a_line_on_each(capsys: pytest.CaptureFixture[str]) -> None:
    printed = help_of(capsys)
    for command, line in SUMMARIES.items():
        assert f"{command} " in printed
        assert line in printed
    assert SUMMARIES.keys() == OPTIONS.keys()


@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_names_every_option(capsys: pytest.CaptureFixture[str], command: str) -> None:
    printed = help_of(capsys, command)
    assert printed.startswith(f"Usage: calque {command} ")
    for option in OPTIONS[command]:
        assert option in printed.split() or f"{option}," in printed.split(), f"no {option} in\n{printed}"


def test_every_field_of_the_configuration_is_an_option_of_train(capsys: pytest.CaptureFixture[str]) -> None:
    printed = help_of(capsys, "train").replace("/", " ").split()
    for field in TrainingConfig.__dataclass_fields__:
        assert f"--{field.replace('_', '-')}" in printed


def test_defaults_are_told_where_recipe_or_encoder_make_them_differ(capsys: pytest.CaptureFixture[str]) -> None:
    printed = " ".join(help_of(capsys, "train").split())
    assert "--encoder [average|blstm]" in printed
    for told in (
        "Adam's rate. [default: 0.05; paper: 0.001; blstm: 0.01; both: 0.001; adapt: 0.03; extend: 0.1]",
        "an average has no order. [default: 0.0; blstm: 0.3]",
        "Pairs in a mini-batch. [default: 128]",
        "straight line. [default: yes; paper: no]",
    ):
        assert told in printed


def test_the_short_form_of_help_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    main(["train", "-h"])
    assert capsys.readouterr().out == help_of(capsys, "train")


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert "Usage: calque" in printed.out + printed.err
