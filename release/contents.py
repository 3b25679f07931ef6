"""What a source archive and a wheel must hold, by what git tracks: nothing missing, nothing besides."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator, Set
from pathlib import Path

DISTRIBUTION = "calque-nlp"  # its name on a package index; `calque` there is another project
FILES_BEGIN = DISTRIBUTION.replace("-", "_")  # as archives and their folders spell it
PRIVATE = (".ci/",)  # tracked, but for nobody else


def stated_version(root: Path) -> str:
    """The version, from the one place that says it."""
    text = (root / "src" / "calque" / "_version.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


def names_in(archive: Path) -> set[str]:
    """The files of a zip or a tarball; folders are none."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name for name in wheel.namelist() if not name.endswith("/")}
    with tarfile.open(archive) as tarball:
        return {member.name for member in tarball if not member.isdir()}


def sdist_problems(names: Set[str], tracked: Set[str], version: str) -> Iterator[str]:
    top = f"{FILES_BEGIN}-{version}/"
    expected = {name for name in tracked if not name.startswith(PRIVATE)} | {"PKG-INFO"}
    yield from _differences("the source archive", names, {top + name for name in expected})


def wheel_problems(names: Set[str], tracked: Set[str], version: str) -> Iterator[str]:
    about = f"{FILES_BEGIN}-{version}.dist-info/"
    kernels = {name for name in names if re.fullmatch(r"calque/_kernel\.[^/]+\.(so|pyd)", name)}
    if len(kernels) != 1:
        yield f"the wheel: expected one compiled kernel, found {len(kernels)}"
    expected = {name.removeprefix("src/") for name in tracked if name.startswith("src/calque/")}
    expected |= {about + name for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    yield from _differences("the wheel", names - kernels, expected)


def _differences(where: str, names: Set[str], expected: Set[str]) -> Iterator[str]:
    for name in sorted(expected - names):
        yield f"{where} lacks {name}"
    for name in sorted(names - expected):
        yield f"{where} holds {name}, which does not belong there"
