"""What `calque corpus download` leaves is what the readers open, set by set or the whole cache at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calque.corpus.download import evaluation_sets
from calque.evaluation.sets.aligned import find_retrieval, find_tatoeba
from calque.evaluation.sets.bucc import find_bucc
from calque.evaluation.sets.sts import find_sts, find_sts17, find_stsb
from calque.tasks.download import download
from corpus.download.server import serving, tarred, zipped

SENTENCES, SCORES = b"one\ttwo\nthree\tfour\n", b"1.5\n3\n"
BENCHMARK = b"g\tf\ty\t1\t1.5\tone\ttwo\ng\tf\ty\t2\t3\tthree\tfour\n"
FLORES = ("dev", "devtest")


def semeval(folder: str, name: str, prefix: str = "STS") -> dict[str, bytes]:
    return {f"{folder}/{prefix}.input.{name}.txt": SENTENCES, f"{folder}/{prefix}.gs.{name}.txt": SCORES}


ARCHIVES = {
    "STS2012-en-test.zip": zipped(semeval("test-gold", "MSRpar") | {"test-gold/STS.gs.ALL.txt": SCORES}),
    "STS2013-en-test.zip": zipped(semeval("test-gs", "FNWN") | {"test-gs/STS.gs.SMT.txt": SCORES}),
    "STS2014-en-test.zip": zipped(semeval("sts-en-test-gs-2014", "images")),
    "STS2015-en-test.zip": zipped(semeval("test_evaluation_task2a", "belief")),
    "STS2016-en-test.zip": zipped(semeval("sts2016-english-with-gs-v1.0", "plagiarism", "STS2016")),
    "sts2017.eval.v1.1.zip": zipped({"STS2017.eval.v1.1/STS.input.track6.tr-en.txt": SENTENCES, "README": b"!"}),
    "sts2017.gs.zip": zipped({"STS2017.gs/STS.gs.track6.tr-en.txt": SCORES, "STS2017.gs/README": b"!"}),
    "Stsbenchmark.tar.gz": tarred({f"stsbenchmark/sts-{split}.csv": BENCHMARK for split in ("train", "dev", "test")}),
    "flores200_dataset.tar.gz": tarred(
        {f"./f/{split}/{code}.{split}": b"1\n2\n" for split in FLORES for code in ("eng_Latn", "deu_Latn")}
    ),
    "tatoeba.deu-eng.deu": b"eins\nzwei\n",
    "tatoeba.deu-eng.eng": b"one\ntwo\n",
}


def bucc(split: str, gold: bool) -> bytes:
    files = {"de": b"de-1\teins\n", "en": b"en-1\tone\n"} | ({"gold": b"de-1\ten-1\n"} if gold else {})
    return tarred({f"bucc2018/de-en/de-en.{split}.{kind}": text for kind, text in files.items()}, "w:bz2")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every set, downloaded; the real archives have checksums that these cannot have."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch, serving() as server:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.delenv(name, raising=False)
        without = tuple(
            replace(one, files=tuple(replace(file, checksums=()) for file in one.files))
            for one in evaluation_sets.EVALUATION_SETS
        )
        patch.setattr(evaluation_sets, "EVALUATION_SETS", without)
        archives = dict(ARCHIVES)
        for split, gold in (("sample", True), ("training", True), ("test", False)):
            archives[f"bucc2018-de-en.{split}{'-gold' * gold}.tar.bz2"] = bucc(split, gold)
        for one in without:
            for file in one.files:
                if file.name in archives:
                    server.files[file.url.partition("://")[2]] = archives[file.name]
        for name in ("sts12", "sts13", "sts14", "sts15", "sts16", "sts17", "stsb", "flores"):
            download(name, cache=folder, mirrors=[server.mirror])
        download("bucc18", "de-en", cache=folder, mirrors=[server.mirror])
        download("tatoeba", "de", cache=folder, mirrors=[server.mirror])
        yield folder


@pytest.mark.parametrize(
    ("find", "place", "names"),
    [
        (find_sts, "sts13", ["2013.FNWN"]),
        (find_sts, "", ["2012.MSRpar", "2013.FNWN", "2014.images", "2015.belief", "2016.plagiarism"]),
        (find_sts17, "sts17", ["track6.tr-en"]),
        (find_stsb, "stsb", ["en-train", "en-dev", "en-test"]),
        (find_bucc, "bucc18", ["de-en.sample", "de-en.training"]),
        (find_tatoeba, "tatoeba", ["deu-eng"]),
        (find_retrieval, "flores", ["dev.deu_Latn-eng_Latn", "devtest.deu_Latn-eng_Latn"]),
    ],
)
def test_what_was_downloaded_is_found(cache: Path, find: Callable[[Path], Any], place: str, names: list[str]) -> None:
    assert [one.name for one in find(cache / place)] == names
    if find is not find_sts:
        assert [one.name for one in find(cache)] == names
