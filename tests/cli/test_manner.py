"""-q says errors and warnings only, -v what is taken for granted; before the command or behind it."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from every import COMMANDS
from failing import fail

from calque.cli import INTERNAL, main
from calque.model import Model


@pytest.fixture(autouse=True)
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: Model) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(small_model.path))
    Path("text.txt").write_text("A dog runs.\nA cat sleeps.\n")
    Path("pairs.en-es.tsv").write_text("A dog runs.\tUn perro corre.\nA cat sleeps.\tUn gato duerme.\n")


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_group_takes_both(path: str) -> None:
    names = {name for option in COMMANDS[path].params for name in option.opts}
    assert {"-q", "--quiet", "-v", "--verbose"} <= names
    shorts = [name for option in COMMANDS[path].params for name in option.opts if re.fullmatch("-.", name)]
    assert len(shorts) == len(set(shorts))


@pytest.mark.parametrize(
    "arguments",
    [
        ["-q", "encode", "text.txt", "-o", "v.npy"],
        ["encode", "text.txt", "-o", "v.npy", "--quiet"],
        ["-q", "corpus", "convert", "pairs.en-es.tsv", "-o", "out.jsonl"],
        ["corpus", "-q", "convert", "pairs.en-es.tsv", "-o", "out.jsonl"],
        ["corpus", "clean", "pairs.en-es.tsv", "-o", "clean.tsv", "-q"],
        ["search", "build", "text.txt", "-o", "index", "-q"],
        ["dedup", "text.txt", "-o", "unique.txt", "-q"],
        ["mine", "text.txt", "text.txt", "-o", "mined.tsv", "-q"],
        ["export", "--to", "word2vec", "-o", "rows.txt", "-q"],
        ["align", "text.txt", "text.txt", "-o", "aligned.txt", "-q"],
        ["filter", "pairs.en-es.tsv", "-o", "kept.tsv", "--threshold", "0", "-q"],
        [
            *[
                "train",
                "pairs.en-es.tsv",
                "--out",
                "m",
                "--vocabulary",
                "word",
                "--dimension",
                "8",
                "--epochs",
                "1",
                "-q",
            ]
        ],
    ],
    ids=lambda arguments: " ".join(arguments[:3]),
)
def test_quiet_leaves_nothing_but_the_data(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    main(arguments)
    assert capsys.readouterr() == ("", "")
    loud = [each for each in arguments if each not in ("-q", "--quiet")]
    out = next(at for at, each in enumerate(loud) if each in ("-o", "--out")) + 1
    loud[out] = f"again-{loud[out]}"
    main(loud)
    assert capsys.readouterr().err


def test_quiet_leaves_errors(capsys: pytest.CaptureFixture[str]) -> None:
    code, message, _ = fail(capsys, "-q", "encode", "nowhere.txt", "-o", "v.npy")
    assert (code, message) == (2, "cannot read nowhere.txt: No such file or directory")


def test_quiet_in_calque_toml_gives_way_to_verbose(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("calque.toml").write_text("quiet = true\n")
    monkeypatch.delenv("CALQUE_CONFIG")
    main(["encode", "text.txt", "-o", "v.npy"])
    assert capsys.readouterr().err == ""
    main(["encode", "text.txt", "-o", "v.npy", "-v"])
    assert "v.npy: 2 × 64" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["-q", "encode", "-v"], ["encode", "-qv"], ["-qv", "corpus", "stats", "x.tsv"]])
def test_both_are_a_contradiction(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, message, hint = fail(capsys, *arguments)
    assert (code, message, hint) == (2, "--quiet and --verbose contradict each other", "choose one")


def test_verbose_tells_settings_model_threads_kernel_and_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, small_model: Model
) -> None:
    Path("calque.toml").write_text("threads = 2\n")
    monkeypatch.delenv("CALQUE_CONFIG")
    main(["-v", "encode", "text.txt", "-o", "v.npy"])
    told = click.unstyle(capsys.readouterr().err)
    assert f"calque: {Path('calque.toml').absolute()}: threads 2\n" in told
    assert f"calque: model: {small_model.path} (by CALQUE_MODEL)\n" in told
    assert "calque: threads: 2\n" in told
    assert re.search(r"calque: kernel: \w+", told)
    assert re.search(r"calque: took \d+\.\d s\n$", told)


def test_a_mistake_of_calque_s_own_has_a_code_and_with_v_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**given: object) -> None:
        raise KeyError("nobody expected this")

    monkeypatch.setattr(COMMANDS["encode"], "callback", broken)
    code, message, hint = fail(capsys, "encode", "text.txt")
    assert code == INTERNAL
    assert "KeyError: 'nobody expected this'" in message
    assert "-v shows where" in hint
    with pytest.raises(SystemExit):
        main(["encode", "text.txt", "-v"])
    assert "Traceback (most recent call last)" in capsys.readouterr().err
