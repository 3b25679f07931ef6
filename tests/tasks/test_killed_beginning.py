"""A training that is killed among its first files, or right after its last, leaves nothing that is in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque
from calque.errors import CorpusError, UsageError
from calque.tasks.train import Watcher
from calque.tasks.training_log import TrainingLog

OPTIONS = {"vocabulary": "word", "epochs": 1, "dimension": 8}


@pytest.fixture
def bitext(tmp_path: Path) -> Path:
    path = tmp_path / "text.en-es.tsv"
    path.write_text("".join(f"dog {number % 7} runs\tperro {number % 7} corre\n" for number in range(300)))
    return path


@pytest.mark.parametrize(
    "left",
    [
        ["training.begun", "vocab.txt", ".vocab.en.txt.k1ll3d.unfinished"],
        [".standard-input.k1ll3d.unfinished"],
        ["standard-input-1.text.en-es.tsv", "standard-input-2", ".standard-input-3.b.tsv.k1ll3d.unfinished"],
    ],
)
def test_the_same_command_begins_anew_where_a_killed_one_had_hardly_begun(
    bitext: Path, tmp_path: Path, left: list[str]
) -> None:
    out = tmp_path / "model"
    out.mkdir()
    for name in left:
        (out / name).write_text("half")
    calque.train(bitext, out, **OPTIONS)
    calque.train(bitext, tmp_path / "other", **OPTIONS)
    assert {path.name for path in out.iterdir()} == {path.name for path in (tmp_path / "other").iterdir()}


@pytest.mark.parametrize("deleted", range(4))
def test_being_killed_while_wrong_input_is_cleared_away_leaves_a_folder_to_begin_in(
    bitext: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deleted: int
) -> None:
    out, unlink = tmp_path / "model", Path.unlink
    gone: list[Path] = []

    def unlink_some(path: Path, missing_ok: bool = False) -> None:
        if path.parent == out and len(gone) >= deleted:
            raise OSError("killed")
        unlink(path, missing_ok)
        gone.append(path)

    def spoil(pairs: int) -> None:
        monkeypatch.setattr(Path, "unlink", unlink_some)
        raise CorpusError("wrong")

    options = OPTIONS | {"sharing": "separate"}
    with pytest.raises((CorpusError, OSError)):
        calque.train(bitext, out, watcher=Watcher(pairs_read=spoil), **options)
    monkeypatch.undo()
    assert len(gone) == deleted
    if deleted:
        calque.train(bitext, out, **options)
    else:
        calque.resume(out)
    assert calque.load(out).dimension == 8


def test_a_folder_with_files_of_somebody_else_is_still_refused(bitext: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "vocab.txt").write_text("mine")
    with pytest.raises(UsageError, match="not an empty folder"):
        calque.train(bitext, tmp_path / "model", **OPTIONS)
    assert (tmp_path / "model" / "vocab.txt").read_text() == "mine"


def test_what_an_ended_training_had_no_time_to_forget_goes_when_it_is_asked_to_go_on(
    bitext: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    calque.train(bitext, out, **OPTIONS)
    whole = {path.name for path in out.iterdir()}
    for name in ("checkpoint.safetensors", "standard-input", "training.begun"):
        (out / name).write_text("left")
    with pytest.raises(UsageError, match="has ended"):
        calque.resume(out)
    assert {path.name for path in out.iterdir()} == whole


def test_half_a_line_of_the_log_goes_before_the_next_is_added(tmp_path: Path) -> None:
    (tmp_path / "training.jsonl").write_text('{"epoch": 1}\n{"epo')
    with TrainingLog(tmp_path):
        pass
    assert (tmp_path / "training.jsonl").read_text() == '{"epoch": 1}\n'
