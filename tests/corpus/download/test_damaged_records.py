"""What Calque has noted beside a download, and somebody damaged, counts as not noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.corpus.download import sets
from calque.corpus.download.part import Part
from calque.corpus.download.record import read_record, record_path


@pytest.mark.parametrize("damaged", ["", "{", "[]", "7", "[" * 200_000, '{"a":' * 200_000])
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "en-es.zip"
    part = Part(path)
    part.path.write_bytes(b"half")
    for noted in (record_path(path), record_path(part.path)):
        noted.write_text(damaged)
    assert read_record(path) is None
    assert part.held("https://example.org/en-es.zip") is None
    assert sets._read(record_path(path)) == {}
