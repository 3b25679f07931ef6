"""A training must end with the text that it began with, however often it is stopped and whatever is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..corpus import Bitext, PlainText
from ..errors import CorpusError
from ..training import Corpus, Development
from ..training.checkpoint import NAME as CHECKPOINT
from ..training.large_corpus import stamps
from ..training.token_file import Stamps
from .training_run import Run


def stamps_outside(folder: Path, bitexts: Sequence[Bitext | PlainText]) -> Stamps:
    """What the bitext's files look like, but for copies in the run's own folder, which may be moved."""
    return [stamp for stamp in stamps(bitexts) if Path(stamp[0]).parent != folder.absolute()]


def recognised(folder: Path, run: Run, corpus: Corpus) -> Run:
    """The run, which from the first reading of its bitext on remembers what it read.

    Before that there is only what the files looked like: the vocabulary may be of another text than the tokens.

    Raises:
        CorpusError: the bitext has changed.
    """
    digest = corpus.digest
    if run.bitext_digest is None:
        if run.bitext_stamps not in (None, stamps_outside(folder, run.bitexts)):
            raise changed(folder, "bitext")
        run = replace(run, bitext_stamps=None, bitext_digest=digest)
        if not (folder / CHECKPOINT).exists():  # which an earlier version wrote, and which then has the last word
            run.write(folder)
    if run.bitext_digest != digest:
        raise changed(folder, "bitext")
    return run


def require_same_development(folder: Path, run: Run, development: Development | None) -> None:
    """
    Raises:
        CorpusError: epochs would be judged by another set than those before.
    """
    if development and run.development_digest not in (None, development.digest):
        raise changed(folder, "development set")


def changed(folder: Path, what: str) -> CorpusError:
    return CorpusError(
        f"the {what} has changed since the training in {folder} began",
        hint="bring back the files as they were, or train anew into another folder",
    )
