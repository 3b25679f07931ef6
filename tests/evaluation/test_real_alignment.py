"""A floor on a real score: Bleualign's development document, by what letters and lengths alone can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.evaluation.evaluate import evaluate
from calque.evaluation.sets.documents import find_documents

pytestmark = pytest.mark.data


def test_an_untrained_encoder_aligns_the_development_document_by_names_and_lengths(real_data: Path) -> None:
    found = evaluate("random-trigram", "alignment", real_data / "eval" / "alignment", only=["dev"], resamples=0)["dev"]
    assert (found.n, found.notes["gold"]) == (468, 381)
    assert found.values["f1"] > 74
    assert found.values["lax_f1"] > 90


def test_the_published_documents_are_read(real_data: Path) -> None:
    found = {
        pair.name: (len(pair.source), len(pair.target)) for pair in find_documents(real_data / "eval" / "alignment")
    }
    assert found == {
        "dev": (468, 554),
        "test0": (137, 155),
        "test1": (293, 274),
        "test2": (95, 100),
        "test3": (107, 112),
    }
