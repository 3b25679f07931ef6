"""The distribution is `calque-nlp`: on the package index, `calque` is another project."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from calque.extras import DISTRIBUTION

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OF_ANOTHER_PROJECT = re.compile(
    r"""pip install (?:-\S+ )*['"]?calque(?![-\w])"""
    r"""|\bcalque\\?\[[a-z{]|pypi\.org/project/calque(?!-nlp)|--exclude calque(?!-nlp)"""
)
FOR_DEVELOPERS = {"audit", "build", "clients", "corpora", "dev", "docs", "files", "peers", "quick"}
LARGE = {"lstm", "mteb"}  # they need PyTorch


def texts_of_the_project() -> Iterator[tuple[Path, str]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode:
        pytest.skip("not a clone, so git cannot tell which files belong to the project")
    for name in filter(None, listed.stdout.decode().split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        if b"\0" not in content:
            yield ROOT / name, content.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("pip install calque", True),
        ("pip install 'calque[plot]'", True),
        ("pip install --upgrade calque.", True),
        (r"match=r'calque\[plot\]'", True),
        ("https://pypi.org/project/calque/", True),
        ("pip install calque-nlp", False),
        ("pip install 'calque-nlp[plot]', and calque runs", False),
        ("pip install . and then `calque demo`", False),
        ("https://pypi.org/project/calque-nlp/", False),
    ],
)
def test_the_other_project_is_recognised(text: str, is_wrong: bool) -> None:
    assert bool(OF_ANOTHER_PROJECT.search(text)) == is_wrong


def test_nothing_installs_or_links_to_the_other_project() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in texts_of_the_project()
        if path != Path(__file__)
        for match in OF_ANOTHER_PROJECT.finditer(text)
    ]
    assert not found, "\n".join(found)


def test_the_name_is_the_same_wherever_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    import contents
    import try_installed

    assert {PROJECT["name"], contents.DISTRIBUTION, try_installed.DISTRIBUTION} == {DISTRIBUTION}


def test_the_readme_says_so_beside_the_lines_that_install() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = re.search(r"`pip install \.`.{,400}", readme, re.DOTALL)
    assert said
    assert "called `calque-nlp`" in said[0]
    assert "not on a package index yet" in said[0]
    assert "another project" in said[0]


def test_the_extra_all_is_every_use_but_the_large_ones() -> None:
    assert extras_in("all") - {"all"} == EXTRAS.keys() - FOR_DEVELOPERS - LARGE - {"all", "integrations"}


def test_the_extra_all_brings_no_gpu_libraries() -> None:
    brought = packages_of(f"{DISTRIBUTION}[all]")
    assert {"pyarrow", "faiss-cpu", "spacy", "opusfilter", "uvicorn"} <= brought
    assert "torch" not in brought
    assert "torch" in packages_of(f"{DISTRIBUTION}[lstm]")
    assert "torch" in packages_of(f"{DISTRIBUTION}[mteb]")


@pytest.mark.parametrize(
    ("package", "allowed", "excluded"),
    [
        ("tokenizers", "0.23.3", ("1.0.0rc1", "1.0.0", "1.1")),
        ("uvicorn", "0.54.0", ("0.55.0", "1.0.0rc1", "1.0")),
        ("httptools", "0.9.1", ("0.10.0", "1.0")),
    ],
)
def test_versions_that_are_known_to_break_calque_or_may_are_excluded(
    package: str, allowed: str, excluded: tuple[str, ...]
) -> None:
    stated = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
    [requirement] = [each for each in map(Requirement, stated) if each.name == package]
    assert requirement.specifier.contains(allowed)
    for version in excluded:
        assert not requirement.specifier.contains(version, prereleases=True), version


def extras_in(extra: str) -> set[str]:
    """The extra, and those that it names."""
    named = {extra}
    for each in map(Requirement, EXTRAS[extra]):
        if each.name == DISTRIBUTION:
            named |= {name for one in each.extras for name in extras_in(one)}
    return named


def packages_of(requirement: str) -> set[str]:
    """All packages that a requirement brings, as far as they are installed here."""
    waiting, found = [Requirement(requirement)], set[tuple[str, str]]()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in ("", *wanted.extras):
            if (name, extra) in found:
                continue
            found.add((name, extra))
            waiting += [
                each
                for each in requirements_of(name, extra)
                if each.marker is None or each.marker.evaluate({"extra": extra})
            ]
    return {name for name, _ in found}


def requirements_of(name: str, extra: str) -> list[Requirement]:
    if name == DISTRIBUTION:
        return list(map(Requirement, EXTRAS[extra] if extra else PROJECT["dependencies"]))
    try:
        return list(map(Requirement, metadata.requires(name) or ()))
    except metadata.PackageNotFoundError:
        return []
