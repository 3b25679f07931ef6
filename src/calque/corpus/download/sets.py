"""Evaluation sets put in place: fetched, unpacked, and there as a whole or not at all.

In the folder F, the set `sts12` becomes `F/sts12/`, and `bucc18` one folder a pair, `F/bucc18/de-en/`. Sets of plain
files are not unpacked: `F/tatoeba/tatoeba.deu-eng.deu`. `F/SET.json` records where all came from and what it was like.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...atomic import cannot_write, write_text
from ...errors import CorpusError
from ...locks import alone
from ...saved import load
from ..traps import Limits
from .archives import is_archive, unpack
from .checksums import Checksum, digests
from .evaluation_sets import EvaluationSet, SetFile
from .fetch import fetch
from .network import Network
from .receiving import Report
from .record import of_unknown_origin, read_record, record_path

_LIMITS = Limits(unpacked=64 << 30)


def install(
    chosen: EvaluationSet,
    part: str | None,
    folder: Path,
    network: Network,
    *,
    checksums: Sequence[Checksum] = (),
    verify: bool = False,
    announce: Callable[[], None] | None = None,
    report: Report | None = None,
) -> list[Path]:
    """One part of a set, or all of it; the result is a folder, or the files of one part of a set of plain files.

    `announce` is called before anything is fetched, if anything is.

    Raises:
        CorpusError: as `fetch`; parts that were there before stay.
    """
    place, work = folder / chosen.name, folder / f"{chosen.name}.fetched"
    names = chosen.parts if part is None else [part]
    parts = [_Part(place, name, [file for file in chosen.files if file.part == name], work) for name in names]
    with alone(place):
        missing = [one for one in parts if not one.is_there(checksums, verify)]
        if missing and announce:
            announce()
        for one in missing:
            try:
                one.install(network, checksums, report)
            except OSError as problem:
                raise cannot_write(place, problem) from problem
            finally:
                with contextlib.suppress(OSError):
                    work.rmdir()  # what was cut off stays, to be gone on with
    return [place] if part is None else parts[0].result


class _Part:
    def __init__(self, place: Path, part: str, files: list[SetFile], work: Path) -> None:
        self.place, self.part, self.files, self.work = place, part, files, work
        self.packed = is_archive(files[0].name)

    @property
    def result(self) -> list[Path]:
        return [self._target] if self.packed else [self._target / file.name for file in self.files]

    def install(self, network: Network, checksums: Sequence[Checksum], report: Report | None) -> None:
        self._check_nobody_elses()
        self.work.mkdir(parents=True, exist_ok=True)
        fetched = [
            fetch(file.url, self.work / file.name, network, checksums=(*file.checksums, *checksums), report=report)
            for file in self.files
        ]
        whole = self._put_together(fetched)
        self._record(fetched, whole)
        self._put_in_place(whole)
        for path in fetched:
            path.unlink(missing_ok=True)
            record_path(path).unlink()

    def is_there(self, checksums: Sequence[Checksum], verify: bool) -> bool:
        """By the sizes of all its files, or by their digests if asked."""
        known = self._known()
        try:
            sources, files = known["sources"], known["files"]
            if [source["url"] for source in sources] != [file.url for file in self.files]:
                return False
            if any(checksum.digest != sources[0][checksum.algorithm] for checksum in checksums):
                return False
            return all(self._is_as_recorded(name, file, verify) for name, file in files.items())
        except (KeyError, TypeError, AttributeError):  # not what is written here
            return False

    def _is_as_recorded(self, name: str, file: dict[str, Any], verify: bool) -> bool:
        path = self._target / name
        if not path.is_file() or path.stat().st_size != file.get("size"):
            return False
        return not verify or digests(path).sha256 == file.get("sha256")

    @property
    def _target(self) -> Path:
        """The folder that the part's files lie in."""
        return self.place / self.part if self.packed else self.place

    def _known(self) -> dict[str, Any]:
        known = _read(record_path(self.place)).get(self.part, {})
        return known if isinstance(known, dict) else {}

    def _check_nobody_elses(self) -> None:
        taken = next((path for path in self.result if path.exists()), None)
        if taken and not self._known():
            raise of_unknown_origin(taken)

    def _put_together(self, fetched: list[Path]) -> Path:
        """The part as it shall be, in a folder beside its place."""
        building = self.work / "building"
        shutil.rmtree(building, ignore_errors=True)
        whole = building / "whole"
        whole.mkdir(parents=True)
        try:
            for number, path in enumerate(fetched):
                if self.packed:
                    unpack(path, building / str(number), _LIMITS)
                    _move_content(building / str(number), whole, path.name)
                else:
                    shutil.copyfile(path, whole / path.name)
        except BaseException as problem:
            shutil.rmtree(building, ignore_errors=True)
            if isinstance(problem, CorpusError):  # an archive that cannot be unpacked is not worth keeping
                for path in fetched:
                    path.unlink(missing_ok=True)
                    record_path(path).unlink(missing_ok=True)
            raise
        return whole

    def _record(self, fetched: list[Path], whole: Path) -> None:
        """Before the part is in place: a folder that is not recorded is somebody else's."""
        files = {}
        for path in sorted(path for path in whole.rglob("*") if path.is_file()):
            found = digests(path)
            files[path.relative_to(whole).as_posix()] = {"size": found.size, "sha256": found.sha256}
        sources = [asdict(record) | {"md5": digests(path).md5} for path in fetched if (record := read_record(path))]
        parts = _read(record_path(self.place)) | {self.part: {"sources": sources, "files": files}}
        write_text(record_path(self.place), json.dumps(parts, indent=2, ensure_ascii=False) + "\n")

    def _put_in_place(self, whole: Path) -> None:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        if self.packed:
            if self._target.exists():
                self._target.rename(whole.with_name("damaged"))
            whole.rename(self._target)
        else:
            self._target.mkdir(exist_ok=True)
            for path in whole.iterdir():
                path.replace(self._target / path.name)
        shutil.rmtree(self.work / "building", ignore_errors=True)


def _move_content(unpacked: Path, whole: Path, archive: str) -> None:
    """Without the folders that merely enclose everything; what another archive of the set has too comes apart."""
    top = unpacked
    while len(inside := list(top.iterdir())) == 1 and inside[0].is_dir():
        top = inside[0]
    for path in inside:
        target = whole / path.name
        if target.exists():
            target = whole / archive.partition(".tar")[0].removesuffix(".zip") / path.name
            target.parent.mkdir(exist_ok=True)
        path.rename(target)


def _read(path: Path) -> dict[str, Any]:
    try:
        parts = load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return parts if isinstance(parts, dict) else {}
