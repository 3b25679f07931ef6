"""Evaluation sets as they are published, one file of each damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from target import Targets, Trial

from calque.demo import sentences
from calque.evaluation.sets.aligned import find_retrieval, find_tatoeba
from calque.evaluation.sets.bucc import find_bucc
from calque.evaluation.sets.documents import find_documents
from calque.evaluation.sets.sts import find_sts, find_sts17, find_stsb

ENGLISH, SPANISH = (sentences()[language][:30] for language in ("en", "es"))


def text(*columns: object) -> str:
    """Lines of cells; what is no list stands in every line."""
    rows = zip(*(column if isinstance(column, list) else [column] * len(ENGLISH) for column in columns), strict=True)
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


SCORES = [at % 6 + 0.5 for at in range(len(ENGLISH))]
IDS = {language: [f"{language}-{at:09d}" for at in range(len(ENGLISH))] for language in ("en", "es")}


def damaged(find: Callable[[Path], object], name: str, **others: str) -> Callable[[Path], Trial]:
    """`name` is the first of the files, whose content the others do not change."""

    def made(folder: Path) -> Trial:
        files = {key.replace("__", "-").replace("_", "."): content for key, content in others.items()}
        for other, content in files.items():
            (folder / other).write_text(content, encoding="utf-8")

        def attempt(content: bytes) -> None:
            (folder / name).write_bytes(content)
            find(folder)

        return Trial([files[name].encode()], attempt)

    return made


TARGETS: Targets = {
    "sts": damaged(find_sts, "loose.tsv", loose_tsv=text(SCORES, ENGLISH, SPANISH)),
    "sts17": damaged(find_sts17, "track5.en-en.tsv", track5_en__en_tsv=text(SCORES, ENGLISH, ENGLISH)),
    "sts17-scores": damaged(
        find_sts17,
        "STS.gs.track5.en-en.txt",
        STS_input_track5_en__en_txt=text(ENGLISH, ENGLISH),
        STS_gs_track5_en__en_txt=text(SCORES),
    ),
    "stsb": damaged(
        find_stsb, "sts-dev.csv", sts__dev_csv=text("main", "MSRvid", "2012", IDS["en"], SCORES, ENGLISH, ENGLISH)
    ),
    "tatoeba": damaged(find_tatoeba, "spa-eng.tsv", spa__eng_tsv=text(SPANISH, ENGLISH)),
    "retrieval": damaged(find_retrieval, "corpus.es", corpus_en=text(ENGLISH), corpus_es=text(SPANISH)),
    "bucc": damaged(
        find_bucc,
        "es-en.sample.es",
        es__en_sample_gold=text(IDS["es"], IDS["en"]),
        es__en_sample_es=text(IDS["es"], SPANISH),
        es__en_sample_en=text(IDS["en"], ENGLISH),
    ),
    "bucc-gold": damaged(
        find_bucc,
        "es-en.sample.gold",
        es__en_sample_gold=text(IDS["es"], IDS["en"]),
        es__en_sample_es=text(IDS["es"], SPANISH),
        es__en_sample_en=text(IDS["en"], ENGLISH),
    ),
    "alignment-gold": damaged(
        find_documents,
        "dev.esen",
        dev_es=text(SPANISH),
        dev_en=text(ENGLISH),
        dev_esen="".join(f"[{at}]:[{at}, {max(at - 1, 0)}]\n" for at in range(len(ENGLISH))),
    ),
}
