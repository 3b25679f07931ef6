"""Shards, whoever works on them, come to what one file comes to, byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import calque
from calque.cluster.dedup import dedup_shards
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Here
from calque.cluster.filter import filter_shards
from calque.cluster.mine import mine_shards
from calque.errors import CorpusError, UsageError
from calque.mining import MiningConfig
from calque.tasks.dedup import Options
from calque.tasks.dedup_files import Outputs, Watch, find_in_files
from calque.tasks.dedup_intake import Source
from calque.tasks.encode import encode_file
from calque.tasks.filter import filter_file
from calque.tasks.mine import mine_files
from shards import cut, joined


def whole(lines: list[str], path: Path) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_vectors(fluent_model: calque.Model, english: list[str], tmp_path: Path) -> None:
    encode_file(fluent_model, whole(english, tmp_path / "all.txt"), tmp_path / "all.npy", normalize=True)
    shards = cut(english, tmp_path / "shards", ".txt")
    report = encode_shards(fluent_model, [shards], tmp_path / "out", Here(), normalize=True)
    parts = [np.load(part) for part in sorted((tmp_path / "out").glob("part-*.npy"))]
    assert np.array_equal(np.concatenate(parts), np.load(tmp_path / "all.npy"))
    assert report == {"parts": 4, "lines": len(english), "dimension": fluent_model.dimension}


@pytest.mark.parametrize(
    "options",
    [{}, {"threshold": "auto", "k": 2}, {"keep_repeats": True, "retrieval": "intersect"}, {"margin": "distance"}],
)
def test_mined_pairs(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path, options: dict[str, Any]
) -> None:
    config = MiningConfig(**options)
    source, target = whole(english, tmp_path / "all.en"), whole(spanish, tmp_path / "all.es")
    expected = mine_files(source, target, tmp_path / "all.tsv", fluent_model, config, ids=True)
    sides = cut(english, tmp_path / "en", ".txt"), cut(spanish, tmp_path / "es", ".txt")
    out = tmp_path / "out"
    report = mine_shards([sides[0]], [sides[1]], out, fluent_model, config, Here(), ids=True, block=60)
    assert joined(out) == (tmp_path / "all.tsv").read_bytes()
    assert report == expected.as_dict()
    assert sorted(path.name for path in (out / "_job").iterdir()) == ["job.json", "report.json"]


def test_lines_in_other_languages_are_left_out_alike(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    """German lines in two of the shards, and the language of each side is that of most lines."""
    german = [f"Gestern Abend trafen wir {count} unserer alten Freunde am Bahnhof." for count in range(2, 12)]
    lines = [*german[:4], *spanish, *german[4:]]
    source, target = whole(english, tmp_path / "one.txt"), whole(lines, tmp_path / "two.txt")
    expected = mine_files(source, target, tmp_path / "all.tsv", fluent_model, MiningConfig(), ids=True)
    sides = cut(english, tmp_path / "en", ".txt"), cut(lines, tmp_path / "es", ".txt")
    out = tmp_path / "out"
    report = mine_shards([sides[0]], [sides[1]], out, fluent_model, MiningConfig(), Here(), ids=True, block=60)
    assert joined(out) == (tmp_path / "all.tsv").read_bytes()
    assert report == expected.as_dict()
    assert report["target"]["other_languages"]["de"] == 10


def test_pairs_mined_from_columns_of_tables_to_tables(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    """A shard of each side is Parquet, and another a TSV."""
    for name, lines in (("en", english), ("es", spanish)):
        whole(lines, tmp_path / f"all.{name}")
        (tmp_path / name).mkdir()
        rows = pyarrow.table({"id": range(30), "text": lines[:30]})
        pyarrow.parquet.write_table(rows, tmp_path / name / "1.parquet")
        whole(["id\ttext", *(f"{at}\t{line}" for at, line in enumerate(lines[30:]))], tmp_path / name / "2.tsv")
    config, out = MiningConfig(), tmp_path / "out"
    mine_files(tmp_path / "all.en", tmp_path / "all.es", tmp_path / "all.parquet", fluent_model, config, ids=True)
    sides = [[tmp_path / name] for name in ("en", "es")]
    mine_shards(*sides, out, fluent_model, config, Here(), ids=True, column="text", to="parquet")
    found = pyarrow.parquet.read_table(out / "part-00000.parquet")
    assert found.equals(pyarrow.parquet.read_table(tmp_path / "all.parquet"))
    assert found.num_rows > 50


def test_mined_pairs_by_a_threshold_from_known_ones(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    config = MiningConfig(threshold="auto")
    known = [calque.corpus.Pair(*row) for row in zip(english[:40], reversed(spanish[-43:-3]), strict=True)]  # type: ignore[attr-defined]
    pairs = list(calque.mine(english, spanish, fluent_model, known=known, config=config))
    sides = cut(english, tmp_path / "en", ".txt"), cut(spanish, tmp_path / "es", ".txt")
    report = mine_shards([sides[0]], [sides[1]], tmp_path / "out", fluent_model, config, Here(), known=known, block=60)
    assert report["pairs"] == len(pairs) > 0
    assert report["evidence"] == "40 known pairs among the text"


def test_approximate_neighbours_are_nearly_all_of_them(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    pytest.importorskip("faiss")
    sides = cut(english, tmp_path / "en", ".txt"), cut(spanish, tmp_path / "es", ".txt")

    def mined(search: str) -> tuple[set[bytes], dict[str, Any]]:
        config, out = MiningConfig(search=search), tmp_path / search  # type: ignore[arg-type]
        report = mine_shards([sides[0]], [sides[1]], out, fluent_model, config, Here(), block=60)
        return {line.partition(b"\t")[2] for line in joined(out).splitlines()}, report

    (exact, _), (found, report) = mined("exact"), mined("approximate")
    assert report["search_recall"] >= 0.95
    assert len(exact & found) > 0.9 * len(exact)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep": "70%", "preset": "light"},
        {"keep": "60", "rules": ["duplicate", "near-duplicate"]},
        {"threshold": 0.1, "score": "cosine", "to": "jsonl"},
    ],
)
def test_filtered_pairs(fluent_model: calque.Model, noisy: list[str], tmp_path: Path, options: dict[str, Any]) -> None:
    bitext, kept = whole(noisy, tmp_path / "all.en-es.tsv"), tmp_path / f"kept.{options.get('to', 'tsv')}"
    expected = filter_file(fluent_model, bitext, kept, rejected=tmp_path / "rejected.tsv", **options).as_dict()
    shards, out, rejected = cut(noisy, tmp_path / "shards", ".en-es.tsv"), tmp_path / "out", tmp_path / "rejected"
    report = filter_shards(fluent_model, [shards], out, Here(), rejected=rejected, **options)
    assert joined(out) == kept.read_bytes()
    assert joined(rejected) == (tmp_path / "rejected.tsv").read_bytes()
    assert {name: value for name, value in report.items() if name != "signature"} == {
        name: value for name, value in expected.items() if name != "signature"
    }


@pytest.mark.parametrize("threshold", [0.95, 0.6])
@pytest.mark.parametrize("against", [False, True])
def test_lines_without_repeats(
    fluent_model: calque.Model, english: list[str], tmp_path: Path, threshold: float, against: bool
) -> None:
    corpus = whole(english, tmp_path / "all.txt")
    references = [whole(english[:30], tmp_path / "references.txt")] if against else []
    outputs, options = Outputs([str(tmp_path / "kept.txt")]), Options(threshold)
    with find_in_files(
        corpus, fluent_model, options, against=references, source=Source(), outputs=outputs, watch=Watch()
    ) as found:
        found.write(outputs)
        expected = found.report()
    shards, out = cut(english, tmp_path / "shards", ".txt"), tmp_path / "out"
    report = dedup_shards(fluent_model, [shards], out, Here(), options, against=references, block=60)
    assert joined(out) == (tmp_path / "kept.txt").read_bytes()
    assert report == {name: value for name, value in expected.items() if name != "examples"}


@pytest.mark.parametrize("against", [False, True])
@pytest.mark.parametrize("opposites", [True, False])
def test_lines_that_something_tells_from_near_ones(
    fluent_model: calque.Model, english: list[str], tmp_path: Path, opposites: bool, against: bool
) -> None:
    """Negated lines and other numbers, far from the lines that they are near to and in other shards."""
    turned = [f"{line[:-1]} not." for line in english[::3]] + [f"{line[:-1]} 5." for line in english[1::3]]
    lines = [*english, "At most two are left.", *turned, "At least two are left.", *turned[::2]]
    corpus = whole(lines, tmp_path / "all.txt")
    references = [whole(english[:50], tmp_path / "references.txt")] if against else []
    outputs, options = Outputs([str(tmp_path / "kept.txt")]), Options(0.8, opposites=opposites)
    with find_in_files(
        corpus, fluent_model, options, against=references, source=Source(), outputs=outputs, watch=Watch()
    ) as found:
        found.write(outputs)
        expected = found.report()
    shards, out = cut(lines, tmp_path / "shards", ".txt"), tmp_path / "out"
    report = dedup_shards(fluent_model, [shards], out, Here(), options, against=references, block=40)
    assert joined(out) == (tmp_path / "kept.txt").read_bytes()
    assert report == {name: value for name, value in expected.items() if name != "examples"}
    assert (report["spared"]["negation"] > 10) == opposites
    assert report["spared"]["number"] > 10


def test_pairs_without_repeats(fluent_model: calque.Model, noisy: list[str], tmp_path: Path) -> None:
    corpus = whole(noisy, tmp_path / "all.en-es.tsv")
    outputs, options = Outputs([str(tmp_path / "kept.tsv")]), Options(0.8)
    with find_in_files(corpus, fluent_model, options, source=Source(), outputs=outputs, watch=Watch()) as found:
        found.write(outputs)
        expected = found.report()
    shards, out = cut(noisy, tmp_path / "shards", ".en-es.tsv"), tmp_path / "out"
    report = dedup_shards(fluent_model, [shards], out, Here(), options, block=60)
    assert joined(out) == (tmp_path / "kept.tsv").read_bytes()
    assert report == {name: value for name, value in expected.items() if name != "examples"}


def test_pairs_of_which_one_side_is_negated(
    fluent_model: calque.Model, english: list[str], spanish: list[str], tmp_path: Path
) -> None:
    pairs = list(zip(english, spanish, strict=False))
    turned = [(one, f"No {two}") for one, two in pairs[::2]] + [(f"Not {one}", two) for one, two in pairs[1::2]]
    lines = ["\t".join(pair) for pair in [*pairs, *turned]]
    corpus = whole(lines, tmp_path / "all.en-es.tsv")
    outputs, options = Outputs([str(tmp_path / "kept.tsv")]), Options(0.7)
    with find_in_files(corpus, fluent_model, options, source=Source(), outputs=outputs, watch=Watch()) as found:
        found.write(outputs)
        expected = found.report()
    shards, out = cut(lines, tmp_path / "shards", ".en-es.tsv"), tmp_path / "out"
    report = dedup_shards(fluent_model, [shards], out, Here(), options, block=60)
    assert joined(out) == (tmp_path / "kept.tsv").read_bytes()
    assert report == {name: value for name, value in expected.items() if name != "examples"}
    assert report["spared"]["negation"] > 20


def test_the_longest_of_several_is_for_one_machine(small_model: calque.Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lengths"):
        dedup_shards(small_model, [tmp_path], tmp_path / "out", Here(), Options(keep="longest"))


def test_a_side_without_a_sentence(small_model: calque.Model, tmp_path: Path) -> None:
    empty = whole(["", " "], tmp_path / "empty.txt")
    with pytest.raises(CorpusError, match="holds no sentence"):
        mine_shards([empty], [empty], tmp_path / "out", small_model, MiningConfig(), Here())


def test_nothing_to_filter(small_model: calque.Model, tmp_path: Path) -> None:
    blank = whole(["one\t", "\ttwo"], tmp_path / "blank.tsv")
    with pytest.raises(CorpusError, match="all 2 pairs have a blank side"):
        filter_shards(small_model, [blank], tmp_path / "out", Here())


def test_one_side_of_a_parallel_corpus_is_no_shard(small_model: calque.Model, tmp_path: Path) -> None:
    side = whole(["A dog runs."], tmp_path / "corpus.en")
    with pytest.raises(CorpusError, match="one side of a bitext") as raised:
        filter_shards(small_model, [side], tmp_path / "out", Here())
    assert "calque corpus convert A B" in str(raised.value.hint)
