"""What the public names' docstrings show is what happens, with the model in the box and the demonstration's text."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import pytest

import calque

FINDER = doctest.DocTestFinder(exclude_empty=True)
EXAMPLES = [
    example for name in calque.__all__ for example in FINDER.find(getattr(calque, name), name) if example.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_true(
    example: doctest.DocTest,
    real_box: Path,
    demo_bitext: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copy(demo_bitext["en-es"], tmp_path / "en-es.tsv")
    monkeypatch.chdir(tmp_path)
    example.globs = {"calque": calque}
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert not told, "".join(told)


def test_every_public_name_says_what_it_is_for() -> None:
    for name in calque.__all__:
        assert name == "__version__" or getattr(calque, name).__doc__, name
