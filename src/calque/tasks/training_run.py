"""What a folder must remember for its training to be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic import write_text
from ..corpus import Bitext
from ..errors import CalqueError, UsageError
from ..training import TrainingConfig
from .origin import Origin

RUN = "training.json"


@dataclass(frozen=True)
class Run:
    config: TrainingConfig
    bitexts: tuple[Bitext, ...]
    vocabulary: dict[str, Any]
    development: str | None = None
    init: Origin | None = None
    weights: tuple[float, ...] = ()  # of the bitexts; none: 1 each

    def write(self, folder: Path) -> None:
        saved = {
            "config": self.config.as_dict(),
            "bitexts": [
                {
                    "paths": bitext.paths,
                    "languages": bitext.languages,
                    "columns": bitext.columns,
                    "format": bitext.format,
                }
                for bitext in self.bitexts
            ],
            "vocabulary": self.vocabulary,
            "development": self.development,
            "init": self.init.as_dict() if self.init else None,
            "weights": self.weights,
        }
        write_text(folder / RUN, json.dumps(saved, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Run:
        try:
            saved = json.loads((folder / RUN).read_text(encoding="utf-8"))
            bitexts = [
                Bitext(
                    tuple(each["paths"]),
                    tuple(each["languages"]) if each["languages"] else None,
                    tuple(each["columns"]) if each["columns"] else None,
                    each["format"],
                )
                for each in saved["bitexts"]
            ]
            config = TrainingConfig(**saved["config"])
            init = Origin.from_dict(saved["init"]) if saved["init"] else None
            weights = tuple(map(float, saved.get("weights", ())))
            if len(weights) not in (0, len(bitexts)):
                raise ValueError(f"{len(weights)} weights for {len(bitexts)} bitexts")
            return cls(config, tuple(bitexts), saved["vocabulary"], saved["development"], init, weights)
        except FileNotFoundError as problem:
            raise UsageError(
                f"{folder} holds no training to resume: there is no {RUN}",
                hint="--resume takes the folder that calque train --out was given",
            ) from problem
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise CalqueError(
                f"{folder / RUN} cannot be read: {problem!r}", hint="train anew into another folder"
            ) from problem
