"""What a folder must remember for its training to be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic import write_text
from ..corpus import Bitext, PlainText
from ..corpus.formats import MOSES, READABLE
from ..errors import CalqueError, UsageError
from ..regular import read_text
from ..saved import get, is_a, later, load, optional, texts
from ..training import TrainingConfig
from ..training.token_file import Stamps
from .origin import Origin
from .saved_input import NAME as SAVED_INPUT
from .weights import MOST

RUN = "training.json"
_COLUMNS = 1 << 31  # fewer than these has every table


@dataclass(frozen=True)
class Run:
    config: TrainingConfig
    bitexts: tuple[Bitext | PlainText, ...]
    vocabulary: dict[str, Any]
    development: tuple[str, ...] = ()
    init: Origin | None = None
    weights: tuple[float, ...] = ()  # of the bitexts; none: 1 each
    development_digest: str | None = None
    bitext_stamps: Stamps | None = None  # from before the vocabulary was made, until there is a digest
    bitext_digest: str | None = None  # once all of it has been read
    vocabulary_from: str | None = None  # the name of a model

    def write(self, folder: Path) -> None:
        saved = {
            "config": self.config.as_dict(),
            "bitexts": [_source_as_dict(each, folder) for each in self.bitexts],
            "vocabulary": self.vocabulary,
            "development": self.development,
            "init": self.init.as_dict() if self.init else None,
            "weights": self.weights,
            "development_digest": self.development_digest,
            "bitext_stamps": self.bitext_stamps,
            "bitext_digest": self.bitext_digest,
            "vocabulary_from": self.vocabulary_from,
        }
        write_text(folder / RUN, json.dumps(saved, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Run:
        try:
            saved = load(read_text(folder / RUN))
            bitexts = tuple(_source(each, folder) for each in get(saved, "bitexts", list))
            config = TrainingConfig(**get(saved, "config", dict))
            origin = optional(saved, "init", dict)
            weights = tuple(map(float, saved.get("weights", ())))
            if len(weights) not in (0, len(bitexts)):
                raise ValueError(f"{len(weights)} weights for {len(bitexts)} bitexts")
            if not all(0 <= weight <= MOST for weight in weights):
                raise ValueError(f"weights {weights}")
            return cls(
                config,
                bitexts,
                get(saved, "vocabulary", dict),
                _development(saved),
                Origin.from_dict(origin) if origin is not None else None,
                weights,
                later(saved, "development_digest", str),
                later(saved, "bitext_stamps", list),
                later(saved, "bitext_digest", str),
                later(saved, "vocabulary_from", str),
            )
        except FileNotFoundError as problem:
            raise UsageError(
                f"{folder} holds no training to resume: there is no {RUN}",
                hint="--resume takes the folder that calque train --out was given",
            ) from problem
        except (OSError, ValueError, TypeError, OverflowError) as problem:
            raise CalqueError(
                f"{folder / RUN} cannot be read: {problem!r}", hint="train anew into another folder"
            ) from problem


def _development(saved: Any) -> tuple[str, ...]:
    """The paths of the development sets; earlier versions had one, or none."""
    if is_a(saved.get("development"), list):
        return texts(saved, "development")
    one = optional(saved, "development", str)
    return () if one is None else (one,)


def _kept(path: str, folder: Path) -> str:
    """What lies in the folder moves with it, and so is known by its bare name."""
    return Path(path).name if Path(path).parent == folder.absolute() else path


def _found(path: str, folder: Path) -> str:
    """Earlier versions wrote where the saved input lay before the folder was moved, if it was."""
    if Path(path).name == SAVED_INPUT and not Path(path).exists() and (folder / SAVED_INPUT).exists():
        path = SAVED_INPUT
    return str(folder.absolute() / path)


def _source_as_dict(source: Bitext | PlainText, folder: Path) -> dict[str, Any]:
    if isinstance(source, PlainText):
        return {"text": _kept(source.path, folder), "language": source.language}
    return {
        "paths": [_kept(path, folder) for path in source.paths],
        "languages": source.languages,
        "columns": source.columns,
        "format": source.format,
    }


def _source(saved: Any, folder: Path) -> Bitext | PlainText:
    if is_a(saved, dict) and "text" in saved:
        return PlainText(_found(get(saved, "text", str), folder), optional(saved, "language", str))
    return _bitext(saved, folder)


def _bitext(saved: Any, folder: Path) -> Bitext:
    """As it was found when the training began."""
    paths, columns, format = texts(saved, "paths"), optional(saved, "columns", list), optional(saved, "format", str)
    languages = None if optional(saved, "languages", list) is None else texts(saved, "languages")
    if any(given is not None and len(given) != 2 for given in (languages, columns)):
        raise ValueError(f"the languages {languages} and the columns {columns} of a bitext")
    if not all(is_a(column, str) or (is_a(column, int) and 0 < column < _COLUMNS) for column in columns or ()):
        raise ValueError(f"the columns {columns}")
    if len(paths) not in (1, 2) or (format == MOSES) > (len(paths) == 2) or format not in (None, *READABLE):
        raise ValueError(f"a bitext of {paths} in the format {format}")
    pair = None if languages is None else (languages[0], languages[1])
    found = tuple(_found(path, folder) for path in paths)
    return Bitext(found, pair, None if columns is None else (columns[0], columns[1]), format)
