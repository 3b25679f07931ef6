"""The demonstration works for somebody who has nothing but the package."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import main
from calque.demo import sentences

# With the folder of a model for the box, or of none.
COMMAND = """
import sys
from pathlib import Path
from calque.cli import main
from calque.model import box
box.FOLDER = Path(sys.argv.pop(1))
main()
"""


@pytest.fixture(scope="module", params=["no box", "box"])
def shown(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, quantised_model: calque.Model
) -> tuple[str, str, Path]:
    """Standard output and error of a run, and the folder it kept."""
    folder = tmp_path_factory.mktemp("demo-command")
    box = quantised_model.path if request.param == "box" else folder / "nowhere"
    command = [sys.executable, "-c", COMMAND, str(box), "demo", "--out", str(folder / "kept")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr, folder / "kept"


def test_most_translations_are_found_and_more_than_untrained(shown: tuple[str, str, Path]) -> None:
    for language in ("Spanish", "German", "French"):
        row = re.search(rf"{language} +│ +(\d+)% │ +(\d+)% │ +(\d+)%", shown[0])
        assert row, shown[0]
        trained, untrained, chance = map(int, row.groups())
        assert trained >= 50
        assert trained > untrained + 20
        assert chance == 1


def test_the_speed_of_new_text_comes_first(shown: tuple[str, str, Path]) -> None:
    told = re.findall(r"([\d,]+) sentences a second of new text, ([\d,]+) of text whose", " ".join(shown[0].split()))
    assert len(told) == shown[0].count("Speed")
    assert told


def test_a_sentence_is_nearer_to_its_translations_than_to_others(shown: tuple[str, str, Path]) -> None:
    looks = shown[0].split("How alike do they mean?")[1:]
    for look in looks:
        scores = [float(score) for score in re.findall(r"(-?\d\.\d\d) │", look)[:7]]
        assert min(scores[:3]) > max(scores[3:])


def test_the_box_is_shown_first_where_there_is_one(shown: tuple[str, str, Path], quantised_model: calque.Model) -> None:
    box, trained = shown[0].find("The model in the box"), shown[0].find("From that it learnt")
    assert trained > 0
    assert shown[0].count("How alike do they mean?") == shown[0].count("sentences a second") == (1 if box < 0 else 2)
    if box < 0:
        assert "in the box" not in shown[0]
        return
    assert box < trained
    assert re.search(r"knows 4 languages by 1,000 vectors of\s64 numbers", shown[0][box:trained])
    for language in ("Spanish", "German", "French"):
        said = re.search(rf"(\d+)%\sin\s{language}", shown[0][box:trained])
        row = re.search(rf"{language} +│ +\d+% │ +\d+% │ +1% │ +(\d+)%", shown[0][trained:])
        assert said
        assert row
        assert said[1] == row[1]
    assert '  calque similarity "A dog runs." "Un perro corre."\n' in shown[0]


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


def test_what_it_has_ended_in_is_left_as_it_is_and_what_was_killed_is_gone_on_with(
    shown: tuple[str, str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(capsys, "demo", "--out", str(shown[2])) == (2, f"{shown[2]} exists already", "choose another --out")
    kept = tmp_path / "kept"
    shutil.copytree(shown[2], kept)
    (kept / "untrained" / "config.json").unlink()  # the last to be written
    main(["demo", "--out", str(kept)])
    assert "From that it learnt" in capsys.readouterr().out


def test_its_text_is_parallel_and_of_some_size() -> None:
    text = sentences()
    assert list(text) == ["en", "es", "de", "fr"]
    assert len({len(lines) for lines in text.values()}) == 1
    assert len(text["en"]) >= 300
    for lines in text.values():
        assert all(line == line.strip() != "" for line in lines)
        assert len(set(lines)) == len(lines)
