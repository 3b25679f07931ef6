"""Cleaning files: several in, one out, what was dropped beside it, and never all of it in memory."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from calque.corpus import read_bitext
from calque.errors import CalqueError, CorpusError, UsageError
from calque.tasks.clean import clean, clean_file

GOOD = "A dog runs.\tUn perro corre.\n"
MIXED = GOOD + "\tnada\n" + "Same text.\tSAME TEXT\n" + GOOD + "cafÃ©, please\tun cafÃ©, por favor\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_bad_pairs_go_and_good_ones_stay(tmp_path: Path) -> None:
    bitext = write(tmp_path / "noisy.en-es.tsv", MIXED)
    report = clean_file(bitext, tmp_path / "clean.tsv")
    assert (tmp_path / "clean.tsv").read_text("utf-8") == GOOD + "café, please\tun café, por favor\n"
    assert (report.read, report.kept, report.repaired.count) == (5, 2, 1)
    assert {name: counted.count for name, counted in report.dropped.items() if counted.count} == {
        "empty": 1,
        "identical": 1,
        "duplicate": 1,
    }


def test_what_was_dropped_is_written_with_its_rule(tmp_path: Path) -> None:
    bitext = write(tmp_path / "noisy.en-es.tsv", MIXED)
    clean_file(bitext, tmp_path / "clean.tsv", rejected=tmp_path / "dropped.tsv")
    assert (tmp_path / "dropped.tsv").read_text() == (
        "empty\t\tnada\nidentical\tSame text.\tSAME TEXT\nduplicate\tA dog runs.\tUn perro corre.\n"
    )


def test_what_was_dropped_is_compressed_if_its_name_says_so(tmp_path: Path) -> None:
    bitext = write(tmp_path / "noisy.tsv", MIXED)
    clean_file(bitext, tmp_path / "clean.tsv", rejected=tmp_path / "dropped.tsv.gz")
    assert gzip.decompress((tmp_path / "dropped.tsv.gz").read_bytes()).startswith(b"empty\t\tnada\n")


def test_what_was_dropped_takes_one_line_a_pair(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("A dog runs.\ntab\there\x0band\x1c\n")
    (tmp_path / "a.es").write_text("Un perro corre.\n\n")
    clean_file([tmp_path / "a.en", tmp_path / "a.es"], tmp_path / "b.tsv", rejected=tmp_path / "dropped.tsv")
    assert (tmp_path / "dropped.tsv").read_text() == "empty\ttab here and\t\n"


@pytest.mark.parametrize("rejected", ["clean.tsv", "./clean.tsv", "folder/../clean.tsv"])
def test_kept_and_dropped_pairs_cannot_share_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rejected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    write(tmp_path / "noisy.tsv", MIXED)
    with pytest.raises(UsageError, match="two outputs cannot both go to"):
        clean_file("noisy.tsv", "clean.tsv", rejected=rejected)
    assert not Path("clean.tsv").exists()


def test_several_bitexts_make_one_and_know_each_other_s_duplicates(tmp_path: Path) -> None:
    one = write(tmp_path / "one.en-es.tsv", GOOD)
    (tmp_path / "two.en-es.tsv.gz").write_bytes(gzip.compress(f"{GOOD}Rain falls.\tLlueve ya.\n".encode()))
    write(tmp_path / "three.en", "A cat sleeps.\n")
    write(tmp_path / "three.es", "Un gato duerme.\n")
    inputs = [one, *(tmp_path / name for name in ("two.en-es.tsv.gz", "three.en", "three.es"))]
    report = clean_file(inputs, tmp_path / "all.tsv")
    assert list(read_bitext(tmp_path / "all.tsv")) == [
        ("A dog runs.", "Un perro corre."),
        ("Rain falls.", "Llueve ya."),
        ("A cat sleeps.", "Un gato duerme."),
    ]
    assert (report.read, report.dropped["duplicate"].count) == (4, 1)


@pytest.mark.parametrize(
    "order", [["a.en-es.tsv", "b.en-de.tsv"], ["x.tsv", "a.en-es.tsv", "b.en-de.tsv"], ["a.en-es.tsv", "c.es-en.tsv"]]
)
def test_bitexts_of_different_languages_do_not_mix(tmp_path: Path, order: list[str]) -> None:
    for name in order:
        write(tmp_path / name, GOOD)
    with pytest.raises(CorpusError, match=r"(b\.en-de|c\.es-en)\.tsv is .*, but .*a\.en-es\.tsv is en-es") as caught:
        clean_file([tmp_path / name for name in order], tmp_path / "all.tsv")
    assert "one language pair" in (caught.value.hint or "")
    assert not (tmp_path / "all.tsv").exists()


@pytest.mark.parametrize("order", [["x.tsv", "a.en-es.tsv"], ["a.en-es.tsv", "x.tsv"]])
def test_a_bitext_that_does_not_tell_its_languages_has_the_others(tmp_path: Path, order: list[str]) -> None:
    for name in order:
        write(tmp_path / name, "A dog runs.\tСобака бежит.\n" if name == "x.tsv" else GOOD)
    report = clean_file([tmp_path / name for name in order], tmp_path / "all.tsv", "strict")
    assert report.dropped["wrong-script"].count == 1
    assert report.skipped == {}


def test_a_regional_language_mixes_with_the_general_one(tmp_path: Path) -> None:
    one, two = write(tmp_path / "a.en-es.tsv", GOOD), write(tmp_path / "b.en-GB_es.en-GB-es.tsv", "A cat.\tUn gato.\n")
    assert clean_file([one, two], tmp_path / "all.tsv", languages=["en", "es"]).kept == 2


@pytest.mark.parametrize("place", ["out", "rejected"])
def test_what_is_read_is_not_written_over(tmp_path: Path, place: str) -> None:
    bitext = write(tmp_path / "a.tsv", GOOD * 100)
    with pytest.raises(UsageError, match=r"a\.tsv is what is read"):
        clean_file(bitext, **{"out": tmp_path / "out.tsv", place: bitext})
    assert bitext.read_text() == GOOD * 100


def test_the_number_of_threads_changes_nothing(tmp_path: Path) -> None:
    lines = (
        f"Sentence {number % 7919} about {'x' * (number % 40)}\tFrase {number % 7919}\n" for number in range(40_000)
    )
    bitext = write(tmp_path / "a.en-es.tsv", "".join(lines))
    results = []
    for threads in (1, 2, 5):
        out = tmp_path / f"{threads}.tsv"
        report = clean_file(bitext, out, "strict", without=["wrong-language"], threads=threads)
        results.append((out.read_bytes(), report.as_dict()))
    assert results[0] == results[1] == results[2]
    assert 0 < results[0][1]["kept"] < 40_000


def test_without_rules_only_the_bytes_pass(tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", MIXED)
    report = clean_file(bitext, tmp_path / "b.tsv", "none")
    assert (tmp_path / "b.tsv").read_text("utf-8") == MIXED
    assert (report.read, report.kept, report.dropped) == (5, 5, {})


def test_a_broken_line_leaves_no_output(tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", GOOD * 50_000 + "no tab here\n")
    with pytest.raises(CorpusError, match="line 50001: expected 2 columns, got 1"):
        clean_file(bitext, tmp_path / "b.tsv", rejected=tmp_path / "c.tsv")
    assert {path.name for path in tmp_path.iterdir()} == {"a.tsv"}


def test_a_place_for_what_is_dropped_that_cannot_be_written_to_leaves_no_output(tmp_path: Path) -> None:
    bitext = write(tmp_path / "a.tsv", GOOD)
    with pytest.raises(CalqueError, match=r"cannot write .*nowhere/c\.tsv"):
        clean_file(bitext, tmp_path / "b.tsv", rejected=tmp_path / "nowhere" / "c.tsv")
    assert not (tmp_path / "b.tsv").exists()


def test_what_is_kept_and_what_is_dropped_take_their_places_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bitext, kept, dropped = (write(tmp_path / name, MIXED) for name in ("a.tsv", "b.tsv", "c.tsv"))
    monkeypatch.setattr(os, "fsync", Mock(side_effect=[None, OSError(errno.ENOSPC, "No space left on device")]))
    with pytest.raises(CalqueError, match="No space left"):
        clean_file(bitext, kept, rejected=dropped)
    assert {path.read_text("utf-8") for path in tmp_path.iterdir()} == {MIXED}
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("text", ["\t\n", " \t \n" * 10])
def test_blank_pairs_alone_leave_an_empty_file(tmp_path: Path, text: str) -> None:
    report = clean_file(write(tmp_path / "a.tsv", text), tmp_path / "b.tsv", "strict")
    assert report.kept == 0
    assert report.dropped["empty"].count == report.read > 0
    assert (tmp_path / "b.tsv").read_bytes() == b""


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.tsv is empty"):
        clean_file(write(tmp_path / "a.tsv", ""), tmp_path / "b.tsv")


def test_pairs_from_anywhere_can_be_cleaned_as_they_come() -> None:
    def endless() -> object:
        number = 0
        while True:
            number += 1
            yield f"sentence {number}", f"frase {number}"

    kept = clean(endless(), "strict", languages=["eng", "spa"], without=["near-duplicate"])  # type: ignore[arg-type]
    assert next(kept) == ("sentence 1", "frase 1")
    assert next(kept).source == "sentence 2"


PEAK = r"""
import re, sys
from calque.tasks.clean import clean_file
from calque.tasks.convert import convert
if sys.argv[1] == "clean":
    report = clean_file(sys.argv[2], sys.argv[3], rejected=sys.argv[4])
    assert report.kept == 1 and report.read > 1_000_000
else:
    assert convert(sys.argv[2], sys.argv[3]).pairs > 1_000_000
status = open("/proc/self/status").read()  # getrusage counts the parent's memory too
print(int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process's peak memory")
@pytest.mark.parametrize("task", ["clean", "convert"])
def test_a_file_larger_than_the_memory_it_takes_is_no_trouble(tmp_path: Path, task: str) -> None:
    bitext = tmp_path / "large.tsv"
    line = ("A dog runs across the field. " * 3 + "\t" + "Un perro corre por el campo. " * 3 + "\n").encode()
    with bitext.open("wb") as file:
        for _ in range(112):
            file.write(line * 10_000)
    assert bitext.stat().st_size > 190_000_000
    outs = [str(bitext), str(tmp_path / "out.tsv"), str(tmp_path / "dropped.tsv")]
    done = subprocess.run([sys.executable, "-c", PEAK, task, *outs], capture_output=True, text=True)
    for path in tmp_path.iterdir():
        path.unlink()
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200
