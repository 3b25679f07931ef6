"""Fetching bitext from OPUS, and evaluation sets; and what there is to fetch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpus.download import opus
from ..corpus.download.cache import cache_folder
from ..corpus.download.checksums import Checksum, parse_checksum
from ..corpus.download.evaluation_sets import EVALUATION_SETS, EvaluationSet, find_set
from ..corpus.download.fetch import fetch, is_kept
from ..corpus.download.languages import parse_pair, possible_pairs
from ..corpus.download.network import Network
from ..corpus.download.receiving import Fetching, Report
from ..corpus.download.record import read_record
from ..corpus.download.sets import install
from ..corpus.download.web import TIMEOUT, FetchError, Unreachable
from ..errors import UsageError

__all__ = ["TIMEOUT", "Fetching", "Offer", "catalogue", "download", "names_files", "offers"]

_MANY = 12  # files whose sizes are not asked for one by one


@dataclass(frozen=True)
class Offer:
    """Something that can be downloaded; what is not known is None."""

    what: str
    title: str | None = None
    pair: str | None = None
    release: str | None = None
    pairs: int | None = None
    size: int | None = None  # bytes
    licence: str | None = None
    address: str | None = None


def download(
    what: str,
    pair: str | None = None,
    *,
    release: str | None = None,
    out: str | Path | None = None,
    cache: str | Path | None = None,
    mirrors: Sequence[str] = (),
    checksum: str | None = None,
    timeout: float = TIMEOUT,
    verify: bool = False,
    announce: Callable[[list[Offer]], None] | None = None,
    report: Report | None = None,
) -> list[Path]:
    """The files or folders of a corpus of OPUS (`opus/Tatoeba`, `en-es`) or of an evaluation set (`sts17`).

    They lie in `out`, else in the cache, and are fetched once. `announce` is told what will be fetched before it is,
    `report` how far it has come.

    Raises:
        UsageError: there is no such thing; the hint says what there is.
        CorpusError: it cannot be fetched, or is not what it should be.
    """
    network = Network(tuple(mirrors), timeout)
    checksums = [parse_checksum(checksum)] if checksum else []
    place = Path(out) if out is not None else None
    if corpus := _opus_corpus(what):
        if pair is None:
            raise UsageError(
                f"{what}: no language pair given", hint=f"like {what} en-es; {what} --list shows what there is"
            )
        folder = place or cache_folder(cache) / "opus"
        return [_opus_file(corpus, pair, release, folder, network, checksums, verify, announce, report)]
    chosen = find_set(what)
    if release is not None:
        raise UsageError(f"--release: {what} has none", hint="only corpora of OPUS have releases")
    part = None if pair is None else chosen.find_part(pair)
    if checksums and len(_files(chosen, part)) > 1:
        raise UsageError(f"--checksum: {what} is {len(_files(chosen, part))} files", hint="it is for single files only")
    return install(
        chosen,
        part,
        place or cache_folder(cache),
        network,
        checksums=checksums,
        verify=verify,
        announce=(lambda: announce(_set_offers(chosen, part, network))) if announce else None,
        report=report,
    )


def names_files(what: str | None, pair: str | None) -> bool:
    """Whether this is something to fetch, and not the name of a source whose content can only be listed."""
    return what is not None and (pair is not None or not (what == "opus" or what.startswith("opus/")))


def catalogue() -> list[Offer]:
    """The sources and evaluation sets, without asking anybody."""
    collection = Offer(
        "opus/CORPUS", "bitext in Moses format, hundreds of corpora", licence="by corpus", address=opus.HOME
    )
    return [collection] + [Offer(one.name, one.title, licence=one.licence, address=one.home) for one in EVALUATION_SETS]


def offers(
    what: str | None = None,
    pair: str | None = None,
    *,
    release: str | None = None,
    mirrors: Sequence[str] = (),
    timeout: float = TIMEOUT,
) -> list[Offer]:
    """What there is: of all sources, of OPUS (`opus`), of a corpus, of a pair in all its releases, of a set."""
    network = Network(tuple(mirrors), timeout)
    if what is None:
        return catalogue()
    if what == "opus":
        return [Offer(f"opus/{name}") for name in opus.corpora(network)]
    if corpus := _opus_corpus(what):
        _check_release(release)
        if pair is None:
            return [_offer(file) for file in opus.corpus_files(network, corpus, release)]
        files = opus.pair_files(network, corpus, parse_pair(pair))
        return [_offer(file) for file in files if release is None or file == opus.choose_release(files, release)]
    chosen = find_set(what)
    return _set_offers(chosen, None if pair is None else chosen.find_part(pair), network)


def _opus_corpus(what: str) -> str | None:
    source, _, corpus = what.partition("/")
    if source != "opus":
        return None
    opus.check_name("a corpus of OPUS", corpus)
    return corpus


def _check_release(release: str | None) -> None:
    if release is not None:
        opus.check_name("a release", release)


def _opus_file(
    corpus: str,
    pair: str,
    release: str | None,
    folder: Path,
    network: Network,
    checksums: list[Checksum],
    verify: bool,
    announce: Callable[[list[Offer]], None] | None,
    report: Report | None,
) -> Path:
    _check_release(release)
    languages = parse_pair(pair)
    if release is not None and release != opus.LATEST:
        for possible in possible_pairs(*languages):
            path = folder / opus.file_name(corpus, release, "-".join(possible))
            record = read_record(path)
            if record and is_kept(path, record.url, checksums, verify):
                return path  # a named release does not change: OPUS need not be asked
    file = _find_file(network, corpus, languages, release)
    path = folder / file.name
    if announce and not is_kept(path, file.url):
        announce([_offer(file)])
    return fetch(file.url, path, network, checksums=checksums, verify=verify, report=report)


def _find_file(network: Network, corpus: str, pair: tuple[str, str], release: str | None) -> opus.OpusFile:
    try:
        return opus.choose_release(opus.pair_files(network, corpus, pair), release)
    except FetchError as problem:
        if release is None or release == opus.LATEST:
            hint = "with --release, a file is fetched even where OPUS's API does not answer"
            raise type(problem)(problem.message, hint=f"{problem.hint}; {hint}" if problem.hint else hint) from problem
        return opus.guessed_file(corpus, release, pair)


def _offer(file: opus.OpusFile) -> Offer:
    return Offer(
        f"opus/{file.corpus}",
        pair=file.pair,
        release=file.release,
        pairs=file.pairs,
        size=file.size,
        licence=file.licence,
        address=file.url,
    )


def _files(chosen: EvaluationSet, part: str | None) -> list[str]:
    return [file.url for file in chosen.files if part is None or file.part == part]


def _set_offers(chosen: EvaluationSet, part: str | None, network: Network) -> list[Offer]:
    sizes = _sizes(network, _files(chosen, part))
    return [
        Offer(chosen.name, pair=file.part or None, size=sizes.get(file.url), licence=chosen.licence, address=file.url)
        for file in chosen.files
        if part is None or file.part == part
    ]


def _sizes(network: Network, urls: list[str]) -> dict[str, int | None]:
    sizes: dict[str, int | None] = {}
    for url in urls if len(urls) <= _MANY else []:
        try:
            sizes[url] = network.size(url)
        except Unreachable:
            break
    return sizes
