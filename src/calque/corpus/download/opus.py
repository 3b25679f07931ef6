"""OPUS, the collection of bitext at https://opus.nlpl.eu: what it has, and where its Moses files lie.

Its API answers `?corpus=Tatoeba&source=en&target=es&preprocessing=moses` with one row a file, `?corpora=True` with the
names of all corpora, and `?languages=True&corpus=Tatoeba&source=en` with the languages that have pairs with English.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from ...errors import CorpusError, UsageError
from .languages import possible_pairs
from .network import Network
from .web import FetchError

API = "https://opus.nlpl.eu/opusapi/"
HOME = "https://opus.nlpl.eu"
LATEST = "latest"
_STORE = "https://object.pouta.csc.fi"
# The API does not tell licences; OPUS's page of a corpus does.
_LICENCES = {"Tatoeba": "CC BY 2.0 FR"}
_NAME = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._+-]*"
)  # of a corpus, a release or a language: each becomes part of a file name


@dataclass(frozen=True)
class OpusFile:
    corpus: str
    release: str
    source: str
    target: str
    url: str
    pairs: int | None = None
    size: int | None = None  # bytes, rounded down to 1,024
    latest: bool = False

    @property
    def pair(self) -> str:
        return f"{self.source}-{self.target}"

    @property
    def name(self) -> str:
        """What it is called here; OPUS's own name, `en-es.txt.zip`, is the same in all corpora."""
        return file_name(self.corpus, self.release, self.pair)

    @property
    def licence(self) -> str:
        return _LICENCES.get(self.corpus, f"see {HOME}")


def file_name(corpus: str, release: str, pair: str) -> str:
    return f"{corpus}.{release}.{pair}.txt.zip"


def check_name(kind: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"expected the name of {kind}, got {name!r}", hint="like opus/Tatoeba en-es --release v2023-04-12"
        )


def corpora(network: Network) -> list[str]:
    return sorted(_strings(_ask(network, corpora="True"), "corpora"), key=str.lower)


def corpus_files(network: Network, corpus: str, release: str | None) -> list[OpusFile]:
    """All pairs of one release, the latest if none is named."""
    files = _files(network, corpus=corpus, version=release or LATEST)
    if not files:
        _check_corpus(network, corpus)
        raise UsageError(f"opus/{corpus} has no release {release or LATEST}", hint=_releases_hint(network, corpus))
    return sorted(files, key=lambda file: (file.release, file.pair))


def pair_files(network: Network, corpus: str, pair: tuple[str, str]) -> list[OpusFile]:
    """All releases of a pair, whichever way round and by whatever codes OPUS has it.

    Raises:
        UsageError: OPUS has no such corpus, or the corpus no such pair; the hint says what there is.
    """
    for source, target in possible_pairs(*pair):
        if files := _files(network, corpus=corpus, source=source, target=target):
            return files
    _check_corpus(network, corpus)
    raise UsageError(f"opus/{corpus} has no pair {'-'.join(pair)}", hint=_pairs_hint(network, corpus, pair))


def choose_release(files: list[OpusFile], release: str | None) -> OpusFile:
    wanted = None if release == LATEST else release
    for file in files:
        if file.release == wanted or (wanted is None and file.latest):
            return file
    releases = ", ".join(file.release for file in files)
    what = f"opus/{files[0].corpus} has no {files[0].pair} in release {release or LATEST}"
    raise UsageError(what, hint=f"--release takes one of: {releases}")


def guessed_file(corpus: str, release: str, pair: tuple[str, str]) -> OpusFile:
    """Where OPUS keeps such a file as a rule, for mirrors that hold files and answer no questions."""
    source, target = sorted(pair)
    url = f"{_STORE}/OPUS-{corpus}/{release}/moses/{source}-{target}.txt.zip"
    return OpusFile(corpus, release, source, target, url)


def _check_corpus(network: Network, corpus: str) -> None:
    names = corpora(network)
    if corpus not in names:
        by_small_letters = {name.lower(): name for name in names}
        close = difflib.get_close_matches(corpus.lower(), by_small_letters, n=3)
        meant = f"did you mean {' or '.join(by_small_letters[name] for name in close)}? " if close else ""
        raise UsageError(f"OPUS has no corpus {corpus}", hint=f"{meant}`calque corpus download opus` lists all")


def _pairs_hint(network: Network, corpus: str, pair: tuple[str, str]) -> str:
    for language in dict.fromkeys(code for codes in possible_pairs(*pair) for code in codes):
        if others := _strings(_ask(network, languages="True", corpus=corpus, source=language), "languages"):
            return f"it has {language} with {_some(others)}"
    return f"its languages are {_some(_strings(_ask(network, languages='True', corpus=corpus), 'languages'))}"


def _releases_hint(network: Network, corpus: str) -> str:
    releases = {file.release for file in _files(network, corpus=corpus)}
    return f"--release takes one of: {', '.join(sorted(releases))}" if releases else "it has no files in Moses format"


def _some(names: list[str], most: int = 40) -> str:
    names = sorted(filter(None, names))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _ask(network: Network, **question: str) -> dict[str, object]:
    address = f"{API}?{urlencode(question)}"
    answer = network.json(address)
    if not isinstance(answer, dict):
        raise FetchError(f"{address}: expected a JSON object, got {str(answer)[:40]!r}", hint=_CHANGED)
    return answer


_CHANGED = "OPUS may have changed its API; a newer Calque may know it"


def _strings(answer: dict[str, object], key: str) -> list[str]:
    names = answer.get(key)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FetchError(f"{API}: expected a list of {key}, got {str(names)[:40]!r}", hint=_CHANGED)
    return names


def _files(network: Network, **question: str) -> list[OpusFile]:
    rows = _ask(network, **question, preprocessing="moses").get("corpora")
    if not isinstance(rows, list):
        raise FetchError(f"{API}: expected a list of files, got {str(rows)[:40]!r}", hint=_CHANGED)
    # Where OPUS could not tell two languages from a file's name, it names no target.
    return [_file(row) for row in rows if not isinstance(row, dict) or row.get("target") != ""]


def _file(row: object) -> OpusFile:
    told = row if isinstance(row, dict) else {}
    corpus, release, source, target = (str(told.get(key, "")) for key in ("corpus", "version", "source", "target"))
    url = told.get("url")
    if not all(map(_NAME.fullmatch, (corpus, release, source, target))) or not re.match("https?://[^/]", str(url)):
        raise CorpusError(f"{API}: expected a file with its address, got {str(row)[:200]}", hint=_CHANGED)
    size = _count(told.get("size"))
    return OpusFile(
        corpus,
        release,
        source,
        target,
        url=str(url),
        pairs=_count(told.get("alignment_pairs")),
        size=size * 1024 if size else None,  # 0 is less than 1,024
        latest=str(told.get("latest")) == "True",
    )


def _count(value: object) -> int | None:
    """The API tells numbers it does not know as empty strings."""
    return int(value) if isinstance(value, (int, str)) and re.fullmatch("[0-9]{1,18}", str(value)) else None
