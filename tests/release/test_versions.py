"""The version is said in one place, and what depends on it cannot drift."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import calque

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
RELEASED = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def problem_of(changelog: str, version: str) -> str | None:
    """Why a changelog does not fit a version, if it does not."""
    headings = HEADING.findall(changelog)
    dated = [RELEASED.fullmatch(heading) for heading in headings if heading != "Unreleased"]
    if None in dated or "Unreleased" in headings[1:]:
        return "expected ## Unreleased first, and ## 1.2.3 - 2030-01-31 for each release"
    order = [(tuple(map(int, each.groups()[:3])), each[4]) for each in dated if each]
    if order != sorted(order, reverse=True) or len({number for number, _ in order}) != len(order):
        return "expected each release once, the newest first"
    if tuple(map(int, version.split("."))) in [number for number, _ in order]:
        return None
    if headings[:1] != ["Unreleased"] or not changelog.split("## Unreleased")[1].partition("\n## ")[0].strip():
        return f"expected an entry for {version}, or what is under way as Unreleased"
    if order and tuple(map(int, version.split("."))) < order[0][0]:
        return f"{version} is older than the newest release"
    return None


def test_the_build_reads_the_version_from_where_python_does(project: dict[str, Any]) -> None:
    source = project["tool"]["scikit-build"]["metadata"]["version"]["input"]
    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]
    assert f'__version__ = "{calque.__version__}"' in (ROOT / source).read_text(encoding="utf-8")
    assert re.fullmatch(r"\d+\.\d+\.\d+", calque.__version__)


def test_the_citation_leaves_the_version_to_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert not {"version", "date-released"} & citation.keys()


def test_the_changelog_knows_the_version() -> None:
    assert problem_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), calque.__version__) is None


@pytest.mark.parametrize(
    ("changelog", "problem"),
    [
        ("## Unreleased\n\n- It works.\n", None),
        ("## Unreleased\n\n## 0.2.0 - 2030-02-01\n\n## 0.1.0 - 2030-01-01\n", None),
        ("## Unreleased\n\n- More.\n\n## 0.1.0 - 2030-01-01\n", None),
        ("## Unreleased\n\n## 0.1.0 - 2030-01-01\n", "an entry for 0.2.0"),
        ("## 0.1.0 - 2030-01-01\n", "an entry for 0.2.0"),
        ("## 0.2.0\n", "2030-01-31"),
        ("## 0.1.0 - 2030-01-01\n\n## Unreleased\n\n- More.\n", "Unreleased first"),
        ("## 0.1.0 - 2030-01-01\n\n## 0.2.0 - 2030-02-01\n", "newest first"),
        ("## 0.2.0 - 2030-02-01\n\n## 0.2.0 - 2030-01-01\n", "each release once"),
        ("## Unreleased\n\n- More.\n\n## 0.3.0 - 2030-01-01\n", "older than the newest"),
    ],
)
def test_a_changelog_that_does_not_fit_is_found_out(changelog: str, problem: str | None) -> None:
    found = problem_of(changelog, "0.2.0")
    assert found is None if problem is None else found and problem in found


def test_wheels_are_built_for_every_python_that_is_promised(project: dict[str, Any]) -> None:
    named = "Programming Language :: Python :: 3."
    promised = [each.removeprefix(named) for each in project["project"]["classifiers"] if each.startswith(named)]
    assert project["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in promised]
    assert project["project"]["requires-python"] == f">=3.{promised[0]}"
