"""Evaluation sets and the official places they come from, as data.

Checksums are those that others have published for these very addresses; most have none.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from ...errors import UsageError
from .checksums import Checksum
from .languages import parse_pair, possible_codes


@dataclass(frozen=True)
class SetFile:
    url: str
    part: str = ""  # the language pair, in sets that have several
    checksums: tuple[Checksum, ...] = ()

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class EvaluationSet:
    name: str
    title: str
    licence: str
    home: str
    files: tuple[SetFile, ...]

    @property
    def parts(self) -> list[str]:
        """The language pairs; [""] in a set that is one whole."""
        return list(dict.fromkeys(file.part for file in self.files))

    def find_part(self, text: str) -> str:
        """
        >>> find_set("bucc18").find_part("en-de"), find_set("tatoeba").find_part("de")
        ('de-en', 'deu-eng')
        """
        if self.parts == [""]:
            raise UsageError(
                f"{self.name} has no parts, got {text!r}", hint=f"leave it out: calque corpus download {self.name}"
            )
        wanted = [set(possible_codes(code)) for code in (parse_pair(text) if "-" in text else [text])]
        for part in self.parts:
            codes = [set(possible_codes(code)) for code in part.split("-")]
            if text == part or _fit(wanted, codes) or _fit(wanted, codes[::-1] if len(wanted) == 2 else []):
                return part
        raise UsageError(f"{self.name} has no part {text}", hint=f"it has {', '.join(self.parts)}")


def _fit(wanted: list[set[str]], codes: list[set[str]]) -> bool:
    """Whether a pair is the one asked for; one language alone asks for the pair it is the first of."""
    return bool(codes) and all(one & other for one, other in zip(wanted, codes, strict=False))


def find_set(name: str) -> EvaluationSet:
    for found in EVALUATION_SETS:
        if found.name == name:
            return found
    names = [found.name for found in EVALUATION_SETS]
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    raise UsageError(
        f"nothing to download is called {name}",
        hint=f"{meant}Evaluation sets are {', '.join(names)}; a corpus of OPUS is called like opus/{name}",
    )


_STS = "http://ixa2.si.ehu.es/stswiki/images"
_STS_HOME = "http://ixa2.si.ehu.eus/stswiki"
_STS_LICENCE = "by source, as the readme files in it say"
_STS17 = "http://alt.qcri.org/semeval2017/task1/data/uploads"
_BUCC = "https://comparable.limsi.fr/bucc2018"
_TATOEBA = "https://raw.githubusercontent.com/facebookresearch/LASER/main/data/tatoeba/v1"
_TATOEBA_LANGUAGES = """
afr amh ang ara arq arz ast awa aze bel ben ber bos bre bul cat cbk ceb ces cha cmn cor csb cym dan deu dsb dtp ell epo
est eus fao fin fra fry gla gle glg gsw heb hin hrv hsb hun hye ido ile ina ind isl ita jav jpn kab kat kaz khm kor kur
kzj lat lfn lit lvs mal mar max mhr mkd mon nds nld nno nob nov oci orv pam pes pms pol por ron rus slk slv spa sqi srp
swe swg swh tam tat tel tgl tha tuk tur tzl uig ukr urd uzb vie war wuu xho yid yue zsm
"""


def _sts(year: int, file: str) -> EvaluationSet:
    title = f"Semantic textual similarity, English, SemEval {year}"
    return EvaluationSet(f"sts{year % 100}", title, _STS_LICENCE, _STS_HOME, (SetFile(f"{_STS}/{file}"),))


EVALUATION_SETS = (
    _sts(2012, "4/40/STS2012-en-test.zip"),
    _sts(2013, "2/2f/STS2013-en-test.zip"),
    _sts(2014, "8/8c/STS2014-en-test.zip"),
    _sts(2015, "d/da/STS2015-en-test.zip"),
    _sts(2016, "9/98/STS2016-en-test.zip"),
    EvaluationSet(
        "sts17",
        "Semantic textual similarity within and across languages, SemEval 2017",
        _STS_LICENCE,
        "http://alt.qcri.org/semeval2017/task1",
        (SetFile(f"{_STS17}/sts2017.eval.v1.1.zip"), SetFile(f"{_STS17}/sts2017.gs.zip")),
    ),
    EvaluationSet(
        "stsb",
        "STS benchmark, English: train, dev and test",
        _STS_LICENCE,
        f"{_STS_HOME}/index.php/STSbenchmark",
        (
            SetFile(
                f"{_STS}/4/48/Stsbenchmark.tar.gz",
                checksums=(
                    Checksum("md5", "4eb0065aba063ef77873d3a9c8088811"),
                    Checksum("sha256", "557a86abbd2b76ee6768d8b5103b659601a9d26b797898c7467812f303b21280"),
                ),
            ),
        ),
    ),
    EvaluationSet(
        "bucc18",
        "Mining parallel sentences, BUCC 2018: sample, training and test",
        "as published for the shared task",
        f"{_BUCC}/bucc2018-task.html",
        tuple(
            SetFile(f"{_BUCC}/bucc2018-{pair}.{split}.tar.bz2", part=pair)
            for pair in ("de-en", "fr-en", "ru-en", "zh-en")
            for split in ("sample-gold", "training-gold", "test")
        ),
    ),
    EvaluationSet(
        "tatoeba",
        "LASER's Tatoeba test set: 112 languages with English",
        "CC BY 2.0 FR",
        "https://github.com/facebookresearch/LASER/tree/main/data/tatoeba/v1",
        tuple(
            SetFile(f"{_TATOEBA}/tatoeba.{language}-eng.{side}", part=f"{language}-eng")
            for language in _TATOEBA_LANGUAGES.split()
            for side in (language, "eng")
        ),
    ),
    EvaluationSet(
        "flores",
        "FLORES-200: the same sentences in 200 languages, dev and devtest",
        "CC BY-SA 4.0",
        "https://github.com/facebookresearch/flores",
        (
            SetFile(
                "https://dl.fbaipublicfiles.com/nllb/flores200_dataset.tar.gz",
                checksums=(Checksum("sha256", "b8b0b76783024b85797e5cc75064eb83fc5288b41e9654dabc7be6ae944011f6"),),
            ),
        ),
    ),
)
