"""Completion, as real shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from every import LEAVES
from failing import fail

from calque.cli import SUMMARIES, main
from calque.cli.reproduce import EXPERIMENTS
from calque.corpus.download.evaluation_sets import EVALUATION_SETS


@pytest.fixture
def shell_path(tmp_path: Path) -> str:
    """PATH with a `calque` that is the one under test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "calque"
    script.write_text(f"#!{sys.executable}\nfrom calque.cli import main\nmain()\n")
    script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def complete(*words: str, folder: Path | None = None) -> dict[str, str]:
    """What is offered for the last word, with its kind: plain, or file or dir, which the shell then looks for."""
    environment = os.environ | {
        "_CALQUE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["calque", *words]),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-c", "from calque.cli import main; main()"]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {value: kind for kind, _, value in (line.partition(",") for line in done.stdout.splitlines())}


def test_commands_sub_commands_and_options_are_offered() -> None:
    assert complete("").keys() == SUMMARIES.keys()
    assert complete("se").keys() == {"search", "serve"}
    assert complete("corpus", "c").keys() == {"convert", "clean"}
    assert {"--model", "--normalize", "--quiet"} <= complete("encode", "--").keys()


def test_choices_sources_and_experiments_are_offered() -> None:
    assert complete("export", "--to", "").keys() == {"sentence-transformers", "word2vec", "onnx", "quantised"}
    assert complete("reproduce", "").keys() == set(EXPERIMENTS)
    assert complete("corpus", "download", "").keys() == {"opus/", *(each.name for each in EVALUATION_SETS)}
    assert complete("corpus", "convert", "a", "--to", "t").keys() == {"tsv", "tmx"}
    assert complete("completion", "").keys() == {"bash", "zsh", "fish"}


def test_files_folders_and_models_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "box.txt").touch()
    assert complete("encode", "x") == {"x": "file"}
    assert complete("train", "--out", "x") == {"x": "dir"}
    assert complete("encode", "--model", "x") == {"x": "dir"}
    for option in (["train", "--init"], ["evaluate", "--compare"], ["encode", "-m"], ["info"]):
        assert complete(*option, "bo", folder=tmp_path) == {"box": "plain", "books/": "plain"}


@pytest.mark.parametrize("path", LEAVES)
def test_options_are_completed_without_anything_heavy(path: str) -> None:
    words = f"calque {path} --"
    code = f"""
import os, sys
os.environ |= {{"_CALQUE_COMPLETE": "bash_complete", "COMP_WORDS": {words!r}, "COMP_CWORD": "{len(words.split()) - 1}"}}
from calque.cli import main
try:
    main([])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--quiet" in done.stdout
    assert not set(done.stderr.split()) & {"numpy", "rich", "sentencepiece"}


def test_the_shell_is_guessed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/local/bin/fish")
    main(["completion"])
    guessed = capsys.readouterr().out
    main(["completion", "fish"])
    assert capsys.readouterr().out == guessed
    assert "_CALQUE_COMPLETE=fish_complete" in guessed
    monkeypatch.setenv("SHELL", "/bin/ksh")
    code, message, hint = fail(capsys, "completion")
    assert (code, message) == (2, "cannot tell which shell: SHELL is /bin/ksh")
    assert "bash, zsh, fish" in hint


def run(shell: list[str], script: str, path: str, folder: Path) -> list[str]:
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not installed")
    done = subprocess.run(
        [*shell, script], env=os.environ | {"PATH": path}, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_bash_completes(shell_path: str, tmp_path: Path) -> None:
    script = """
eval "$(calque completion bash)"
complete -p calque >&2
COMP_WORDS=(calque corpus cl) COMP_CWORD=2
compopt() { :; }
_calque_completion calque
echo "${COMPREPLY[@]}"
"""
    assert run(["bash", "--norc", "-c"], script, shell_path, tmp_path) == ["clean"]


def test_zsh_completes(shell_path: str, tmp_path: Path) -> None:
    script = """
compdef() { :; }
eval "$(calque completion zsh)"
_describe() { shift 2; local name=$1; print -l -- ${(P)name}; }
compadd() { print -l -- ${@[-1]}; }
words=(calque corpus cl) CURRENT=3
_calque_completion
"""
    assert any(line.startswith("clean") for line in run(["zsh", "-f", "-c"], script, shell_path, tmp_path))


def test_fish_completes(shell_path: str, tmp_path: Path) -> None:
    script = "calque completion fish | source; complete -C 'calque corpus cl'"
    assert run(["fish", "--no-config", "-c"], script, shell_path, tmp_path)[0] == "clean"
