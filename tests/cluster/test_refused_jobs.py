"""What would cost somebody's files, or a job's work, is told before anything is done."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import fsspec
import pyarrow
import pyarrow.parquet
import pytest
from losing import Losing, Lost

import calque
from calque.cluster.dedup import dedup_shards
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Here
from calque.cluster.filter import filter_shards
from calque.cluster.job import Job
from calque.cluster.mine import mine_shards
from calque.cluster.places import Place
from calque.cluster.shards import find_shards
from calque.errors import CorpusError, UsageError
from calque.mining import MiningConfig
from calque.tasks.dedup import Options
from calque.tasks.dedup_intake import Source
from shards import cut, joined


def written(lines: list[str], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_rejected_pairs_overwrite_nothing(small_model: calque.Model, noisy: list[str], tmp_path: Path) -> None:
    shards, out = cut(noisy, tmp_path / "shards", ".tsv"), tmp_path / "out"
    precious = written(["mine"], tmp_path / "precious" / "part-00000.tsv")
    for rejected, message in (
        (out, "one folder"),
        (out / "rejected", "one holds the other"),
        (precious.parent, "holds something else"),
        (shards, "is what is read"),
        (shards / "rejected", "which is read"),
    ):
        with pytest.raises(UsageError, match=message):
            filter_shards(small_model, [shards], out, Here(), rejected=rejected)
    with pytest.raises(UsageError, match="holds what is read"):
        filter_shards(small_model, [shards / "shard-1.tsv"], out, Here(), rejected=shards)
    assert precious.read_text() == "mine\n"
    assert not out.exists()


def test_rejected_pairs_of_a_resumed_job_go_where_it_began(
    small_model: calque.Model, noisy: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards, out = cut(noisy, tmp_path / "shards", ".tsv"), tmp_path / "out"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Lost):
        filter_shards(small_model, [shards], out, Losing(stage="written"), rejected="dropped", keep="50%")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="begun with another rejected"):
        filter_shards(small_model, [shards], out, Here(), rejected="dropped", keep="50%")
    filter_shards(small_model, [shards], out, Here(), rejected=tmp_path / "dropped", keep="50%")
    assert len(list((tmp_path / "dropped").glob("part-*"))) == 4


def test_a_calibration_that_has_changed_is_refused(small_model: calque.Model, noisy: list[str], tmp_path: Path) -> None:
    shards, known = cut(noisy, tmp_path / "shards", ".tsv"), written(noisy[:150] * 2, tmp_path / "known.tsv")
    with pytest.raises(Lost):
        filter_shards(small_model, [shards], tmp_path / "out", Losing(stage="written"), calibrate=known)
    written(noisy[:149] * 2, known)
    with pytest.raises(UsageError, match="its files have changed"):
        filter_shards(small_model, [shards], tmp_path / "out", Here(), calibrate=known)


def test_mistakes_are_told_before_a_job_is_begun(small_model: calque.Model, noisy: list[str], tmp_path: Path) -> None:
    shards, few = cut(noisy, tmp_path / "shards", ".tsv"), written(noisy[:9], tmp_path / "few.tsv")
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="nonsense"):
        filter_shards(small_model, [shards], out, Here(), rules=["nonsense"])
    with pytest.raises(UsageError, match="no such file"):
        filter_shards(small_model, [shards], out, Here(), calibrate=tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="to calibrate with, got 9"):
        filter_shards(small_model, [shards], out, Here(), calibrate=few)
    with pytest.raises(UsageError, match="lies in"):
        encode_shards(small_model, [shards], shards / "out", Here())
    assert not out.exists()
    assert not (shards / "out").exists()
    stages: list[str] = []
    for work, place in ((filter_shards, tmp_path / "filtered"), (dedup_shards, tmp_path / "unique")):
        options = [Options()] if work is dedup_shards else []
        with pytest.raises(UsageError, match="a TMX file names its languages"):
            work(  # type: ignore[operator]
                small_model,
                [shards],
                place,
                Here(),
                *options,
                to="tmx",
                watch=lambda stage, done, all: stages.append(stage),
            )
    assert set(stages) == {"counted"}


def test_the_same_job_may_run_twice_and_leaves_nothing_unfinished(tmp_path: Path) -> None:
    out = tmp_path / "out"
    job = Job(Place.of(out), Here())
    job.open({}, [])
    unfinished = out / ".part.1234.unfinished", out / "_job" / "stage" / ".part.5678.unfinished"
    for folder in unfinished:
        folder.mkdir(parents=True)
    again = Job(Place.of(out), Here())
    again.open({}, [])
    again.stage("stage", lambda task: {}, [{"name": "0"}])
    assert all(folder.exists() for folder in unfinished)
    again.finish({})
    assert [path.name for path in out.iterdir()] == ["_job"]


def test_a_job_that_died_before_it_was_described_goes_on(small_model: calque.Model, tmp_path: Path) -> None:
    text = written(["A line."], tmp_path / "text")
    (tmp_path / "out" / "_job" / ".job.json.1234.unfinished").mkdir(parents=True)
    assert encode_shards(small_model, [text], tmp_path / "out", Here())["lines"] == 1
    assert sorted(path.name for path in (tmp_path / "out" / "_job").iterdir()) == ["job.json", "report.json"]


def test_another_version_of_calque_is_another_job(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = written(["A line."], tmp_path / "text")
    encode_shards(small_model, [text], tmp_path / "out", Here())
    monkeypatch.setattr("calque.cluster.job.__version__", "0.0.1")
    with pytest.raises(UsageError, match="begun with another version"):
        encode_shards(small_model, [text], tmp_path / "out", Here())


def test_a_link_and_other_rights_are_no_other_content(tmp_path: Path) -> None:
    text = written(["A line."], tmp_path / "text")
    before = find_shards([text])
    os.link(text, tmp_path / "link")
    text.chmod(0o600)
    assert find_shards([text]) == before


@pytest.mark.parametrize("to", ["tsv", "csv", "jsonl", "tmx", "parquet"])
def test_shards_without_anything_count_as_nothing(
    fluent_model: calque.Model, noisy: list[str], tmp_path: Path, to: str
) -> None:
    """Filters write them; the first one here loses all its pairs."""
    copies = [f"{row.split(chr(9))[0]}\t" for row in noisy[:9]]
    written(copies, tmp_path / "shards" / "0.en-es.tsv")
    written(noisy, tmp_path / "shards" / "1.en-es.tsv")
    once, twice = tmp_path / "once", tmp_path / "twice"
    report = filter_shards(fluent_model, [tmp_path / "shards"], once, Here(), to=to)
    languages, columns = ("en", "es"), (1, 2) if to == "tsv" else None
    again = filter_shards(fluent_model, [once], twice, Here(), languages=languages, columns=columns, keep="100%")
    assert again["read"] == report["kept"] > 50
    source = Source(languages=languages, columns=columns)
    unique = dedup_shards(fluent_model, [once], tmp_path / "unique", Here(), Options(), source=source)
    assert unique["lines"] == report["kept"]
    assert unique["pairs"]


def test_an_empty_first_shard_does_not_say_what_the_others_are(
    small_model: calque.Model, noisy: list[str], tmp_path: Path
) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "0.tsv.gz").write_bytes(gzip.compress(b""))
    written(noisy, tmp_path / "shards" / "1.tsv")
    report = dedup_shards(small_model, [tmp_path / "shards"], tmp_path / "unique", Here(), Options())
    assert (report["pairs"], report["lines"]) == (True, len(noisy))
    assert filter_shards(small_model, [tmp_path / "shards"], tmp_path / "kept", Here())["read"] == len(noisy)


def test_lines_and_pairs_are_not_mixed(
    small_model: calque.Model, english: list[str], noisy: list[str], tmp_path: Path
) -> None:
    written(english, tmp_path / "shards" / "0.txt")
    written(noisy, tmp_path / "shards" / "1.tsv")
    with pytest.raises(UsageError, match=r"1\.tsv holds pairs, and others lines"):
        dedup_shards(small_model, [tmp_path / "shards"], tmp_path / "out", Here(), Options())
    source = Source(bitext=False)
    report = dedup_shards(small_model, [tmp_path / "shards"], tmp_path / "lines", Here(), Options(), source=source)
    assert report["lines"] == len(english) + len(noisy)


def test_a_text_with_a_line_break_is_no_line(small_model: calque.Model, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"text": ["It rains.", "A dog\nruns."]}), tmp_path / "table.parquet")
    with pytest.raises(CorpusError, match="row 2: a text with a line break"):
        dedup_shards(
            small_model,
            [tmp_path / "table.parquet"],
            tmp_path / "out",
            Here(),
            Options(),
            source=Source(bitext=False),
        )


def test_nothing_to_compare_with(small_model: calque.Model, english: list[str], tmp_path: Path) -> None:
    text, empty = written(english, tmp_path / "text"), written([], tmp_path / "empty")
    with pytest.raises(UsageError, match="nothing to compare with"):
        dedup_shards(small_model, [text], tmp_path / "out", Here(), Options(), against=[empty])
    assert not (tmp_path / "out").exists()


def test_empty_shards_among_others_are_mined_by_clusters(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    pytest.importorskip("faiss")
    for name, lines in (("0", []), ("1", english[:200]), ("2", [])):
        written(lines, tmp_path / "en" / name)
    sides = [tmp_path / "en"], [written(spanish, tmp_path / "es" / "0")]
    config = MiningConfig(search="approximate")
    assert mine_shards(*sides, tmp_path / "out", fluent_model, config, Here(), block=50)["pairs"] > 50


def test_an_empty_table_has_the_columns_of_the_others(small_model: calque.Model, tmp_path: Path) -> None:
    table = pyarrow.table({"id": [1, 2], "body": ["A dog runs.", None]})
    (tmp_path / "shards").mkdir()
    for name, rows in (("0", table), ("1", table.slice(0, 0))):
        pyarrow.parquet.write_table(rows, tmp_path / "shards" / f"{name}.parquet")
    encode_shards(small_model, [tmp_path / "shards"], tmp_path / "out", Here(), format="parquet")
    one, two = (pyarrow.parquet.read_table(part) for part in sorted((tmp_path / "out").glob("part-*")))
    assert one.schema == two.schema
    assert (one.num_rows, two.num_rows) == (2, 0)
    with pytest.raises(CorpusError, match="no column nonsense"):
        encode_shards(small_model, [tmp_path / "shards" / "1.parquet"], tmp_path / "none", Here(), column="nonsense")


def test_patterns_leave_alone_what_is_hidden_and_names_are_names(tmp_path: Path) -> None:
    for name in ("h/0.txt", "h/_SUCCESS", "h/.0.txt.crc", "h/_old/1.txt", "x[1].txt", "x1.txt"):
        written(["A line."], tmp_path / name)

    def names(pattern: str) -> list[str]:
        return [shard.place.name for shard in find_shards([tmp_path / pattern])]

    assert names("h/*") == ["0.txt"]
    assert names("h/_*") == ["_SUCCESS"]
    assert names("h/_old/*") == ["1.txt"]
    assert names("x[1].txt") == ["x[1].txt"]


def test_errors_name_the_address_and_not_the_copy(small_model: calque.Model, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/mistakes/0.txt", b"fine\nnot \xff\n")
    with pytest.raises(CorpusError, match=r"^memory://mistakes/0.txt, line 2"):
        encode_shards(small_model, ["memory://mistakes/0.txt"], tmp_path / "out", Here())


def test_a_resumed_job_of_lines_is_as_an_undisturbed_one(
    small_model: calque.Model, english: list[str], tmp_path: Path
) -> None:
    shards = cut(english, tmp_path / "shards", ".txt")
    dedup_shards(small_model, [shards], tmp_path / "undisturbed", Here(), Options())
    with pytest.raises(Lost):
        dedup_shards(small_model, [shards], tmp_path / "out", Losing(stage="written"), Options())
    dedup_shards(small_model, [shards], tmp_path / "out", Here(), Options())
    assert joined(tmp_path / "out") == joined(tmp_path / "undisturbed")
