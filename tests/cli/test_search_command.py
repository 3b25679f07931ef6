"""`calque search`: what is printed, and how mistakes end."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import main

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]
LINES = "A dog runs.\n\nThe cat\tsleeps.\nUn perro corre.\n"


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: calque.Model) -> None:
    """A folder to work in with a corpus and an index, and no model in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    Path("corpus.txt").write_text(LINES)
    Path("more.txt").write_text("Ein Hund läuft.\nEl gato duerme.\n")
    Path("blank.txt").write_text("\n \n")
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    Path("queries.txt").write_text("A dog runs.\n\nThe cat sleeps.\n")
    Path("ids.txt").write_text("one\n")
    Path("folder").mkdir()
    Path("folder/file").touch()
    calque.Index.build(Path("corpus.txt"), "index", small_model)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    capsys.readouterr()
    main(["search", *arguments])
    seen = capsys.readouterr()
    return seen.out, seen.err


def rows(printed: str) -> list[list[str]]:
    return [line.split("\t") for line in printed.splitlines()]


def test_build_says_what_it_made(capsys: pytest.CaptureFixture[str], small_model: calque.Model) -> None:
    out, err = run(capsys, "build", "corpus.txt", "more.txt", "-o", "new/", "--model", str(small_model.path))
    assert (out, err) == ("", "new/: 5 entries of 64 dimensions, exact search\n")


def test_build_states_the_recall_of_approximate_search_and_so_does_info(
    capsys: pytest.CaptureFixture[str], small_model: calque.Model
) -> None:
    pytest.importorskip("faiss")
    Path("long.txt").write_text("".join(f"dog {one} cat {two}\n" for one in range(30) for two in range(30)))
    _, err = run(
        capsys, "build", "long.txt", "-o", "new", "-m", str(small_model.path), "--approximate", "--threads", "1"
    )
    stated = re.fullmatch(r"new: 900 entries of 64 dimensions, approximate search, recall (\S+)% of the.*\n", err)
    assert stated
    assert float(stated[1]) >= 95
    described = json.loads(run(capsys, "info", "new", "--json")[0])
    assert described["search"] == "approximate"
    assert described["recall"] == pytest.approx(float(stated[1]) / 100, abs=0.001)


def test_a_query_prints_score_id_text_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "query", "index/", "A dog runs.", "-k", "2")
    first, second = rows(out)
    assert first == ["1.0000", "1", "A dog runs.", "corpus.txt:1"]
    assert float(second[0]) < 1
    assert err == ""


def test_white_space_in_a_text_is_squeezed_so_that_columns_stay(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "The cat sleeps.", "-k", "1")
    assert rows(out) == [["1.0000", "3", "The cat sleeps.", "corpus.txt:3"]]


def test_many_queries_are_numbered_and_ranked(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "--queries", "queries.txt", "-k", "2")
    assert [row[:2] for row in rows(out)] == [["1", "1"], ["1", "2"], ["3", "1"], ["3", "2"]]
    assert [row[3] for row in rows(out) if row[1] == "1"] == ["1", "3"]


def test_json_lines_hold_a_query_each_with_its_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "--queries", "queries.txt", "-k", "1", "--json")
    one, blank, two = map(json.loads, out.splitlines())
    assert one["hits"] == [{"score": pytest.approx(1), "id": 1, "text": "A dog runs.", "file": "corpus.txt", "line": 1}]
    assert blank == {"query": 2, "text": "", "hits": []}
    assert (two["query"], two["hits"][0]["text"]) == (3, "The cat\tsleeps.")


def test_one_query_as_json_has_the_same_shape(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "dog", "-k", "3", "--json")
    answer = json.loads(out)
    assert (answer["query"], answer["text"], len(answer["hits"])) == (1, "dog", 3)


def test_a_lone_surrogate_from_the_command_line_does_no_harm(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "dog \udcff", "-k", "1", "--json")
    assert json.loads(out)["text"] == "dog ?"


def test_what_is_added_is_found_and_what_is_deleted_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "add", "index", "more.txt")[1] == "index: 2 added, 5 entries\n"
    assert rows(run(capsys, "query", "index", "Ein Hund läuft.", "-k", "1")[0])[0][1:] == [
        "5",
        "Ein Hund läuft.",
        "more.txt:1",
    ]
    assert run(capsys, "delete", "index", "--id", "5", "--text", "A dog runs.")[1] == "index: 2 deleted, 3 entries\n"
    assert {row[1] for row in rows(run(capsys, "query", "index", "dog")[0])} == {"3", "4", "6"}


