"""What is wrong with a command for a cluster, told before one is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import fail

import calque

pytest.importorskip("ray")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("encode", "text", "-o", "out", "--threads", "-1"), "threads: expected 1 or more, got -1"),
        (("encode", "text", "-o", "out", "--threads", "0"), "threads: expected 1 or more, got 0"),
        (("encode", "text", "-o", "out", "--address", ""), "--address is empty"),
        (("encode", "text", "-o", "out", "--address", "a..b:6379"), "no Ray cluster at a..b:6379"),
        (("encode", "text", "-o", "out.npy.gz"), "whose parts are not compressed"),
        (("encode", "memory.tmx", "-o", "out"), "holds bitext as tmx"),
        (("mine", "text", "text", "--json"), "the output is a folder of parts"),
        (("filter", "pairs.tsv", "-o", "out", "--rejected", "-"), "the output is a folder of parts"),
    ],
)
def test_typical_mistakes_are_told_before_a_cluster_is_started(
    small_model: calque.Model,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("A line.\n")
    (tmp_path / "pairs.tsv").write_text("A dog.\tUn perro.\n")
    (tmp_path / "memory.tmx").write_text("<tmx version='1.4'></tmx>\n")
    before = sorted(tmp_path.iterdir())
    code, said, hint = fail(capsys, *options, "--engine", "ray", "--model", str(small_model.path))
    assert code == 2
    assert message in said
    assert hint
    assert sorted(tmp_path.iterdir()) == before
