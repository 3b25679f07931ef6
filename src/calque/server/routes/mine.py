"""POST /v1/mine: which lines of two texts translate each other."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Annotated

import msgspec

from ...corpus.languages import require_standard
from ...mining import Mined, Mining, MiningConfig
from ...mining.mine import Text
from ...model.familiarity import LINES, MINING, Side, doubts_about
from ...temporary import temporary_folder
from ..errors import too_many
from ..service import Service
from .route import Route

_Lines = Annotated[list[str], msgspec.Meta(min_length=1)]

_Code = Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}$")]

# One at a time in each worker: it takes all memory bandwidth there is, and a second one would only slow both down.
_TURN = threading.Lock()


class MineRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Sentences in two languages, in any order. Without a `threshold`, every sentence's best match is given.

    Lines that are surely in another language than their side are left out, unless `keep_other_languages`. `languages`
    are the codes of both sides, two or three letters; without them, a side is in the language of most of its lines.
    """

    source: _Lines
    target: _Lines
    threshold: float | None = None
    languages: tuple[_Code, _Code] | None = None
    keep_other_languages: bool = False
    model: str | None = None


class MinedPair(msgspec.Struct, frozen=True):
    """Lines are counted from 1."""

    score: float
    source: str
    target: str
    source_line: int
    target_line: int


class MineAnswer(msgspec.Struct, frozen=True):
    """The best first. `suggested_threshold` is null where there are too few sentences to tell one from.

    `left_out` counts the lines in other languages, by language. `expected_precision` is null if only its range can be
    told; the range is null if nothing can be told, and `doubt` is the reason. `warnings` are about languages that the
    model knows badly or not at all.
    """

    pairs: list[MinedPair]
    suggested_threshold: float | None
    expected_precision: float | None
    model: str
    expected_precision_range: list[float] | None = None
    left_out: dict[str, int] = {}
    doubt: str = ""
    warnings: list[str] = []


def answer(service: Service, asked: MineRequest) -> MineAnswer:
    name = service.require_model(asked.model)
    for param, lines in (("source", asked.source), ("target", asked.target)):
        _require_lines(service, lines, param)
    if not any(map(str.strip, asked.source)) or not any(map(str.strip, asked.target)):
        return MineAnswer([], None, None, name)
    config = MiningConfig(
        threshold=asked.threshold,
        languages=require_standard(asked.languages) if asked.languages else None,
        keep_other_languages=asked.keep_other_languages,
        threads=service.settings.threads,
    )
    with _TURN, temporary_folder("mining") as folder:
        mining = Mining(service.model, config, folder / "work")
        report, mined = mining.run(Text("source", lambda: asked.source), Text("target", lambda: asked.target))
        pairs = [_pair(each) for each in mined]
    left_out = Counter(report.source.others) + Counter(report.target.others)
    best = mining.calibration.best() if mining.calibration else None
    suggested = best.threshold if best and best.kept else None
    precision = report.expected.precision if report.expected else None
    around = report.expected.precision_range if report.expected else None
    one, two = config.languages or (None, None)
    sides = Side("source", one, asked.source[:LINES]), Side("target", two, asked.target[:LINES])
    doubts = [doubt.message for doubt in doubts_about(service.model, *sides, expect=MINING)]
    doubt = report.doubt if around is None else ""
    told = [around.low, around.high] if around else None
    return MineAnswer(pairs, suggested, precision, name, told, dict(left_out), doubt, doubts)


def _require_lines(service: Service, lines: list[str], param: str) -> None:
    most = service.settings.max_lines
    if len(lines) > most:
        raise too_many(
            param, f"{len(lines):,} lines are more than the {most:,} that are mined here; `calque mine` has no limit"
        )
    service.require_lengths(lines, param)


def _pair(mined: Mined) -> MinedPair:
    return MinedPair(mined.score, mined.source, mined.target, mined.source_line, mined.target_line)


ROUTE = Route(
    "POST", "/v1/mine", "Which sentences of two texts translate each other",
    answer, MineRequest, MineAnswer, long=True, errors=(404,),
)  # fmt: skip
