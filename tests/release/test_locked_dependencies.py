"""What is installed for tests is pinned, for every Python and system, and fits pyproject.toml."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.10.14", "3.11.9", "3.12.4", "3.13.1", "3.14.0")
SYSTEMS = (
    {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "x86_64"},
    {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin", "platform_machine": "arm64"},
    {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows", "platform_machine": "AMD64"},
)
PLACES = [
    {"python_version": python.rpartition(".")[0], "python_full_version": python, **system}
    for python in PYTHONS
    for system in SYSTEMS
]
LOCKED = ("dev", "quick")


def lines(name: str) -> list[str]:
    text = (ROOT / "dependencies" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def applies(requirement: Requirement, place: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({**place, "extra": ""})


def required(stated: list[str]) -> Iterator[Requirement]:
    """What is required directly, the project's own extras taken apart."""
    for requirement in map(Requirement, stated):
        if requirement.name == PROJECT["name"]:
            for extra in requirement.extras:
                yield from required(PROJECT["optional-dependencies"][extra])
        else:
            yield requirement


def problems(pins: list[str], stated: list[str], place: dict[str, str]) -> Iterator[str]:
    """Whatever a list of pins lacks of what is stated, or pins twice."""
    here = [pin for pin in map(Requirement, pins) if applies(pin, place)]
    versions = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in here}
    yield from (f"{name} is pinned twice" for name, times in Counter(pin.name for pin in here).items() if times > 1)
    for requirement in required(stated):
        if applies(requirement, place):
            found = versions.get(canonicalize_name(requirement.name))
            if found is None or not requirement.specifier.contains(found, prereleases=True):
                yield f"{requirement}: pinned is {found}"


@pytest.mark.parametrize("name", LOCKED)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place['python_version']}-{place['sys_platform']}")
def test_every_direct_dependency_is_pinned_once_within_its_range(name: str, place: dict[str, str]) -> None:
    stated = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][name]]
    assert list(problems(lines(name), stated, place)) == [], "make lock"


@pytest.mark.parametrize(
    ("pins", "problem"),
    [
        ([], "numpy>=2: pinned is None"),
        (["numpy==1.9"], "numpy>=2: pinned is 1.9"),
        (["numpy==2.1 ; sys_platform == 'win32'"], "numpy>=2: pinned is None"),
        (["numpy==2.1", "numpy==2.2 ; python_version >= '3.10'"], "numpy is pinned twice"),
    ],
)
def test_drift_would_be_noticed(pins: list[str], problem: str) -> None:
    assert list(problems(pins, ["numpy>=2"], PLACES[0])) == [problem]


def test_what_is_needed_for_little_is_pinned_as_for_everything() -> None:
    few, all_ = ({line.partition(" ;")[0] for line in lines(name)} for name in ("quick", "dev"))
    assert few <= all_


@pytest.mark.parametrize("name", LOCKED)
def test_no_place_is_named_and_nothing_for_gpus_is_pinned(name: str) -> None:
    for line in lines(name):
        pin = Requirement(line)
        assert pin.url is None, line
        assert [each.operator for each in pin.specifier] == ["=="], line
        assert not pin.name.startswith(("nvidia", "cuda", "triton")), line
