"""The demonstration works for somebody who has nothing but the package."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import calque
from calque.cli import main
from calque.demo import sentences

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "demo"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Path]:
    """Standard output and error of a run, and the folder it kept."""
    out = tmp_path_factory.mktemp("demo-command") / "kept"
    done = subprocess.run([*COMMAND, "--out", str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr, out


def test_most_translations_are_found_and_more_than_untrained(shown: tuple[str, str, Path]) -> None:
    for language in ("Spanish", "German", "French"):
        row = re.search(rf"{language} +│ +(\d+)% │ +(\d+)% │ +(\d+)%", shown[0])
        assert row, shown[0]
        trained, untrained, chance = map(int, row.groups())
        assert trained >= 50
        assert trained > untrained + 20
        assert chance == 1


def test_a_sentence_is_nearer_to_its_translations_than_to_others(shown: tuple[str, str, Path]) -> None:
    start = shown[0].index("How alike do they mean?")
    scores = [float(score) for score in re.findall(r"(-?\d\.\d\d) │", shown[0][start:])[:7]]
    assert min(scores[:3]) > max(scores[3:])


def test_it_ends_with_commands_to_try_and_they_work(
    shown: tuple[str, str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    offered = [shlex.split(line)[1:] for line in re.findall(r"^  (calque .+)$", shown[0], re.MULTILINE)]
    assert any(command[0] == "train" for command in offered)
    on_the_kept_model = [command for command in offered if f"{shown[2]}/model" in command]
    assert len(on_the_kept_model) >= 2
    for command in on_the_kept_model:
        main(command)
        assert capsys.readouterr().out


def test_nothing_but_the_tables_is_printed_in_a_pipe(shown: tuple[str, str, Path]) -> None:
    output, errors, _ = shown
    assert errors == ""
    assert "\r" not in output
    assert "\x1b" not in output


def test_the_model_it_keeps_can_be_opened(shown: tuple[str, str, Path]) -> None:
    model = calque.load(shown[2] / "model")
    assert model.languages == ("en", "es", "de", "fr")
    assert model.similarity("Where is the dog?", "¿Dónde está el perro?") > model.similarity(
        "Where is the dog?", "Llueve."
    )
    assert (shown[2] / "demo.en-es.tsv").exists()


def test_its_text_is_parallel_and_of_some_size() -> None:
    text = sentences()
    assert list(text) == ["en", "es", "de", "fr"]
    assert len({len(lines) for lines in text.values()}) == 1
    assert len(text["en"]) >= 300
    for lines in text.values():
        assert all(line == line.strip() != "" for line in lines)
        assert len(set(lines)) == len(lines)
