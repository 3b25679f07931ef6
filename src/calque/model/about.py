"""What a model knows of itself: how it was made, and the signature that its scores carry."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from .._version import __version__
from ..encoder import FLOAT_BITS, Encoder
from ..saved import get, optional, texts
from .quality import LanguageQuality, read_qualities

_MANY = 8  # bitexts that a signature does not list any more


@dataclass(frozen=True)
class Score:
    """A number and the data it was measured on."""

    name: str  # sts17:en-en
    pairs: int
    value: float
    measure: str = "pearson"  # × 100; or accuracy, the per cent of sentences that find their translation


@dataclass(frozen=True)
class About:
    recipe: str = ""
    languages: tuple[str, ...] = ()
    data: tuple[str, ...] = ()  # name:pairs, and ×weight unless it is 1
    epoch: int = 0  # the one kept
    seconds: float = 0.0
    version: str = __version__
    development: Score | None = None
    training: dict[str, Any] = field(default_factory=dict)
    quality: tuple[LanguageQuality, ...] = ()  # measured by language; none if nothing was measured

    @property
    def library(self) -> str | None:
        """The other library that the model comes from: how it was trained is then not known."""
        found: str | None = self.training.get("library")
        return found

    @classmethod
    def of_library(cls, library: str, model: str) -> About:
        """`model` is what the folder is called, so that signatures tell such models apart."""
        return cls(recipe=f"imported={model}", training={"library": library})

    def as_dict(self) -> dict[str, Any]:
        score = self.development
        return {
            "recipe": self.recipe,
            "languages": list(self.languages),
            "data": list(self.data),
            "epoch": self.epoch,
            "seconds": round(self.seconds, 1),
            "version": self.version,
            "development": {"name": score.name, "pairs": score.pairs, score.measure: score.value} if score else None,
            "training": self.training,
            **({"quality": [each.as_dict() for each in self.quality]} if self.quality else {}),
        }

    @classmethod
    def from_dict(cls, saved: Any) -> About:
        """
        Raises:
            ValueError: it is nothing that `as_dict` gives.
        """
        score = optional(saved, "development", dict)
        made = cls(
            recipe=get(saved, "recipe", str),
            languages=texts(saved, "languages"),
            data=texts(saved, "data"),
            epoch=get(saved, "epoch", int),
            seconds=get(saved, "seconds", float),
            version=get(saved, "version", str),
            development=_score(score) if score else None,
            training=get(saved, "training", dict),
            quality=read_qualities(saved),
        )
        for bitext in made.data:
            pairs_in(bitext)
        if made.library is not None:
            get(made.training, "library", str)
        return made


def _score(saved: Any) -> Score:
    measure = "accuracy" if "accuracy" in saved else "pearson"
    return Score(get(saved, "name", str), get(saved, "pairs", int), get(saved, measure, float), measure)


def signature(about: About, encoder: Encoder, name: str, pairs: int) -> str:
    """What a score was measured on and with.

    sts17:en-en|n:250|sp:20000|dim:300|recipe:paper|data:europarl.en-es:600000|epochs:10|seed:1|v:0.1.0

    The third part is the encoder's kind: sp, word or trigram for averages, blstm-sp and so on for a BLSTM. Where rows
    are codes, their bits follow the dimension: dim:256|bits:4. More than eight bitexts are counted, with their pairs
    and a checksum of their names and sizes, which `calque info` lists: data:127-bitexts:5061234:3fa2b1c9.
    """
    parts = [
        name,
        f"n:{pairs}",
        f"{encoder.kind}:{encoder.vocabulary.size}",
        f"dim:{encoder.dimension}",
        *([f"bits:{encoder.bits}"] if encoder.bits < FLOAT_BITS else []),
        f"recipe:{about.recipe}",
        f"data:{_data(about.data)}",
        f"epochs:{about.epoch}",
        f"seed:{about.training.get('seed', '')}",
        f"v:{about.version}",
    ]
    return "|".join(parts)


def _data(bitexts: tuple[str, ...]) -> str:
    listed = "+".join(bitexts)
    if len(bitexts) <= _MANY:
        return listed
    pairs = sum(map(pairs_in, bitexts))
    return f"{len(bitexts)}-bitexts:{pairs}:{hashlib.sha256(listed.encode()).hexdigest()[:8]}"


def pairs_in(bitext: str) -> int:
    """600000 of europarl.en-es:600000×0.3."""
    return int(bitext.rpartition(":")[2].partition("×")[0])
