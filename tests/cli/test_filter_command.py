"""calque filter: data to its files, the report to standard error or as JSON, mistakes with a hint."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from failing import fail

from calque.cli import main
from calque.demo import sentences
from calque.model import Model

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]
PAIRS = list(zip(sentences()["en"], sentences()["es"], strict=True))
TEXT = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, fluent_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the help's examples name, and some bad ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    Path("my-model").symlink_to(fluent_model.path or "")
    shuffled = [(PAIRS[at][0], PAIRS[at + 1][1]) for at in range(200)] + PAIRS[200:]
    for name in ("noisy.en-es.tsv", "noisy"):
        Path(name).write_text("".join(f"{source}\t{target}\n" for source, target in shuffled), encoding="utf-8")
    Path("clean.en-es.tsv").write_text(TEXT, encoding="utf-8")
    for side, name in enumerate(("corpus.en", "corpus.es")):
        Path(name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS), encoding="utf-8")
    Path("short.es").write_text("uno\n")
    Path("wide.tsv").write_text("a\tb\tc\n")
    Path("empty.tsv").touch()
    Path("blank.tsv").write_text("text\t\n" * 20)
    Path("finnish.en-fi.tsv").write_text(TEXT, encoding="utf-8")


def run(
    arguments: str, stdin: str | None = None, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "filter", *shlex.split(arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, preexec_fn=before)


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


def test_examples_of_the_help_work(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("CALQUE_MODEL", "my-model")
    main(["filter", "--help"])
    lines = [line.strip() for line in capsys.readouterr().out.replace(".de", ".es").replace("-de", "-es").splitlines()]
    examples = [line for line in lines if line.startswith(("calque filter ", "zcat ")) and "--engine" not in line]
    assert len(examples) == 4
    for example in examples:
        piped, _, command = example.rpartition("| ")
        if piped:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("noisy").read_bytes())))
        main(shlex.split(command.removeprefix("calque "), comments=True))
        assert capsys.readouterr().out == ""
    assert {"kept.tsv", "kept.en", "kept.es", "kept.tsv.gz", "dropped.tsv", "curve.png"} <= files()


def test_the_report_says_what_went_and_what_to_expect() -> None:
    done = run("noisy.en-es.tsv -o kept.tsv -m my-model --preset light")
    kept = len(Path("kept.tsv").read_text("utf-8").splitlines())
    assert done.stderr.startswith(f"{kept} of 920 pairs kept (")
    assert "low score" in done.stderr
    assert "lowest kept" in done.stderr
    assert "threshold: 0." in done.stderr
    assert "estimated: precision " in done.stderr
    wrong = re.search(r"wrong in all, by estimate: ([\d.]+)% unrelated and ([\d.]+)% halved", done.stderr)
    assert wrong
    assert 15 < float(wrong[1]) + float(wrong[2]) < 28  # two in nine


def test_pairs_go_to_standard_output_if_asked() -> None:
    done = run("noisy.en-es.tsv -o - -m my-model --keep 3")
    assert [len(line.split("\t")) for line in done.stdout.splitlines()] == [3, 3, 3]


def test_json_is_the_report() -> None:
    done = run("noisy.en-es.tsv -o kept.tsv -m my-model --json --rule length-ratio=1.5")
    report = json.loads(done.stdout)
    assert report["kept"] == len(Path("kept.tsv").read_text("utf-8").splitlines())
    assert report["read"] == 920
    assert report["dropped"]["length-ratio"]["count"] > 0
    assert report["kept"] + report["low_score"]["count"] + report["dropped"]["length-ratio"]["count"] == 920
    assert 0.9 < report["expected"]["precision"] <= 1
    assert report["signature"].startswith("noisy.en-es|n:920|sp:1000|")
    assert set(report["wrong"]) == {"unrelated", "halved"}


def test_nothing_kept_is_valid_json_too() -> None:
    done = run("clean.en-es.tsv -o kept.tsv -m my-model --json --keep 0.01%")
    report = json.loads(done.stdout)
    assert (report["kept"], report["threshold"]) == (0, None)


def test_a_language_that_only_a_name_tells_and_the_model_does_not_know_is_noted() -> None:
    done = run("finnish.en-fi.tsv -o kept.tsv -m my-model --keep 9")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: the target side is in fi, which the model was not trained on")
    assert "--add-language fi" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("noisy.en-es.tsv -o kept.tsv --keep 0%", 2, "keep: expected a share above 0% .*got '0%'", "--keep 80%"),
        ("noisy.en-es.tsv -o kept.tsv --keep 120%", 2, "keep: expected .*got '120%'", "--keep 80%"),
        ("noisy.en-es.tsv -o kept.tsv --keep abc", 2, "keep: expected .*got 'abc'", "--keep 80%"),
        ("noisy.en-es.tsv -o kept.tsv --keep 9 --threshold 0", 2, "two ways to decide", "choose one"),
        ("noisy.en-es.tsv -o kept.tsv --threshold high", 2, "expected a number or auto, got 'high'", "filter --help"),
        ("noisy.en-es.tsv -o kept.tsv --score ratio", 2, "ratio", "filter --help"),
        ("noisy.en-es.tsv -o kept.tsv --preset hard", 2, "hard", "filter --help"),
        ("noisy.en-es.tsv -o kept.tsv --rule length", 2, "no rule 'length'", "did you mean length-ratio"),
        ("noisy.en-es.tsv", 2, "--output", "filter --help"),
        ("noisy.en-es.tsv -o kept.cake", 2, "does not say which format", "--to"),
        ("noisy.en-es.tsv -o noisy.en-es.tsv", 2, "is what is read", "name another file"),
        ("noisy.en-es.tsv -o kept.tsv --rejected kept.tsv", 2, "two outputs cannot both go to kept.tsv", ""),
        ("noisy.en-es.tsv -o - --json", 2, "two outputs cannot both go to standard output", ""),
        ("noisy.en-es.tsv -o kept.tsv --plot curve.jpg", 2, "cannot draw 'jpg'", ".png"),
        ("nowhere.tsv -o kept.tsv", 2, "cannot read nowhere.tsv", ""),
        ("noisy.en-es.tsv -o kept.tsv --calibrate nowhere.tsv", 2, "cannot read nowhere.tsv", ""),
        ("- - -o kept.tsv", 2, "standard input can be read once only", ""),
        ("corpus.en short.es -o kept.tsv", 1, "short.es has 1 lines, but corpus.en has 920", "one sentence a line"),
        ("short.es corpus.en -o kept.tsv", 1, "short.es has 1 lines, but corpus.en has 920", "one sentence a line"),
        ("corpus.en -o kept.tsv", 1, "the other is missing", "two parallel files"),
        ("wide.tsv -o kept.tsv", 1, "expected 2 columns, got 3", "--columns 1,2"),
        ("empty.tsv -o kept.tsv", 1, "empty.tsv is empty", ""),
        ("blank.tsv -o kept.tsv", 1, "all 20 pairs have a blank side", "--columns"),
        ("clean.en-es.tsv finnish.en-fi.tsv -o kept.tsv", 1, "finnish.en-fi.tsv is en-fi", "one language pair"),
    ],
)
def test_mistakes_end_in_an_error_and_a_hint(
    capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    before = files()
    found = fail(capsys, "filter", *arguments.split(), "--model", "my-model", after_others="--languages" in arguments)
    assert found[0] == code
    assert re.search(message, found[1]), found[1]
    assert hint in found[2]
    assert files() == before


def test_without_a_model_the_way_out_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _, message, hint = fail(capsys, "filter", "noisy.en-es.tsv", "-o", "kept.tsv")
    assert "model" in message
    assert "--model" in hint


def test_a_full_disk_leaves_nothing() -> None:
    before = files()
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))  # noqa: E731
    done = run("noisy.en-es.tsv -o kept.tsv -m my-model --rejected dropped.tsv", before=limited)
    assert done.returncode == 1
    assert "error: cannot write kept.tsv: File too large\n\nhint: nothing was changed" in done.stderr
    assert "Traceback" not in done.stderr
    assert files() == before


def test_a_full_folder_for_temporary_files_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(Path("temporary").resolve()))
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))  # noqa: E731
    done = run("noisy.en-es.tsv -o kept.tsv -m my-model", before=limited)
    assert done.returncode == 1
    assert "temporary: File too large\n\nhint: nothing was changed" in done.stderr
    assert "TMPDIR" in done.stderr
    piped = run("- -o kept.tsv -m my-model", Path("noisy").read_text("utf-8"), before=limited)
    assert (piped.returncode, "Traceback" in piped.stderr) == (1, False)
    assert "temporary: File too large\n\nhint: nothing was changed; free some space there, or set" in piped.stderr
    assert not any(Path("temporary").iterdir())
    assert not Path("kept.tsv").exists()


def test_standard_input_gives_what_the_file_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(Path("temporary").resolve()))
    assert run("noisy.en-es.tsv -o one.tsv -m my-model").returncode == 0
    assert run("- -o two.tsv -m my-model", Path("noisy").read_text("utf-8")).returncode == 0
    assert Path("one.tsv").read_bytes() == Path("two.tsv").read_bytes()
    assert not any(Path("temporary").iterdir())


def test_a_named_pipe_gives_what_the_file_gives() -> None:
    assert run("noisy.en-es.tsv -o one.tsv -m my-model").returncode == 0
    os.mkfifo("pipe.en-es.tsv")
    writer = threading.Thread(target=lambda: Path("pipe.en-es.tsv").write_bytes(Path("noisy").read_bytes()))
    writer.start()
    done = run("pipe.en-es.tsv -o two.tsv -m my-model")
    writer.join(60)
    assert done.returncode == 0, done.stderr
    assert Path("one.tsv").read_bytes() == Path("two.tsv").read_bytes()
