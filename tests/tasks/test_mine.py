"""Mining as a function and with files: the right pairs, resumed work, and nothing half-written."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import calque
from calque.demo import sentences
from calque.errors import CorpusError, Stopped, UsageError
from calque.mining import MiningConfig, MiningWatch, search
from calque.mining.search import Progress
from calque.tasks.mine import mine_files

TEXT = sentences()
ENGLISH, SPANISH = TEXT["en"], TEXT["es"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """All English sentences, and the Spanish ones in another order with some lines between."""
    source, target = tmp_path / "text.en", tmp_path / "text.es"
    source.write_text("".join(f"{line}\n" for line in ENGLISH), encoding="utf-8")
    target.write_text("\n" + "".join(f"{line}\n" for line in reversed(SPANISH)), encoding="utf-8")
    return source, target


def test_translations_are_found_best_first(fluent_model: calque.Model) -> None:
    found = list(calque.mine(ENGLISH, SPANISH[::-1], fluent_model))
    scores = [pair.score for pair in found]
    assert scores == sorted(scores, reverse=True)
    right = sum((pair.source, pair.target) in set(zip(ENGLISH, SPANISH, strict=True)) for pair in found)
    assert right > 0.9 * len(ENGLISH)
    score, source, target = found[0]  # as a tuple
    assert (score, source, target) == (found[0].score, found[0].source, found[0].target)


def test_texts_may_be_files_lists_or_read_once(fluent_model: calque.Model, files: tuple[Path, Path]) -> None:
    as_files = list(calque.mine(*files, fluent_model))
    as_lists = list(calque.mine(ENGLISH, ["", *reversed(SPANISH)], fluent_model))
    once = list(calque.mine(iter(ENGLISH), iter(["", *reversed(SPANISH)]), fluent_model))
    assert as_files == as_lists == once


def test_line_numbers_are_those_of_the_files(fluent_model: calque.Model, files: tuple[Path, Path]) -> None:
    source, target = (path.read_text(encoding="utf-8").split("\n") for path in files)
    for pair in calque.mine(*files, fluent_model):
        assert source[pair.source_line - 1] == pair.source
        assert target[pair.target_line - 1] == pair.target


@pytest.mark.parametrize("name", ["known.en-es.tsv", "known.es-en.tsv"])
def test_known_pairs_are_turned_as_the_names_of_the_files_tell(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    pairs = list(zip(ENGLISH, SPANISH, strict=True))[:100]
    if "es-en" in name:
        pairs = [(target, source) for source, target in pairs]
    (tmp_path / name).write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")
    config = MiningConfig(threshold="auto")
    mine_files(*files, tmp_path / "out.tsv", fluent_model, config, calibrate=tmp_path / name)
    assert len((tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()) > 0.8 * len(ENGLISH)


def test_known_pairs_of_swapped_sides_are_refused(fluent_model: calque.Model) -> None:
    swapped = list(zip(SPANISH, ENGLISH, strict=True))[:100]
    with pytest.raises(CorpusError, match="of 100 known pairs are less alike") as problem:
        list(calque.mine(ENGLISH, SPANISH, fluent_model, known=swapped, threshold="auto"))
    assert "order of the piles" in str(problem.value.hint)


def test_a_sentence_in_both_piles_is_no_translation_unless_asked_for(fluent_model: calque.Model) -> None:
    target = [ENGLISH[0].upper(), *SPANISH]
    copy = (ENGLISH[0], target[0])
    everything = {"keep_other_languages": True}  # the copy is an English line
    found = list(calque.mine(ENGLISH, target, fluent_model, **everything))
    assert copy not in [(pair.source, pair.target) for pair in found]
    kept = list(calque.mine(ENGLISH, target, fluent_model, keep_copies=True, **everything))
    assert copy in [(pair.source, pair.target) for pair in kept]


def test_repeats_do_not_spoil_the_neighbourhood(fluent_model: calque.Model) -> None:
    repeated = [variant for line in SPANISH for variant in (line, line.upper(), f"{line}!", f"¡{line}")]
    assert [(pair.source, pair.target, pair.score) for pair in calque.mine(ENGLISH, repeated, fluent_model)] == [
        (pair.source, pair.target, pair.score) for pair in calque.mine(ENGLISH, SPANISH, fluent_model)
    ]
    kept = list(calque.mine(ENGLISH, repeated, fluent_model, keep_repeats=True))
    alone = next(calque.mine(ENGLISH, repeated, fluent_model))
    assert kept[0].score < alone.score - 0.1  # its copies are its neighbours


def test_one_target_can_serve_many_sources_only_forward(fluent_model: calque.Model) -> None:
    found = list(calque.mine(ENGLISH, SPANISH[:5], fluent_model, retrieval="forward"))
    assert len(found) == len({pair.source for pair in found}) > 5
    assert len(list(calque.mine(ENGLISH, SPANISH[:5], fluent_model))) == 5


def test_a_threshold_cuts_what_is_below(fluent_model: calque.Model) -> None:
    everything = list(calque.mine(ENGLISH, SPANISH, fluent_model))
    middle = everything[len(everything) // 2].score
    kept = list(calque.mine(ENGLISH, SPANISH, fluent_model, threshold=middle))
    assert kept == [pair for pair in everything if pair.score >= middle]


def test_options_change_a_config_that_is_given(fluent_model: calque.Model) -> None:
    config = MiningConfig(margin="distance", threshold=9.0)
    changed = calque.mine(ENGLISH, SPANISH, fluent_model, config=config, threshold=None)
    assert list(changed) == list(calque.mine(ENGLISH, SPANISH, fluent_model, margin="distance"))


def test_auto_keeps_what_seems_right(fluent_model: calque.Model) -> None:
    known = list(zip(ENGLISH[:40], SPANISH[:40], strict=True))
    source, target = ENGLISH[40:], SPANISH[40:]
    for options in ({"threshold": "auto"}, {"threshold": "auto", "known": known}):
        kept = list(calque.mine(source, target, fluent_model, **options))
        right = sum(pair.source_line == pair.target_line for pair in kept)
        assert right > 0.6 * len(source)
        assert right > 0.9 * len(kept)


def test_the_file_holds_score_source_and_target(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    expected = list(calque.mine(*files, fluent_model))
    out = tmp_path / "pairs.tsv"
    report = mine_files(*files, out, fluent_model, MiningConfig())
    rows = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row[1:] for row in rows] == [[pair.source, pair.target] for pair in expected]
    assert [float(row[0]) for row in rows] == pytest.approx([pair.score for pair in expected], abs=1e-6)
    assert (report.pairs, report.candidates) == (len(rows), len(rows))
    assert (report.target.lines, report.target.blank) == (len(SPANISH) + 1, 1)
    assert list(tmp_path.glob("pairs.tsv.*")) == []  # the work is done


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pairs_go_into_a_pipe_and_no_folder_lies_beside_it(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig())
    pipe = tmp_path / "places" / "pipe"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    beside: list[str] = []

    class LookBeside(MiningWatch):
        def searched(self, progress: Progress) -> None:
            beside.extend(os.listdir(pipe.parent))

    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    mine_files(*files, pipe, fluent_model, MiningConfig(), watch=LookBeside())
    reader.join()
    assert read == [(tmp_path / "pairs.tsv").read_bytes()]
    assert set(beside) == {"pipe"}


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="open files are not listed here")
def test_a_file_may_be_named_by_its_number(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    with open(tmp_path / "pairs.tsv", "wb") as file:
        mine_files(*files, f"/dev/fd/{file.fileno()}", fluent_model, MiningConfig())
    assert (tmp_path / "pairs.tsv").stat().st_size > 0


def test_ids_and_json_lines(fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path) -> None:
    mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig(), ids=True)
    mine_files(*files, tmp_path / "pairs.jsonl", fluent_model, MiningConfig(), ids=True)
    row = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").split("\n")[0].split("\t")
    first = json.loads((tmp_path / "pairs.jsonl").read_text(encoding="utf-8").split("\n")[0])
    assert row == [
        f"{first['score']:.6f}",
        str(first["source_line"]),
        str(first["target_line"]),
        first["source"],
        first["target"],
    ]


class StopAtOnce(MiningWatch):
    def searched(self, progress: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_SHARD_COSINES", 1)
    monkeypatch.setattr(search, "_ROWS", 64)


def test_what_was_stopped_ends_with_the_same_bytes(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, in_shards: None
) -> None:
    mine_files(*files, tmp_path / "whole.tsv", fluent_model, MiningConfig())
    out = tmp_path / "pairs.tsv"
    stops = 0
    while True:
        try:
            mine_files(*files, out, fluent_model, MiningConfig(), watch=StopAtOnce())
            break
        except Stopped:
            stops += 1
        assert not out.exists()
    assert stops > 1
    assert out.read_bytes() == (tmp_path / "whole.tsv").read_bytes()
    assert not (tmp_path / "pairs.tsv.mining").exists()


def stop(fluent_model: calque.Model, files: tuple[Path, Path], out: Path, **options: Any) -> None:
    with pytest.raises(Stopped):
        mine_files(*files, out, fluent_model, MiningConfig(**options), watch=StopAtOnce())


@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_a_search_for_standard_output_that_is_stopped_says_that_nothing_is_saved(
    fluent_model: calque.Model, files: tuple[Path, Path], in_shards: None, search: Any
) -> None:
    if search == "approximate":
        pytest.importorskip("faiss")
    with pytest.raises(Stopped, match="nothing is saved") as problem:
        mine_files(*files, "-", fluent_model, MiningConfig(search=search), watch=StopAtOnce())
    assert problem.value.hint == "with -o FILE or --work DIR, the same command goes on"


class InterruptWhileItReads(MiningWatch):
    """Once it has read some of the text by that name."""

    def __init__(self, text: Path) -> None:
        self.text = text
        self.heard: list[str] = []

    def read(self, name: str, lines: int) -> None:
        self.heard.append(name)
        if name == str(self.text):
            os.kill(os.getpid(), signal.SIGINT)


def test_reading_the_first_pile_is_interrupted_at_once_and_leaves_nothing(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    watch = InterruptWhileItReads(files[0])
    with pytest.raises(KeyboardInterrupt):
        mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig(), watch=watch)
    assert watch.heard == [str(files[0])]
    assert sorted(tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize("work", [None, "work"])
def test_reading_the_second_pile_is_interrupted_at_once_and_the_first_is_kept(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, work: str | None
) -> None:
    place = None if work is None else tmp_path / work
    watch = InterruptWhileItReads(files[1])
    with pytest.raises(Stopped, match="what is done is saved"):
        mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig(), watch=watch, work=place)
    again = InterruptWhileItReads(tmp_path / "nowhere")
    mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig(), watch=again, work=place)
    assert again.heard == [str(files[1])]


def test_writing_is_interrupted_at_once_and_the_search_is_kept(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("calque.tasks.mine.write_mined", interrupted)
    with pytest.raises(Stopped, match="what is done is saved"):
        mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig())
    assert not (tmp_path / "pairs.tsv").exists()
    assert (tmp_path / "pairs.tsv.mining" / "exact" / "neighbours.safetensors").exists()


def test_other_texts_or_options_do_not_go_on_from_it(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, in_shards: None
) -> None:
    out = tmp_path / "pairs.tsv"
    stop(fluent_model, files, out)
    with pytest.raises(UsageError, match="another model or other options"):
        mine_files(*files, out, fluent_model, MiningConfig(keep_repeats=True))
    with open(files[1], "a", encoding="utf-8") as file:
        file.write("una línea más\n")
    with pytest.raises(UsageError, match=r"text\.es has changed since"):
        mine_files(*files, out, fluent_model, MiningConfig())


def test_margin_and_threshold_may_change_and_a_named_folder_is_kept(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    mine_files(*files, tmp_path / "ratio.tsv", fluent_model, MiningConfig(), work=work)
    heard: list[Progress] = []

    class Heard(MiningWatch):
        def searched(self, progress: Progress) -> None:
            heard.append(progress)

    config = MiningConfig(margin="distance", threshold=0.1)
    mine_files(*files, tmp_path / "distance.tsv", fluent_model, config, work=work, watch=Heard())
    assert heard == []
    assert (tmp_path / "distance.tsv").exists()
    assert (work / "exact" / "neighbours.safetensors").exists()


def test_a_folder_of_something_else_is_left_alone(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    work = tmp_path / "mine"
    work.mkdir()
    (work / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="holds something else"):
        mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig(), work=work)
    assert [path.name for path in work.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("empty", [0, 1])
def test_a_side_without_a_sentence_is_an_error(
    fluent_model: calque.Model, files: tuple[Path, Path], tmp_path: Path, empty: int
) -> None:
    files[empty].write_text("\n \n")
    with pytest.raises(CorpusError, match=rf"{files[empty].name} holds no sentence"):
        mine_files(*files, tmp_path / "pairs.tsv", fluent_model, MiningConfig())
    assert not (tmp_path / "pairs.tsv").exists()


def test_a_language_the_model_does_not_know_is_warned_of(fluent_model: calque.Model) -> None:
    with pytest.warns(calque.LanguageWarning, match="the target is in fi, which the model was not trained on"):
        list(calque.mine(ENGLISH, SPANISH, fluent_model, languages=("en", "fi"), keep_other_languages=True))


def test_too_little_to_tell_a_threshold_from_is_an_error(fluent_model: calque.Model) -> None:
    with pytest.raises(CorpusError, match="too few to tell a threshold from"):
        list(calque.mine(ENGLISH[:5], SPANISH[:5], fluent_model, threshold="auto"))
    with pytest.raises(CorpusError, match="3 known pairs are too few"):
        list(calque.mine(ENGLISH, SPANISH, fluent_model, known=list(zip(ENGLISH[:3], SPANISH[:3], strict=True))))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": "ration"}, "no margin 'ration'"),
        ({"retrieval": "fwd"}, "no retrieval 'fwd'"),
        ({"k": 0}, "at least one neighbour, got k = 0"),
        ({"threshold": "best"}, "a number or auto"),
        ({"threshold": float("nan")}, "a number or auto as the threshold, got nan"),
        ({"treshold": 1.1}, "no such mining option: treshold"),
    ],
)
def test_options_that_do_not_exist_are_refused(fluent_model: calque.Model, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(calque.mine(ENGLISH, SPANISH, fluent_model, **options))
