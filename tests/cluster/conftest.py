"""Texts to cut into shards, made of the demonstration's."""

from __future__ import annotations

import pytest

from calque.demo import sentences


@pytest.fixture(scope="session")
def english() -> list[str]:
    """With a blank line, and sentences that repeat others: as they are, in capitals, with another end."""
    lines = sentences()["en"]
    again = [lines[3], "", lines[5].upper(), lines[7].rstrip(".") + "!"]
    return [*lines, *again, *lines[10:20]]


@pytest.fixture(scope="session")
def spanish() -> list[str]:
    lines = sentences()["es"]
    return [*reversed(lines), lines[4], "", lines[0]]


@pytest.fixture(scope="session")
def noisy() -> list[str]:
    """TSV: right pairs, pairs of what does not belong together, copies, and a blank side."""
    text = sentences()
    right = list(zip(text["en"], text["es"], strict=True))
    wrong = [(one[0], two[1]) for one, two in zip(right, right[7:], strict=False)]
    rows = [*right[:150], *wrong[:90], *right[100:], *right[:12], (right[3][0].upper(), right[3][1]), ("alone", "")]
    return ["\t".join(row) for row in rows]
