"""Names that file systems allow, and places that cannot be reached: each is read, or told what is wrong with it."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from losing import Losing, Lost

import calque
from calque.cluster.dedup import dedup_shards
from calque.cluster.encode import encode_shards
from calque.cluster.engine import Here
from calque.cluster.filter import filter_shards
from calque.cluster.mine import mine_shards
from calque.cluster.on_ray import on_ray
from calque.cluster.places import Place
from calque.cluster.shards import find_shards
from calque.errors import CalqueError, UsageError
from calque.mining import MiningConfig
from calque.tasks.dedup import Options
from shards import cut, joined


def written(text: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


class Closed(MemoryFileSystem):
    """Asks for credentials, by an error of its own, as s3fs does."""

    protocol = "closed"

    def _refuse(self, *given: Any, **options: Any) -> Any:
        raise LookupError("Unable to locate credentials")

    exists = isdir = info = ls = glob = find = cat_file = get_file = put_file = makedirs = _refuse


fsspec.register_implementation("closed", Closed, clobber=True)


def test_a_file_in_the_root_folder_is_itself() -> None:
    with Place.of("/corpus.txt").fetched() as path:
        assert path == Path("/corpus.txt")


def test_a_file_at_the_top_of_an_address(small_model: calque.Model, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/top.txt", b"A line.\n")
    assert encode_shards(small_model, ["memory://top.txt"], tmp_path / "out", Here())["lines"] == 1


def test_files_of_an_archive(small_model: calque.Model, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        archive.writestr("t/0.txt", "A line.\n")
        archive.writestr("t/1.txt", "Another.\nA third.\n")
    for name, lines in (("zip://t/1.txt", 2), ("zip://t", 3)):
        place = f"{name}::{tmp_path}/texts.zip"
        assert encode_shards(small_model, [place], tmp_path / f"out-{lines}", Here())["lines"] == lines


@pytest.mark.parametrize("name", ["~foo.txt", "x::y.txt", "a b#%.txt", "ñ*.txt", "[x].txt"])
def test_a_name_is_a_name(small_model: calque.Model, tmp_path: Path, name: str, monkeypatch: Any) -> None:
    written("A line.\n", tmp_path / "in" / name)
    monkeypatch.chdir(tmp_path / "in")
    for path, out in ((name, "out"), (str(tmp_path / "in" / name), name)):
        assert encode_shards(small_model, [path], tmp_path / out, Here())["lines"] == 1
        assert joined(tmp_path / out)


def test_a_folder_that_cannot_be_looked_into_is_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written("A line.\n", tmp_path / "in" / "0.txt")
    shut = written("Another.\n", tmp_path / "in" / "shut" / "1.txt").parent
    look = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path) == shut:
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr("os.scandir", scandir)
    with pytest.raises(CalqueError, match=r"cannot read .*in: Permission denied"):
        find_shards([tmp_path / "in"])


def test_folders_behind_links_are_read_once(tmp_path: Path) -> None:
    written("A line.\n", tmp_path / "in" / "0.txt")
    written("Another.\n", tmp_path / "elsewhere" / "1.txt")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "same").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "round").symlink_to(tmp_path / "in")
    assert [shard.place.name for shard in find_shards([tmp_path / "in"])] == ["0.txt", "1.txt"]


@pytest.mark.parametrize("pattern", ["data/*/*.t??", "data/**"])
def test_a_pattern_does_not_find_what_the_job_itself_wrote(
    small_model: calque.Model, english: list[str], tmp_path: Path, pattern: str
) -> None:
    cut(english, tmp_path / "data" / "in", ".txt")
    out, paths = tmp_path / "data" / "out", [tmp_path / pattern]
    with pytest.raises(Lost):
        dedup_shards(small_model, paths, out, Losing(stage="written"), Options())
    report = dedup_shards(small_model, paths, out, Here(), Options())
    assert dedup_shards(small_model, paths, out, Here(), Options()) == report
    with pytest.raises(UsageError, match="holds what is read"):
        dedup_shards(small_model, [out / "part-00000.txt"], out, Here(), Options())


def test_a_translation_memory_is_no_text(small_model: calque.Model, tmp_path: Path) -> None:
    memory = written("<?xml version='1.0'?>\n<tmx version='1.4'>\n</tmx>\n", tmp_path / "m" / "memory.tmx")
    text = written("A line.\n", tmp_path / "text")
    with pytest.raises(UsageError, match="holds bitext as tmx, and lines of text are expected"):
        encode_shards(small_model, [memory.parent], tmp_path / "out", Here())
    with pytest.raises(UsageError, match="holds bitext as tmx"):
        mine_shards([text], [memory], tmp_path / "mined", small_model, MiningConfig(), Here())


@pytest.mark.parametrize("column", ["en", 1])
def test_an_empty_shard_has_no_columns_to_miss(small_model: calque.Model, tmp_path: Path, column: str | int) -> None:
    written("en\tes\nA dog.\tUn perro.\n", tmp_path / "in" / "0.tsv")
    written("", tmp_path / "in" / "1.tsv")
    encode_shards(small_model, [tmp_path / "in"], tmp_path / "out", Here(), column=column)
    lines = [len(np.load(part)) for part in sorted((tmp_path / "out").glob("part-*"))]
    assert lines == [2 if column == 1 else 1, 0]


@pytest.mark.parametrize("address", ["closed://bucket/x", "closed://bucket/*"])
def test_what_cannot_be_reached_is_told_with_its_address(
    small_model: calque.Model, tmp_path: Path, address: str
) -> None:
    text = written("A line.\n", tmp_path / "text")
    for path, out in ((address, tmp_path / "out"), (text, "closed://bucket/x")):
        with pytest.raises(CalqueError, match=r"cannot .* closed://bucket/.*: LookupError: Unable to locate") as raised:
            encode_shards(small_model, [path], out, Here())
        assert "credentials" in str(raised.value.hint)


@pytest.mark.parametrize("out", ["memory://o[1]", "memory://o*", "zip://x::a.zip"])
def test_an_output_at_an_address_has_a_plain_name(small_model: calque.Model, tmp_path: Path, out: str) -> None:
    with pytest.raises(UsageError, match="cannot be written to"):
        encode_shards(small_model, [written("A line.\n", tmp_path / "text")], out, Here())


def test_stars_that_stand_for_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="entire path component"):
        find_shards([tmp_path / "a**"])


def test_a_file_where_a_folder_is_to_be(small_model: calque.Model, tmp_path: Path) -> None:
    text = written("A line.\n", tmp_path / "text")
    with pytest.raises(UsageError, match="taken is a file"):
        encode_shards(small_model, [text], written("mine", tmp_path / "taken"), Here())
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_job_whose_first_task_fails_is_forgotten(small_model: calque.Model, tmp_path: Path) -> None:
    text = written("one\ttwo\n", tmp_path / "text.tsv")
    (tmp_path / "there").mkdir()
    for out in (tmp_path / "new", tmp_path / "there"):
        with pytest.raises(CalqueError, match="no column 9"):
            encode_shards(small_model, [text], out, Here(), column=9)
        assert not out.exists()
        assert encode_shards(small_model, [text], out, Here(), column=1)["lines"] == 1


@pytest.mark.parametrize(
    ("out", "to", "ending"), [("kept.parquet", None, "parquet"), ("kept.parquet", "csv", "csv"), ("kept", None, "tsv")]
)
def test_parts_are_what_the_folders_name_says(
    small_model: calque.Model, noisy: list[str], tmp_path: Path, out: str, to: str | None, ending: str
) -> None:
    shards = cut(noisy, tmp_path / "in", ".en-es.tsv")
    filter_shards(small_model, [shards], tmp_path / "f" / out, Here(), to=to, keep="50%")
    dedup_shards(small_model, [shards], tmp_path / "d" / out, Here(), Options(), to=to)
    for folder in "fd":
        assert {part.suffix for part in (tmp_path / folder / out).glob("part-*")} == {f".{ending}"}


def test_fewer_threads_than_one() -> None:
    with pytest.raises(UsageError, match="expected 1 or more"), on_ray(threads=0):
        pass
