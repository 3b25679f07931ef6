"""What git tracks is what an archive must hold."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

import calque

ROOT = Path(__file__).parents[2]
TRACKED = {
    ".ci/run",
    "LICENSE",
    "pyproject.toml",
    "src/calque/__init__.py",
    "src/calque/box/config.json",
    "tests/test_a.py",
}
SDIST = {f"calque_nlp-0.1.0/{name}" for name in TRACKED - {".ci/run"} | {"PKG-INFO"}}
ABOUT = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
KERNEL = "calque/_kernel.cpython-311-x86_64-linux-gnu.so"
WHEEL = {"calque/__init__.py", "calque/box/config.json", KERNEL} | {
    f"calque_nlp-0.1.0.dist-info/{name}" for name in ABOUT
}


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    monkeypatch.delitem(sys.modules, "contents", raising=False)
    import contents

    return contents


def test_complete_archives_have_no_problems(contents: Any) -> None:
    assert list(contents.sdist_problems(SDIST, TRACKED, "0.1.0")) == []
    assert list(contents.wheel_problems(WHEEL, TRACKED, "0.1.0")) == []


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (SDIST - {"calque_nlp-0.1.0/tests/test_a.py"}, "the source archive lacks calque_nlp-0.1.0/tests/test_a.py"),
        (
            SDIST | {"calque_nlp-0.1.0/.ci/run"},
            "the source archive holds calque_nlp-0.1.0/.ci/run, which does not belong there",
        ),
        (
            SDIST | {"calque_nlp-0.1.0/notes.txt"},
            "the source archive holds calque_nlp-0.1.0/notes.txt, which does not belong there",
        ),
    ],
)
def test_a_source_archive_is_what_is_tracked_without_what_is_private(
    contents: Any, names: set[str], problem: str
) -> None:
    assert list(contents.sdist_problems(names, TRACKED, "0.1.0")) == [problem]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (WHEEL - {"calque/box/config.json"}, "the wheel lacks calque/box/config.json"),
        (WHEEL | {"tests/test_a.py"}, "the wheel holds tests/test_a.py, which does not belong there"),
        (
            WHEEL - {"calque_nlp-0.1.0.dist-info/licenses/LICENSE"},
            "the wheel lacks calque_nlp-0.1.0.dist-info/licenses/LICENSE",
        ),
        (WHEEL - {KERNEL}, "the wheel: expected one compiled kernel, found 0"),
        (WHEEL | {"calque/_kernel.cp311-win_amd64.pyd"}, "the wheel: expected one compiled kernel, found 2"),
    ],
)
def test_a_wheel_is_the_package_its_kernel_and_its_licence(contents: Any, names: set[str], problem: str) -> None:
    assert list(contents.wheel_problems(names, TRACKED, "0.1.0")) == [problem]


def test_files_are_named_and_folders_are_not(contents: Any, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("calque/", "")
        wheel.writestr("calque/__init__.py", "")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tarball:
        folder = tarfile.TarInfo("calque_nlp-0.1.0")
        folder.type = tarfile.DIRTYPE
        tarball.addfile(folder)
        tarball.addfile(tarfile.TarInfo("calque_nlp-0.1.0/LICENSE"), io.BytesIO())
    assert contents.names_in(tmp_path / "a.whl") == {"calque/__init__.py"}
    assert contents.names_in(tmp_path / "a.tar.gz") == {"calque_nlp-0.1.0/LICENSE"}


def test_the_version_is_read_from_its_one_place(contents: Any) -> None:
    assert contents.stated_version(ROOT) == calque.__version__
