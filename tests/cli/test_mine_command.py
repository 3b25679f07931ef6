"""calque mine: what it prints, and what it says to the usual mistakes."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import main
from calque.demo import sentences

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fluent_model: calque.Model) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(fluent_model.path))
    for language, lines in sentences().items():
        Path(f"text.{language}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_pairs_go_to_standard_output_and_the_rest_to_the_other(text: Path, capsys: Capture) -> None:
    main(["mine", "text.en", "text.de"])
    seen = capsys.readouterr()
    rows = [line.split("\t") for line in seen.out.splitlines()]
    assert {len(row) for row in rows} == {3}
    assert f"{len(rows):,} pairs of {len(rows):,} candidates" in seen.err
    assert "--threshold auto would keep " in seen.err
    assert sorted(path.name for path in text.iterdir()) == ["text.de", "text.en", "text.es", "text.fr"]


def test_auto_says_what_to_expect_and_draws_it(text: Path, capsys: Capture) -> None:
    pytest.importorskip("matplotlib")
    main(["mine", "text.en", "text.de", "-o", "pairs.tsv", "--threshold", "auto", "--plot", "curve.svg", "--ids"])
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "precision " in seen.err
    assert "estimated from second and third choices in the text itself" in seen.err
    assert len(Path("pairs.tsv").read_text(encoding="utf-8").split("\n")[0].split("\t")) == 5
    assert "<svg" in Path("curve.svg").read_text(encoding="utf-8")


def test_the_report_can_be_had_as_json(text: Path, capsys: Capture) -> None:
    main(["mine", "text.en", "text.de", "-o", "pairs.tsv", "--threshold", "1.2", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["pairs"] == len(Path("pairs.tsv").read_text(encoding="utf-8").splitlines())
    assert report["threshold"] == 1.2
    assert report["source"]["lines"] == len(sentences()["en"])
    assert 0 < report["expected"]["precision"] <= 1


def test_the_same_pairs_as_json_lines_and_as_parquet(text: Path, capsys: Capture) -> None:
    import pyarrow.parquet

    main(["mine", "text.en", "text.de", "-o", "pairs.tsv", "--ids"])
    main(["mine", "text.en", "text.de", "-o", "pairs.jsonl.gz", "--ids"])
    main(["mine", "text.en", "text.de", "-o", "pairs.of.mine", "--to", "parquet", "--ids"])
    rows = [line.split("\t") for line in Path("pairs.tsv").read_text(encoding="utf-8").splitlines()]
    expected = [(float(score), int(one), int(two), source, target) for score, one, two, source, target in rows]
    packed = gzip.decompress(Path("pairs.jsonl.gz").read_bytes()).decode().splitlines()
    assert [tuple(json.loads(line).values()) for line in packed] == expected
    table = pyarrow.parquet.read_table("pairs.of.mine")
    assert table.column_names == ["score", "source_line", "target_line", "source", "target"]
    assert [tuple(row.values()) for row in table.to_pylist()] == expected


def test_sentences_may_stand_in_a_column(text: Path, capsys: Capture) -> None:
    import pyarrow.parquet

    main(["mine", "text.en", "text.de", "-o", "lines.tsv"])
    for language in ("en", "de"):
        lines = Path(f"text.{language}").read_text(encoding="utf-8").splitlines()
        table = pyarrow.table({"number": [str(at) for at in range(len(lines))], "body": lines})
        pyarrow.parquet.write_table(table, f"text.{language}.parquet")
    main(["mine", "text.en.parquet", "text.de.parquet", "--column", "body", "-o", "columns.tsv"])
    assert Path("columns.tsv").read_bytes() == Path("lines.tsv").read_bytes()
    capsys.readouterr()
    code, _, hint = fail(capsys, "mine", "text.en.parquet", "text.de.parquet", "-o", "other.tsv")
    assert (code, hint) == (1, "--column NAME says which to read")


def test_a_mistake_leaves_nothing_behind(text: Path, capsys: Capture) -> None:
    fail(capsys, "mine", "nowhere.en", "text.de", "-o", "pairs.tsv")
    assert sorted(path.name for path in text.iterdir()) == ["text.de", "text.en", "text.es", "text.fr"]


def test_recall_is_for_approximate_search(text: Path, capsys: Capture) -> None:
    code, _, hint = fail(capsys, "mine", "text.en", "text.de", "--recall", "0.5", "--search", "exact")
    assert (code, hint) == (2, "add --search approximate")
    code, _, hint = fail(capsys, "mine", "text.en", "text.de", "-o", "out", "--recall", "0.5", "--engine", "ray")
    assert (code, hint) == (2, "add --search approximate")


def test_parquet_is_no_stream(text: Path, capsys: Capture) -> None:
    code, said, _ = fail(capsys, "mine", "text.en", "text.de", "--to", "parquet")
    assert (code, said) == (2, "Parquet cannot be written to standard output")


def test_a_side_may_come_from_standard_input(text: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["mine", "text.en", "text.de", "-o", "files.tsv"])
    stream = io.TextIOWrapper(io.BytesIO(Path("text.de").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    main(["mine", "text.en", "-", "-o", "piped.tsv"])
    assert Path("files.tsv").read_bytes() == Path("piped.tsv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["text.en", "text.xx"], 2, "text.xx"),
        (["-", "-"], 2, "standard input can be read once only"),
        (["text.en", "text.de", "--json"], 2, "cannot both go to standard output"),
        (["text.en", "text.de", "--threshold", "high"], 2, "expected a number or auto, got 'high'"),
        (["text.en", "text.de", "--threshold", "nan"], 2, "expected a number or auto, got 'nan'"),
        (["text.en", "text.de", "--memory", "lots"], 2, "expected a size like 2G or 500M, got 'lots'"),
        (["text.en", "text.de", "--memory", "100M"], 2, "0.1 GB are allowed"),
        (["text.en", "text.de", "--plot", "curve.jpg"], 2, "cannot draw 'jpg'"),
        (["text.en", "text.de", "-o", "x.png", "--plot", "x.png"], 2, "cannot both go to x.png"),
        (["text.en", "text.de", "--calibrate", "text.en"], 1, "no tab"),
    ],
)
def test_mistakes_are_named(text: Path, capsys: Capture, arguments: list[str], code: int, message: str) -> None:
    before = sorted(text.iterdir())
    exit_code, said, _ = fail(capsys, "mine", *arguments)
    assert exit_code == code
    assert message in said
    assert sorted(text.iterdir()) == before
