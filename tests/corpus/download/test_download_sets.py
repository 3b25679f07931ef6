"""Evaluation sets: unpacked whole or not at all, into folders that hold the set's own files."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from calque.corpus.download import evaluation_sets
from calque.corpus.download.evaluation_sets import EVALUATION_SETS, find_set
from calque.errors import CorpusError, UsageError
from calque.tasks.download import download, offers
from corpus.download.server import Server, cut_short, status, tarred, zipped

STS12 = "ixa2.si.ehu.es/stswiki/images/4/40/STS2012-en-test.zip"
STS17 = "alt.qcri.org/semeval2017/task1/data/uploads"
BUCC = "comparable.limsi.fr/bucc2018/bucc2018-"
TATOEBA = "raw.githubusercontent.com/facebookresearch/LASER/main/data/tatoeba/v1/tatoeba."
FLORES = "dl.fbaipublicfiles.com/nllb/flores200_dataset.tar.gz"


@pytest.fixture
def sets(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """All sets in small, with the addresses and the inner layout of the real ones."""
    files = server.files
    files[STS12] = zipped({"test-gold/STS.input.MSRpar.txt": b"a\tb\n", "test-gold/STS.gs.MSRpar.txt": b"4.0\n"})
    files[f"{STS17}/sts2017.eval.v1.1.zip"] = zipped(
        {"STS2017.eval.v1.1/STS.input.track5.en-en.txt": b"a\tb\n", "STS2017.eval.v1.1/README": b"input"}
    )
    files[f"{STS17}/sts2017.gs.zip"] = zipped(
        {"STS2017.gs/STS.gs.track5.en-en.txt": b"3.2\n", "STS2017.gs/README": b"gold", "__MACOSX/._x": b"?"}
    )
    for pair in ("de-en", "fr-en", "ru-en", "zh-en"):
        for split, kinds in (("sample-gold", ["de", "gold"]), ("training-gold", ["de", "gold"]), ("test", ["de"])):
            name = split.removesuffix("-gold")
            inside = {f"bucc2018/{pair}/{pair}.{name}.{kind}": f"{pair} {name} {kind}".encode() for kind in kinds}
            files[f"{BUCC}{pair}.{split}.tar.bz2"] = tarred(inside, "w:bz2")
    for language in ("deu", "spa"):
        files[f"{TATOEBA}{language}-eng.{language}"] = f"{language} 1\n{language} 2\n".encode()
        files[f"{TATOEBA}{language}-eng.eng"] = b"one\ntwo\n"
    files[FLORES] = tarred({"./flores200_dataset/dev/eng_Latn.dev": b"Hi.\n", "./flores200_dataset/README": b"!"})
    # The real archives have checksums that these cannot have.
    without = tuple(replace(one, files=tuple(replace(f, checksums=()) for f in one.files)) for one in EVALUATION_SETS)
    monkeypatch.setattr(evaluation_sets, "EVALUATION_SETS", without)
    return server


def get(server: Server, folder: Path, *arguments: str, **options: object) -> list[Path]:
    return download(*arguments, cache=folder, mirrors=[server.mirror], **options)  # type: ignore[arg-type]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_an_archive_loses_the_folder_around_everything(sets: Server, tmp_path: Path) -> None:
    assert get(sets, tmp_path, "sts12") == [tmp_path / "sts12"]
    assert content(tmp_path / "sts12") == {"STS.input.MSRpar.txt": b"a\tb\n", "STS.gs.MSRpar.txt": b"4.0\n"}
    assert names(tmp_path) == {"sts12", "sts12.json"}


def test_two_archives_become_one_folder_and_none_overwrites_the_other(sets: Server, tmp_path: Path) -> None:
    assert get(sets, tmp_path, "sts17") == [tmp_path / "sts17"]
    assert content(tmp_path / "sts17") == {
        "STS.input.track5.en-en.txt": b"a\tb\n",
        "STS.gs.track5.en-en.txt": b"3.2\n",
        "README": b"input",
        "sts2017.gs/README": b"gold",
    }


def test_a_tar_that_begins_with_a_dot_is_unpacked(sets: Server, tmp_path: Path) -> None:
    get(sets, tmp_path, "flores")
    assert content(tmp_path / "flores") == {"dev/eng_Latn.dev": b"Hi.\n", "README": b"!"}


def test_each_pair_has_its_own_folder(sets: Server, tmp_path: Path) -> None:
    assert get(sets, tmp_path, "bucc18", "en-de") == [tmp_path / "bucc18" / "de-en"]
    assert names(tmp_path / "bucc18") == {"de-en"}
    assert sorted(names(tmp_path / "bucc18" / "de-en")) == [
        "de-en.sample.de",
        "de-en.sample.gold",
        "de-en.test.de",
        "de-en.training.de",
        "de-en.training.gold",
    ]
    sets.seen.clear()
    assert get(sets, tmp_path, "bucc18") == [tmp_path / "bucc18"]
    assert names(tmp_path / "bucc18") == {"de-en", "fr-en", "ru-en", "zh-en"}
    assert not [seen for seen in sets.seen if "de-en" in seen.path]


def test_plain_files_lie_side_by_side_and_are_named_for_one_language(sets: Server, tmp_path: Path) -> None:
    german = [tmp_path / "tatoeba" / name for name in ("tatoeba.deu-eng.deu", "tatoeba.deu-eng.eng")]
    assert get(sets, tmp_path, "tatoeba", "de") == german
    get(sets, tmp_path, "tatoeba", "spa-eng")
    assert names(tmp_path) == {"tatoeba", "tatoeba.json"}
    assert content(tmp_path / "tatoeba")["tatoeba.spa-eng.spa"] == b"spa 1\nspa 2\n"
    assert len(names(tmp_path / "tatoeba")) == 4


def test_parts_before_a_failure_stay_and_are_not_fetched_again(sets: Server, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"tatoeba\.afr-eng\.afr: no such file"):
        get(sets, tmp_path, "tatoeba")
    assert names(tmp_path) == set()
    get(sets, tmp_path, "tatoeba", "deu")
    for name in [file.url.removeprefix("https://") for file in find_set("tatoeba").files]:
        sets.files.setdefault(name, b"something\n")
    sets.seen.clear()
    assert get(sets, tmp_path, "tatoeba") == [tmp_path / "tatoeba"]
    assert len(names(tmp_path / "tatoeba")) == len(sets.seen) + 2 == 224


def test_a_set_that_is_there_needs_no_network_and_says_nothing(sets: Server, tmp_path: Path) -> None:
    get(sets, tmp_path, "sts12")
    sets.seen.clear()
    told: list[object] = []
    assert get(sets, tmp_path, "sts12", announce=told.append, verify=True) == [tmp_path / "sts12"]
    assert (sets.seen, told) == ([], [])


@pytest.mark.parametrize("damage", ["removed", "shorter", "changed"])
def test_a_damaged_set_is_put_right(sets: Server, tmp_path: Path, damage: str) -> None:
    get(sets, tmp_path, "sts12")
    before = content(tmp_path / "sts12")
    victim = tmp_path / "sts12" / "STS.gs.MSRpar.txt"
    if damage == "removed":
        victim.unlink()
    else:
        victim.write_bytes(b"" if damage == "shorter" else b"4.1\n")
    get(sets, tmp_path, "sts12", verify=damage == "changed")
    assert content(tmp_path / "sts12") == before
    assert names(tmp_path) == {"sts12", "sts12.json"}


@pytest.mark.parametrize("record", ["", "[]", '{"": 3}', '{"": {}}', '{"": {"sources": [1], "files": 2}}'])
def test_a_record_that_makes_no_sense_is_not_relied_upon(sets: Server, tmp_path: Path, record: str) -> None:
    (tmp_path / "sts12.json").write_text(record)
    get(sets, tmp_path, "sts12")
    assert names(tmp_path / "sts12") == {"STS.input.MSRpar.txt", "STS.gs.MSRpar.txt"}


def test_a_folder_of_somebody_else_is_left_alone(sets: Server, tmp_path: Path) -> None:
    (tmp_path / "sts12").mkdir()
    (tmp_path / "sts12" / "mine").touch()
    with pytest.raises(CorpusError, match="sts12 is there already, and nothing says where it came from"):
        get(sets, tmp_path, "sts12")
    assert names(tmp_path) == {"sts12"}
    assert names(tmp_path / "sts12") == {"mine"}
    (tmp_path / "tatoeba").mkdir()
    (tmp_path / "tatoeba" / "tatoeba.deu-eng.eng").write_bytes(b"mine")
    with pytest.raises(CorpusError, match=r"tatoeba\.deu-eng\.eng is there already"):
        get(sets, tmp_path, "tatoeba", "deu")
    assert content(tmp_path / "tatoeba") == {"tatoeba.deu-eng.eng": b"mine"}


def test_a_trap_leaves_nothing(sets: Server, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("good.txt"))
        archive.addfile(tarfile.TarInfo("../outside"))
    sets.files[FLORES] = buffer.getvalue()
    with pytest.raises(CorpusError, match=r"entry '\.\./outside' leads outside the folder: refused"):
        get(sets, tmp_path / "cache", "flores")
    assert names(tmp_path / "cache") == set()
    assert names(tmp_path) == {"cache"}


def test_archives_that_were_fetched_before_a_failure_are_not_fetched_again(sets: Server, tmp_path: Path) -> None:
    sets.misdeeds[f"{STS17}/sts2017.gs.zip"] = [cut_short(50)] + [status(503)] * 4
    with pytest.raises(CorpusError, match="503"):
        get(sets, tmp_path, "sts17")
    assert not (tmp_path / "sts17").exists()
    sets.seen.clear()
    get(sets, tmp_path, "sts17")
    assert [(seen.path, seen.range) for seen in sets.seen] == [(f"{STS17}/sts2017.gs.zip", "bytes=50-")]
    assert names(tmp_path) == {"sts17", "sts17.json"}


def test_a_published_checksum_is_held_to(server: Server, tmp_path: Path) -> None:
    server.files[FLORES] = tarred({"flores200_dataset/dev/x": b"not the real one"})
    with pytest.raises(CorpusError, match=r"flores200_dataset.tar.gz: expected sha256:b8b0b76783"):
        get(server, tmp_path, "flores")
    assert names(tmp_path) == set()


def test_a_checksum_can_be_asked_for_where_there_is_one_file(sets: Server, tmp_path: Path) -> None:
    right, wrong = f"md5:{hashlib.md5(sets.files[STS12]).hexdigest()}", f"sha256:{'0' * 64}"
    with pytest.raises(CorpusError, match=f"expected {wrong}"):
        get(sets, tmp_path, "sts12", checksum=wrong)
    get(sets, tmp_path, "sts12", checksum=right)
    sets.seen.clear()
    get(sets, tmp_path, "sts12", checksum=right)
    assert sets.seen == []
    with pytest.raises(UsageError, match="--checksum: sts17 is 2 files"):
        get(sets, tmp_path, "sts17", checksum=right)


def test_the_record_says_where_all_came_from(sets: Server, tmp_path: Path) -> None:
    get(sets, tmp_path, "sts12", out=tmp_path / "out")
    recorded = json.loads((tmp_path / "out" / "sts12.json").read_text())
    [source] = recorded[""]["sources"]
    assert (source["url"], source["size"]) == (f"http://{STS12}", len(sets.files[STS12]))
    assert source["sha256"] == hashlib.sha256(sets.files[STS12]).hexdigest()
    assert recorded[""]["files"]["STS.gs.MSRpar.txt"]["size"] == 4


def test_a_listing_tells_sizes_and_licences_and_fetches_nothing(sets: Server) -> None:
    listed = offers("sts17", mirrors=[sets.mirror])
    files = [f"{STS17}/sts2017.eval.v1.1.zip", f"{STS17}/sts2017.gs.zip"]
    assert [(offer.address, offer.size) for offer in listed] == [(f"http://{f}", len(sets.files[f])) for f in files]
    assert {offer.licence for offer in listed} == {"by source, as the readme files in it say"}
    assert [offer.pair for offer in offers("bucc18", "fr-en", mirrors=[sets.mirror])] == ["fr-en"] * 3
    assert len(offers("tatoeba", mirrors=[sets.mirror])) == 224
    assert {seen.method for seen in sets.seen} == {"HEAD"}
    assert len(sets.seen) == 5


def test_sizes_that_nobody_tells_are_left_open(sets: Server) -> None:
    sets.always[f"{STS17}/sts2017.gs.zip"] = status(500)
    assert offers("sts17", mirrors=[sets.mirror])[1].size is None
    assert [offer.size for offer in offers("sts17", mirrors=["http://127.0.0.1:9"])] == [None, None]


def test_two_processes_at_once_put_it_in_place_once(sets: Server, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from calque.cli import main; main()", "corpus", "download", "sts12"]
    command += ["--cache", str(tmp_path), "--mirror", sets.mirror]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in processes] == [f"{tmp_path / 'sts12'}\n"] * 3
    assert sets.ranges(STS12) == [None]
    assert names(tmp_path) == {"sts12", "sts12.json"}
