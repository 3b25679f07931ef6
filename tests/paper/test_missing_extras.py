"""Without an optional package, an experiment that needs it says so at once, and the others come out all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import shelf

NO_PEERS = "from calque.paper import table4; table4.PEERS = {}\n"

NO_METADATA = """
from importlib import metadata
installed = metadata.distribution
def distribution(name):
    if name in {without!r}:
        raise metadata.PackageNotFoundError(name)
    return installed(name)
metadata.distribution = distribution
"""


def reproduce(data: Path, out: Path, name: str, *without: str) -> subprocess.CompletedProcess[str]:
    block = f"import sys\nsys.modules.update(dict.fromkeys({without!r}))\n{NO_METADATA.format(without=without)}"
    arguments = ["reproduce", name, "--data", str(data), "--out", str(out), "--scale", shelf.SCALE]
    command = [sys.executable, "-c", block + shelf.PATCH + NO_PEERS + shelf.MAIN, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "package", "purpose", "extra"),
    [
        ("table5", "lang2vec", "the distance between languages", "paper"),
        ("figure1", "lang2vec", "the distance between languages", "paper"),
        ("figure1", "matplotlib", "drawing", "plot"),
        ("all", "lang2vec", "the distance between languages", "paper"),
    ],
)
def test_what_cannot_do_without_fails_before_anything_is_trained(
    data: Path, tmp_path: Path, name: str, package: str, purpose: str, extra: str
) -> None:
    ended = reproduce(data, tmp_path / "out", name, package)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"error: {purpose} needs the package {package}, which is not installed\n\n"
        f"hint: pip install 'calque-nlp[{extra}]'\n"
    )
    assert not (tmp_path / "out").exists()


def test_what_needs_torch_comes_first_so_that_nothing_is_trained_in_vain(data: Path, tmp_path: Path) -> None:
    ended = reproduce(data, tmp_path / "out", "table1", "torch")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "table1 blstm-sp-20k en-en: training 1 of 12\n"
        "error: a BLSTM needs the package torch, which is not installed\n\nhint: pip install 'calque-nlp[lstm]'\n"
    )
    assert [list((tmp_path / "out" / folder).iterdir()) for folder in ("models", "scores")] == [[], []]


def test_speed_is_measured_without_a_picture_and_without_a_blstm(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = reproduce(data, out, "table4", "matplotlib", "torch")
    assert ended.returncode == 0, ended.stderr
    assert "no picture: drawing needs the package matplotlib, which is not installed" in ended.stderr
    assert "(pip install 'calque-nlp[plot]')\n" in ended.stderr
    missing = "a BLSTM needs the package torch, which is not installed"
    assert f"- BLSTM-SP (20k) is not measured: {missing}.\n" in ended.stdout
    assert {path.name for path in out.iterdir() if path.is_file()} == {"table4.md", "table4.json"}
    assert "![" not in (out / "table4.md").read_text(encoding="utf-8")


def test_tables_without_pictures_need_no_matplotlib_torch_or_lang2vec(data: Path, tmp_path: Path) -> None:
    ended = reproduce(data, tmp_path / "out", "table3", "matplotlib", "torch", "lang2vec")
    assert ended.returncode == 0, ended.stderr
    assert "not installed" not in ended.stderr
    assert (tmp_path / "out" / "table3.md").exists()