def test_a_file_that_is_added_twice_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "add", "index", "more.txt")
    Path("again.txt").write_text("El gato duerme.\nSomething new.\n\nA dog runs.\nEl gato duerme.\n")
    _, err = run(capsys, "add", "index", "again.txt")
    told, warning = err.splitlines()
    assert told == "index: 4 added, 9 entries"
    assert warning.startswith("warning: 3 of the 4 added repeat the text of an earlier entry, and a search finds both")
    assert "--overwrite" in warning
    hits = rows(run(capsys, "query", "index", "El gato duerme.", "-k", "4")[0])
    assert [hit[2] for hit in hits[:3]] == ["El gato duerme."] * 3
    assert hits[3][2] != "El gato duerme."


def test_what_was_deleted_is_not_there_twice(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "delete", "index", "--text", "A dog runs.")
    Path("again.txt").write_text("A dog runs.\n")
    assert run(capsys, "add", "index", "again.txt")[1] == "index: 1 added, 3 entries\n"


def test_building_says_how_many_lines_repeat_others(
    capsys: pytest.CaptureFixture[str], small_model: calque.Model
) -> None:
    files = ("corpus.txt", "more.txt", "corpus.txt")
    _, err = run(capsys, "build", *files, "-o", "new", "--model", str(small_model.path))
    told, repeats = err.splitlines()
    assert told == "new: 8 entries of 64 dimensions, exact search"
    assert repeats.startswith("3 entries repeat the text of an earlier one, and a search finds all of them; calque d")


def test_what_a_query_prints_can_be_deleted_through_cut(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "query", "index", "dog", "-k", "2")
    Path("found.txt").write_text("".join(f"{row[1]}\n" for row in rows(out)))
    assert run(capsys, "delete", "index", "--ids", "found.txt")[1] == "index: 2 deleted, 1 entries\n"


def test_info_tells_what_is_there(capsys: pytest.CaptureFixture[str], small_model: calque.Model) -> None:
    out, _ = run(capsys, "info", "index", "--check")
    told = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in out.splitlines())
    assert told["entries"] == "3"
    assert told["files"] == "corpus.txt (4 lines)"
    assert told["search"] == "exact"
    assert told["model"] == str(small_model.path)
    assert told["checked"] == "True"
    assert "recall" not in told
    assert json.loads(run(capsys, "info", "index", "--json")[0])["files"] == [
        {"name": "corpus.txt", "first": 1, "lines": 4}
    ]


