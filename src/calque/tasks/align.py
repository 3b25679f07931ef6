"""Two documents, one sentence a line, as blocks of sentences that translate each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..alignment import MAX_SIZE, SKIP, Alignment, Document, align_documents
from ..corpus import STDIN, read_lines
from ..corpus.languages import require_standard
from ..corpus.writing import open_output
from ..errors import CorpusError, UsageError
from ..model import Model, as_model
from ..model.familiarity import ALIGNING, LINES, Side, warn_of_languages
from .inputs import spare_inputs

LARGEST = 20  # a block's sentences, both sides together: the kernel tells 254 shapes of blocks apart


class Aligned(NamedTuple):
    """Blocks with sentences on both sides, and sentences that were left out, blank lines among them."""

    blocks: int
    sources_left_out: int
    targets_left_out: int


def align(
    source: Sequence[str],
    target: Sequence[str],
    model: Model | str | Path | None = None,
    *,
    max_size: int = MAX_SIZE,
    skip: float = SKIP,
    languages: Sequence[str] = (),
    threads: int | None = None,
) -> list[Alignment]:
    """Every sentence of two documents once and in order: with its translation, or alone.

    Examples:
        >>> english = ["It rains. We stay at home.", "Tomorrow we leave."]
        >>> german = ["Es regnet.", "Wir bleiben zu Hause.", "Morgen gehen wir."]
        >>> for block in calque.align(english, german):
        ...     print(block.source, block.target, round(block.cost, 1))
        (0,) (0, 1) 0.2
        (1,) (2,) 0.3

    Args:
        source: The sentences of one document; blank ones are left out of blocks, or lie within one.
        target: Those of the other.
        model: A model, or its folder; without it, the one that `calque.load()` opens.
        max_size: Sentences of a block at the most, both sides together; 2 aligns one to one.
        skip: What it costs to leave a sentence out, where a pair of unrelated ones costs 1.
        languages: Two codes, for models with a vocabulary for each language.
        threads: As many as there are cores, unless given.

    Raises:
        CorpusError: a document without any sentence.
        UsageError: the model knows other languages, or a number is out of range.
    """
    names = "the source document", "the target document"
    return _aligned((source, target), names, model, max_size, skip, languages, threads)


def _aligned(
    texts: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str],
    model: Model | str | Path | None,
    max_size: int,
    skip: float,
    languages: Sequence[str],
    threads: int | None,
) -> list[Alignment]:
    if not 2 <= max_size <= LARGEST:
        raise UsageError(f"max_size: expected 2 (one to one) to {LARGEST}, got {max_size}")
    if not 0 <= skip < float("inf"):
        raise UsageError(f"skip: expected 0 or more, got {skip}")
    opened = as_model(model)
    one, two = require_standard(languages) if languages else (None, None)
    opened.require_languages(each for each in (one, two) if each)
    for name, sentences in zip(names, texts, strict=True):
        _require_text(sentences, name)
    sides = zip(names, (one, two), texts, strict=True)
    warn_of_languages(
        opened, *(Side(name, each, sentences[:LINES]) for name, each, sentences in sides), expect=ALIGNING
    )
    documents = [
        Document.of(opened.encode(sentences, language=each, threads=threads), sentences)
        for sentences, each in zip(texts, (one, two), strict=True)
    ]
    return align_documents(documents[0], documents[1], max_size, skip)


def align_files(
    source: str | Path,
    target: str | Path,
    out: str | Path,
    model: Model | str | Path | None = None,
    *,
    format: str = "vecalign",
    max_size: int = MAX_SIZE,
    skip: float = SKIP,
    languages: Sequence[str] = (),
    threads: int | None = None,
) -> Aligned:
    """Writes a line for each block or sentence left out, as `align` gives them; FORMATS says what a line holds."""
    if str(source) == str(target) == STDIN:
        raise UsageError("only one of the two documents can come from standard input", hint="name a file for the other")
    if format not in FORMATS:
        raise UsageError(f"cannot write {format!r}", hint=f"one of {', '.join(FORMATS)}")
    spare_inputs([str(out)], [str(source), str(target)])
    texts = list(read_lines(source)), list(read_lines(target))
    found = _aligned(texts, (str(source), str(target)), model, max_size, skip, languages, threads)
    with open_output(str(out)) as file:
        for each in found:
            line = FORMATS[format](each, _joined(texts[0], each.source), _joined(texts[1], each.target))
            file.write(line.encode("utf-8", "replace") + b"\n")
    blocks = sum(bool(each.source and each.target) for each in found)
    sources = sum(len(each.source) for each in found if not each.target)
    targets = sum(len(each.target) for each in found if not each.source)
    return Aligned(blocks, sources, targets)


def _as_vecalign(each: Alignment, source: str, target: str) -> str:
    return f"{list(each.source)}:{list(each.target)}:{each.cost:.6f}"


def _as_tsv(each: Alignment, source: str, target: str) -> str:
    """Text in the second and third column, as mining has it, so that `--columns 2,3` reads it as bitext."""
    return f"{each.cost:.6f}\t{source}\t{target}\t{_numbers(each.source)}\t{_numbers(each.target)}"


def _as_json(each: Alignment, source: str, target: str) -> str:
    described = {"source": each.source, "target": each.target, "cost": round(each.cost, 6)}
    return json.dumps(described | {"source_text": source, "target_text": target}, ensure_ascii=False)


FORMATS: dict[str, Callable[[Alignment, str, str], str]] = {
    "vecalign": _as_vecalign,
    "tsv": _as_tsv,
    "jsonl": _as_json,
}


def _numbers(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def _joined(texts: Sequence[str], numbers: tuple[int, ...]) -> str:
    return " ".join(" ".join(texts[each].split()) for each in numbers).strip()


def _require_text(sentences: Sequence[str], name: str) -> None:
    if isinstance(sentences, str):
        raise UsageError(
            f"{name}: expected a list of sentences, got one str", hint="calque.read_lines(path) yields those of a file"
        )
    if not any(sentence.strip() for sentence in sentences):
        raise CorpusError(f"{name} holds no sentence", hint="a document has one sentence a line")
