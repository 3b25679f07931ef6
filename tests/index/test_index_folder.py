"""Folders that are no index, are damaged, or belong to another model: a clear error, and nothing lost."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.checksums import file_checksum
from calque.errors import CorpusError, ModelError, UsageError
from calque.index.manifest import Manifest
from calque.model import load


def segment_of(index: calque.Index) -> Path:
    (segment,) = index.path.glob("segment-*")
    return segment


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def edit(index: calque.Index, **changes: Any) -> None:
    manifest = index.path / "index.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | changes))


@pytest.fixture(scope="module")
def other_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("other") / "model"
    options = {"vocabulary_size": 1000, "dimension": 64, "epochs": 1, "seed": 2}
    return calque.train(demo_bitext["en-es"], out, threads=1, **options)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no index at .*nowhere"):
        calque.Index.open(tmp_path / "nowhere")


def test_a_folder_or_a_model_is_no_index(tmp_path: Path, small_model: calque.Model) -> None:
    assert small_model.path is not None
    for folder in (tmp_path, small_model.path):
        with pytest.raises(ModelError, match=r"is not an index: there is no index.json in it"):
            calque.Index.open(folder)
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="is not an index"):
        calque.Index.open(tmp_path / "file")


@pytest.mark.parametrize("content", ["{}", "[]", '{"kind": "cake"}'])
def test_somebody_else_s_json_is_no_index(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.json").write_text(content)
    with pytest.raises(ModelError, match="written by something else"):
        calque.Index.open(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "\udcff", "[" * 100_000])
def test_json_that_cannot_be_read_is_damaged(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match="is damaged"):
        calque.Index.open(tmp_path)


def test_a_newer_format_asks_for_a_newer_calque(index: calque.Index) -> None:
    edit(index, format=2)
    with pytest.raises(ModelError, match="has format 2, and this version of Calque reads up to 1"):
        calque.Index.open(index.path)


@pytest.mark.parametrize(
    "changes",
    [
        {"dimension": 0},
        {"dimension": "64"},
        {"dimension": True},
        {"segments": None},
        {"segments": [{}]},
        {"segments": [{"name": "../elsewhere", "rows": 1, "files": {}, "recall": None}]},
        {"segments": [{"name": "segment-000001", "rows": 6, "files": {}, "recall": None}]},
        {"deleted": "/etc/passwd"},
        {"deleted": "deleted-000009.u64"},
        {"model": "m"},
        {"sources": [3]},
        {"next_id": None},
    ],
    ids=str,
)
def test_a_manifest_of_nonsense_is_damaged(index: calque.Index, changes: dict[str, Any]) -> None:
    edit(index, **changes)
    with pytest.raises(ModelError, match="is damaged"):
        calque.Index.open(index.path)


@pytest.mark.parametrize("name", ["vectors.f32", "codes.i8", "about.f32", "ids.u64", "offsets.u64", "text.utf8"])
@pytest.mark.parametrize("damage", ["cut", "longer", "gone"])
def test_a_file_of_another_size_is_found_on_opening(index: calque.Index, name: str, damage: str) -> None:
    path = segment_of(index) / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-1] if damage == "cut" else content + b"!")
    with pytest.raises(ModelError, match=f"{name} is damaged"):
        calque.Index.open(index.path)


@pytest.mark.parametrize("name", ["vectors.f32", "codes.i8", "about.f32", "ids.u64", "text.utf8"])
def test_a_changed_byte_is_found_by_checking(index: calque.Index, name: str) -> None:
    path = segment_of(index) / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    opened = calque.Index.open(index.path)
    with pytest.raises(ModelError, match=f"{name} is damaged: its checksum is"):
        opened.check()


def test_damaged_deletions_are_an_error(index: calque.Index) -> None:
    index.delete([1])
    (deleted,) = index.path.glob("deleted-*")
    deleted.write_bytes(b"cake")
    with pytest.raises(ModelError, match="4 bytes are no list of ids"):
        calque.Index.open(index.path)


def test_another_model_is_refused(index: calque.Index, other_model: calque.Model) -> None:
    for given in (other_model, other_model.path, str(other_model.path)):
        with pytest.raises(ModelError, match=r"was built with another model than .*: checksum xxh3"):
            calque.Index.open(index.path, given)


def test_the_same_rows_with_another_vocabulary_are_another_model(
    small_model: calque.Model, index: calque.Index, tmp_path: Path
) -> None:
    edit(index, model=json.loads((index.path / "index.json").read_text())["model"] | {"vocabulary": "xxh3:00"})
    with pytest.raises(ModelError, match=r"another model than .*: vocabulary xxh3:.*, expected xxh3:00"):
        calque.Index.open(index.path, small_model)


def test_the_vocabulary_s_checksum_tells_vocabularies_apart(
    small_model: calque.Model, other_model: calque.Model, tmp_path: Path
) -> None:
    assert small_model.path is not None
    shutil.copytree(small_model.path, tmp_path / "copy")
    assert load(tmp_path / "copy").vocabulary_checksum == small_model.vocabulary_checksum
    assert other_model.vocabulary_checksum != small_model.vocabulary_checksum


def test_the_model_is_found_where_it_was_or_where_it_is_told(
    small_model: calque.Model, other_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_model.path is not None
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    shutil.copytree(small_model.path, tmp_path / "model")
    built = calque.Index.build(["dog"], tmp_path / "index", tmp_path / "model")
    assert len(calque.Index.open(built.path).search(["dog"])[0]) == 1
    (tmp_path / "model").rename(tmp_path / "moved")
    with pytest.raises(ModelError, match=r"built with is not at .*model any more: there is no model at"):
        calque.Index.open(built.path).search(["dog"])
    assert calque.Index.open(built.path, tmp_path / "moved").search(["dog"])
    monkeypatch.setenv("CALQUE_MODEL", str(tmp_path / "moved"))
    assert calque.Index.open(built.path).search(["dog"])
    # A model that has taken the place of the old one is not taken for it.
    shutil.copytree(other_model.path or "", tmp_path / "model")
    assert calque.Index.open(built.path).search(["dog"])
    monkeypatch.setenv("CALQUE_MODEL", str(other_model.path))
    with pytest.raises(ModelError, match="another model"):
        calque.Index.open(built.path).search(["dog"])


def test_the_model_s_own_path_is_recorded_as_absolute(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_model.path is not None
    monkeypatch.chdir(small_model.path.parent)
    calque.Index.build(["dog"], tmp_path / "index", small_model.path.name)
    monkeypatch.chdir(tmp_path)
    assert calque.Index.open("index").search(["dog"])[0]


def test_a_model_that_lies_nowhere_is_refused(small_model: calque.Model, tmp_path: Path) -> None:
    loose = calque.Model(small_model.encoder, small_model.about)
    with pytest.raises(UsageError, match="needs a model that lies in a folder"):
        calque.Index.build(["dog"], tmp_path / "index", loose)


def test_an_index_that_was_built_again_with_another_model_is_not_mixed_up(
    index: calque.Index, other_model: calque.Model
) -> None:
    calque.Index.build(["dog", "cat"], index.path, other_model, overwrite=True)
    with pytest.raises(ModelError, match="was built with another model"):
        index.add(["dog"])
    assert len(index.search(["dog"])[0]) == 6
    index.refresh()
    assert index.model.checksum == other_model.checksum
    assert [hit.text for hit in index.search(["cat"], k=1)[0]] == ["cat"]


@pytest.mark.parametrize("texts", [[], [""], [" ", "\t\n"]])
def test_no_text_is_no_index(small_model: calque.Model, tmp_path: Path, texts: list[str]) -> None:
    with pytest.raises(CorpusError, match="there is no text"):
        calque.Index.build(texts, tmp_path / "index", small_model)
    assert not (tmp_path / "index").exists()


def test_adding_no_text_changes_nothing(index: calque.Index) -> None:
    before = names(index.path)
    with pytest.raises(CorpusError, match="there is no text"):
        index.add([" "])
    assert names(index.path) == before


def test_an_index_is_not_built_over_anything(index: calque.Index, small_model: calque.Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds an index already"):
        calque.Index.build(["cat"], index.path, small_model)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    for overwrite in (False, True):
        for place in (tmp_path / "mine", tmp_path / "mine" / "thesis.txt"):
            with pytest.raises(UsageError, match="exists and is not an empty folder"):
                calque.Index.build(["cat"], place, small_model, overwrite=overwrite)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    assert len(index.search(["dog"])[0]) == 6


def test_overwriting_replaces_an_index_and_ids_begin_again(index: calque.Index, small_model: calque.Model) -> None:
    index.delete([1])
    rebuilt = calque.Index.build(["cat"], index.path, small_model, overwrite=True)
    assert [(hit.id, hit.text) for hit in rebuilt.search(["cat"])[0]] == [(1, "cat")]
    assert len(names(index.path)) == 2
    assert len(index.search(["dog"])[0]) == 5  # who had it open still has the old one


@pytest.mark.parametrize("content", ["", "{", '{"kind": "calque-index", "format": 1}'])
def test_a_damaged_index_can_be_built_again_in_its_place(
    index: calque.Index, small_model: calque.Model, content: str
) -> None:
    index.delete([1])
    number = Manifest.read(index.path).next_number
    (index.path / "index.json").write_text(content)
    with pytest.raises(UsageError, match="holds an index already"):
        calque.Index.build(["cat"], index.path, small_model)
    rebuilt = calque.Index.build(["cat"], index.path, small_model, overwrite=True)
    assert [hit.text for hit in rebuilt.search(["cat"])[0]] == ["cat"]
    assert names(index.path) == {"index.json", f"segment-{number:06}"}  # a name that no reader of the old one has


def test_a_failed_overwriting_of_a_damaged_index_leaves_what_its_manifest_may_have_named(
    index: calque.Index, small_model: calque.Model
) -> None:
    whole = (index.path / "index.json").read_bytes()
    (index.path / "index.json").write_text("{")
    with pytest.raises(CorpusError, match="there is no text"):
        calque.Index.build([" "], index.path, small_model, overwrite=True)
    (index.path / "index.json").write_bytes(whole)
    calque.Index.open(index.path).check()


def test_adding_to_a_damaged_index_is_told_and_changes_nothing(index: calque.Index) -> None:
    (index.path / "index.json").write_text("{")
    before = names(index.path)
    with pytest.raises(ModelError, match="is damaged"):
        index.add(["dog"])
    assert names(index.path) == before


@pytest.mark.parametrize("beside", [[], ["segment-000001", "thesis.txt"], ["thesis.txt"]])
@pytest.mark.parametrize("content", ["{", "{}"])
def test_an_index_json_that_may_be_somebody_else_s_is_not_overwritten(
    small_model: calque.Model, tmp_path: Path, beside: list[str], content: str
) -> None:
    folder = tmp_path / "mine"
    for name in beside:
        (folder / name).mkdir(parents=True)
    folder.mkdir(exist_ok=True)
    (folder / "index.json").write_text(content)
    with pytest.raises(ModelError):
        calque.Index.build(["cat"], folder, small_model, overwrite=True)
    assert names(folder) == {"index.json", *beside}
    assert (folder / "index.json").read_text() == content


def test_a_failed_overwriting_leaves_the_old_index(
    index: calque.Index, small_model: calque.Model, tmp_path: Path
) -> None:
    before = names(index.path)
    (tmp_path / "latin.txt").write_bytes(b"fine\n" * 20_000 + b"caf\xe9\n")
    with pytest.raises(CorpusError, match="line 20001: not UTF-8"):
        calque.Index.build(tmp_path / "latin.txt", index.path, small_model, overwrite=True)
    assert names(index.path) == before
    assert len(calque.Index.open(index.path)) == 6


def test_a_stopped_build_can_be_begun_again_in_the_same_place(small_model: calque.Model, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    (folder / "segment-000001").mkdir(parents=True)
    (folder / "segment-000001" / "vectors.f32").write_bytes(b"half a vec")
    (folder / ".index.json.x.unfinished").touch()
    (folder / "index.lock").touch()
    calque.Index.build(["dog"], folder, small_model)
    assert names(folder) == {"index.json", "segment-000001"}


def test_vectors_on_disk_have_length_one_and_are_the_model_s(index: calque.Index, small_model: calque.Model) -> None:
    vectors = np.fromfile(segment_of(index) / "vectors.f32", np.float32).reshape(6, 64)
    np.testing.assert_allclose(vectors[0], small_model.encode(["A dog runs."], normalize=True)[0], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"files": {"../../secret": {"size": 1, "checksum": ""}}}, "is no file of a segment"),
        ({"files": {"": {"size": 1, "checksum": ""}}}, "is no file of a segment"),
        ({"rows": 1 << 62}, "expected `rows` to be 1 to"),
    ],
)
def test_a_segment_that_cannot_be_is_refused(index: calque.Index, change: dict[str, Any], said: str) -> None:
    (segment,) = json.loads((index.path / "index.json").read_text())["segments"]
    edit(index, segments=[segment | change])
    with pytest.raises(ModelError, match=said):
        calque.Index.open(index.path)


@pytest.mark.parametrize("dimension", [0, 8193, 1 << 62])
def test_vectors_that_the_kernel_cannot_scan_are_refused(index: calque.Index, dimension: int) -> None:
    edit(index, dimension=dimension)
    with pytest.raises(ModelError, match="expected `dimension` to be 1 to 8192"):
        calque.Index.open(index.path)


def test_more_deletions_than_entries_are_damage(index: calque.Index) -> None:
    index.delete([1])
    edit(index, segments=[])
    with pytest.raises(ModelError, match="it has 1 ids, 0 of which belong to entries"):
        calque.Index.open(index.path)


def test_a_language_that_could_not_be_written_again_is_refused(index: calque.Index) -> None:
    edit(index, language="\ud800")
    with pytest.raises(ModelError, match="expected `language` to be str"):
        calque.Index.open(index.path)


def forge(index: calque.Index, name: str, values: Any, at: int = 0) -> None:
    """Replace a file of a segment and make its size and checksum right again."""
    content = np.asarray(values).tobytes()
    manifest = index.path / "index.json"
    saved = json.loads(manifest.read_text())
    path = index.path / saved["segments"][at]["name"] / name
    path.write_bytes(content)
    saved["segments"][at]["files"][name] = {"size": len(content), "checksum": file_checksum(path)}
    manifest.write_text(json.dumps(saved))


def stored(index: calque.Index, name: str, type: str) -> np.ndarray[Any, Any]:
    return np.fromfile(segment_of(index) / name, type)


@pytest.mark.parametrize("queries", [1, 100])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30, 5.0])
def test_forged_vectors_are_an_error_instead_of_a_score(index: calque.Index, value: float, queries: int) -> None:
    vectors = stored(index, "vectors.f32", "f4")
    vectors[: 64 * 2] = value
    forge(index, "vectors.f32", vectors)
    opened = calque.Index.open(index.path)
    with pytest.raises(ModelError, match=r"gives a cosine of|no query can find"):
        opened.search(["The dog runs."] * queries, k=6)
    with pytest.raises(ModelError, match="the vector of entry 1 has not the length 1"):
        opened.check()


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_forged_descriptions_of_codes_are_an_error_and_not_nothing_found(index: calque.Index, value: float) -> None:
    about = stored(index, "about.f32", "f4")
    about[:] = value
    forge(index, "about.f32", about)
    opened = calque.Index.open(index.path)
    for look in (lambda: opened.search(["dog"]), opened.check):
        with pytest.raises(ModelError, match=r"about\.f32 is damaged: it holds numbers that describe no codes"):
            look()


def test_a_segment_that_is_listed_twice_is_refused(index: calque.Index) -> None:
    (segment,) = json.loads((index.path / "index.json").read_text())["segments"]
    edit(index, segments=[segment, segment])
    with pytest.raises(ModelError, match=r"index\.json is damaged: it lists segment-000001 more than once"):
        calque.Index.open(index.path)


def test_a_segment_under_two_names_is_refused(index: calque.Index) -> None:
    (segment,) = json.loads((index.path / "index.json").read_text())["segments"]
    shutil.copytree(segment_of(index), index.path / "segment-000002")
    edit(index, segments=[segment, segment | {"name": "segment-000002"}])
    with pytest.raises(ModelError, match=r"segment-000002 is damaged: its ids go from 1 to 7, expected some between 8"):
        calque.Index.open(index.path)


@pytest.mark.parametrize("ids", [[1, 2, 3, 3, 5, 6], [1, 1, 1, 1, 1, 6], [1, 3, 2, 4, 5, 6]])
def test_ids_that_repeat_or_fall_are_refused(index: calque.Index, ids: list[int]) -> None:
    forge(index, "ids.u64", np.array(ids, np.uint64))
    opened = calque.Index.open(index.path)
    for look in (lambda: opened.search(["dog"]), lambda: opened.delete([3]), opened.check):
        with pytest.raises(ModelError, match=r"ids\.u64 is damaged: its ids do not ascend"):
            look()


@pytest.mark.parametrize("ids", [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 1 << 60]])
def test_ids_that_the_manifest_has_not_given_are_refused(index: calque.Index, ids: list[int]) -> None:
    forge(index, "ids.u64", np.array(ids, np.uint64))
    with pytest.raises(ModelError, match="is damaged: its ids go from"):
        calque.Index.open(index.path)


def test_deletions_that_repeat_are_refused(index: calque.Index) -> None:
    index.delete([2])
    (deleted,) = index.path.glob("deleted-*")
    deleted.write_bytes(np.array([2, 2], np.uint64).tobytes())
    with pytest.raises(ModelError, match=r"deleted-.* is damaged: its ids do not ascend"):
        calque.Index.open(index.path)


def test_deletions_of_entries_that_never_were_are_refused(index: calque.Index) -> None:
    """The index would say that it has fewer entries than a search finds."""
    index.delete([2])
    (deleted,) = index.path.glob("deleted-*")
    deleted.write_bytes(np.array([100, 101], np.uint64).tobytes())
    with pytest.raises(ModelError, match=r"deleted-.* is damaged: it has 2 ids, 0 of which belong to entries"):
        calque.Index.open(index.path)


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege")
@pytest.mark.parametrize("name", ["index.json", "segment-*/vectors.f32", "segment-*/offsets.u64"])
def test_a_link_to_itself_in_place_of_a_file_is_an_error(index: calque.Index, name: str) -> None:
    (path,) = index.path.glob(name)
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises(ModelError):
        calque.Index.open(index.path)


def test_offsets_that_fall_are_found_by_checking(index: calque.Index) -> None:
    offsets = stored(index, "offsets.u64", "u8")
    offsets[2], offsets[3] = offsets[3], offsets[2]
    forge(index, "offsets.u64", offsets)
    with pytest.raises(ModelError, match=r"offsets\.u64 is damaged: texts begin before"):
        calque.Index.open(index.path).check()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("name", ["index.json", "deleted-*", "segment-*/vectors.f32", "segment-*/offsets.u64"])
def test_a_pipe_in_place_of_a_file_is_refused_instead_of_waited_for(index: calque.Index, name: str) -> None:
    index.delete([1])
    (path,) = index.path.glob(name)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ModelError):
        calque.Index.open(index.path)