def test_an_index_that_was_emptied_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "delete", "index", "--id", "1", "--id", "3", "--id", "4")
    assert run(capsys, "query", "index", "dog") == ("", "nothing found: the index is empty\n")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("", "Missing command|Usage", ""),
        ("build -o new", "Missing argument 'CORPUS...'", "calque search build --help"),
        ("build corpus.txt", "Missing option '--output'", "calque search build --help"),
        ("build corpus.txt -o new", "no model given", "CALQUE_MODEL"),
        ("build nowhere.txt -o new --model M", "cannot read nowhere.txt: No such file", ""),
        ("build corpus.txt -o index --model M", "index holds an index already", "--overwrite"),
        ("build corpus.txt -o folder --model M", "folder exists and is not an empty folder", "another place"),
        ("build corpus.txt -o folder --model M --overwrite", "exists and is not an empty folder", "another place"),
        ("build corpus.txt -o new --model M --language fi", "not fi", ""),
        ("build corpus.txt -o new --model M --threads 0", "threads: expected 1 or more, got 0", ""),
        ("query index", "expected a text or --queries FILE, got neither", ""),
        ("query index dog --queries queries.txt", "expected a text or --queries FILE, got both", ""),
        ("query index dog -k 0", "k: expected 1 or more, got 0", ""),
        ("query index dog -k many", "many", "calque search query --help"),
        ("query index --queries nowhere.txt", "cannot read nowhere.txt", ""),
        ("add index nowhere.txt", "cannot read nowhere.txt", ""),
        ("add index", "Missing argument 'FILE...'", "calque search add --help"),
        ("delete index", "nothing to delete was given", "--id N"),
        ("delete index --id 99", "no entry has the id 99", "ids go from 1 to 4; nothing was deleted"),
        ("delete index --id 2", "no entry has the id 2", "nothing was deleted"),
        ("delete index --text cake", "no entry has exactly the text 'cake'", "calque search query index"),
        ("cake", "calque search has no command 'cake'", "calque search --help"),
    ],
)
def test_mistakes_of_usage(
    capsys: pytest.CaptureFixture[str], small_model: calque.Model, arguments: str, message: str, hint: str
) -> None:
    if not arguments:
        with pytest.raises(SystemExit) as ended:
            main(["search"])
        assert ended.value.code == 2
        return
    given = [str(small_model.path) if each == "M" else each for each in arguments.split()]
    code, got, got_hint = fail(capsys, "search", *given)
    assert re.search(message, got), got
    assert hint in got_hint
    assert code == 2
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("build blank.txt -o new --model M", "there is no text in what was given", "every line is blank"),
        ("build latin.txt -o new --model M", "latin.txt, line 1: not UTF-8", "iconv"),
        ("build corpus.txt -o new --model folder", "folder is not a model folder", ""),
        ("query nowhere dog", "there is no index at nowhere", "calque search build"),
        ("query folder dog", "folder is not an index", "calque search build"),
        ("query corpus.txt dog", "corpus.txt is not an index", "calque search build"),
        ("query index dog --model folder", "folder is not a model folder", ""),
        ("query index --queries latin.txt", "latin.txt, line 1: not UTF-8", "iconv"),
        ("add nowhere more.txt", "there is no index at nowhere", "calque search build"),
        ("add index latin.txt", "latin.txt, line 1: not UTF-8", "iconv"),
        ("delete nowhere --id 1", "there is no index at nowhere", "calque search build"),
        ("delete index --ids ids.txt", "ids.txt, line 1: expected an id, got 'one'", "one id a line"),
        ("info folder", "folder is not an index", "calque search build"),
    ],
)
def test_mistakes_in_the_data(
    capsys: pytest.CaptureFixture[str], small_model: calque.Model, arguments: str, message: str, hint: str
) -> None:
    given = [str(small_model.path) if each == "M" else each for each in arguments.split()]
    code, got, got_hint = fail(capsys, "search", *given)
    assert message in got
    assert hint in got_hint
    assert code == 1
    assert not Path("new").exists()
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("text", ["", " ", "\t"])
def test_an_empty_query_is_a_mistake(capsys: pytest.CaptureFixture[str], text: str) -> None:
    code, message, _ = fail(capsys, "search", "query", "index", text)
    assert (code, message) == (2, "the query is empty")


def test_help_shows_examples_and_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    for command, expected in {
        "build": ["--output", "--model", "--language", "--approximate", "--overwrite", "--threads"],
        "query": ["-k", "--queries", "--model", "--language", "--json", "--threads"],
        "add": ["--model", "--language", "--threads"],
        "delete": ["--id", "--ids", "--text", "--threads"],
        "info": ["--check", "--json"],
    }.items():
        out, _ = run(capsys, command, "--help")
        assert f"Usage: calque search {command} " in out
        for option in expected:
            assert option in out.replace(",", " ").split(), f"no {option} in\n{out}"


# The vectors of 2,000 lines take 512 kB, their text 24.
BELOW_VECTORS = 100_000


@pytest.mark.parametrize("command", ["build", "add"])
def test_a_full_disk_leaves_the_old_index(small_model: calque.Model, command: str) -> None:
    Path("long.txt").write_text("A dog runs.\n" * 2000)
    before = {path.name for path in Path("index").iterdir()}
    given = {
        "build": ["build", "long.txt", "-o", "index", "--overwrite", "--model", str(small_model.path)],
        "add": ["add", "index", "long.txt"],
    }[command]
    failed = subprocess.run(
        [*COMMAND, "search", *given],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (BELOW_VECTORS, BELOW_VECTORS)),
    )
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False), failed.stderr
    assert re.match(
        r"error: cannot write index/segment-\d+.*: File too large\n\nhint: nothing was changed", failed.stderr
    )
    assert {path.name for path in Path("index").iterdir()} == before
    assert len(calque.Index.open("index")) == 3
