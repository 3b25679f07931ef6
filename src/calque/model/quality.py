"""Measured quality by language, and the tiers that it makes: how far a model can be relied on in a language."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal

from ..saved import count, get, later

Measured = Literal["strong", "usable", "weak"]
Tier = Literal[Measured, "unknown"]

TIERS: tuple[Measured, ...] = ("strong", "usable", "weak")  # those that a measurement gives, best first
STRONG, USABLE = 90.0, 60.0  # per cent of sentences that find their translation, at the least
LEAST = 200  # sentences: among fewer, finding the right one is too easy to say anything

_CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class LanguageQuality:
    """Retrieval between a language and another on a set of translations, in per cent of sentences.

    LanguageQuality("ko", "en", forward=52.6, backward=51.8, n=1000, set="tatoeba:kor-eng", date="2026-11-18")
    """

    language: str
    against: str
    forward: float  # sentences of `language` that find their translation
    backward: float  # sentences of `against` that find theirs
    n: int
    set: str
    date: str  # of the measurement, as 2026-11-18

    @property
    def found(self) -> float:
        """The mean of both ways."""
        return (self.forward + self.backward) / 2

    @property
    def tier(self) -> Measured | None:
        """None if there were too few sentences to tell."""
        if self.n < LEAST:
            return None
        if self.found >= STRONG:
            return "strong"
        return "usable" if self.found >= USABLE else "weak"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"forward": round(self.forward, 2), "backward": round(self.backward, 2)}

    @classmethod
    def from_dict(cls, saved: Any) -> LanguageQuality:
        """
        Raises:
            ValueError: not a measurement as `as_dict` gives it.
        """
        return cls(
            _code(saved, "language"),
            _code(saved, "against"),
            _share(saved, "forward"),
            _share(saved, "backward"),
            count(saved, "n", least=1),
            _set(saved),
            _day(saved),
        )


def read_qualities(saved: Any) -> tuple[LanguageQuality, ...]:
    """The measurements that a config.json lists; none in a folder from before they were kept.

    Raises:
        ValueError: an entry that is no measurement, or two for the same languages.
    """
    listed = later(saved, "quality", list) or []
    made = tuple(map(LanguageQuality.from_dict, listed))
    if len({(each.language, each.against) for each in made}) < len(made):
        raise ValueError("`quality` has two entries for the same languages")
    return made


def quality_of(language: str, measured: Sequence[LanguageQuality]) -> LanguageQuality | None:
    """The measurement for a language by any of its codes: zh for zh-CN, fil for tl, fa for pes.

    The language that the others were measured against, English as a rule, counts as the best of them; if all of them
    are weak, that says nothing of it.
    """
    from ..corpus.languages import best_fit  # opening a model need not wait for langcodes

    at = best_fit(language, [each.language for each in measured])
    if at is not None:
        return measured[at]
    others = [each for each in measured if best_fit(language, [each.against]) is not None]
    best = max(others, key=lambda each: each.found, default=None)
    return None if best is None or best.tier == "weak" else best


def tier_of(language: str, trained: Sequence[str], measured: Sequence[LanguageQuality]) -> Tier | None:
    """A language's tier; `unknown` if it was not trained on, None if it was not measured or the model does not say.

    `trained` are the languages of the model's training data.
    """
    from ..corpus.languages import best_fit

    if trained and best_fit(language, trained) is None:
        return "unknown"
    found = quality_of(language, measured)
    return found.tier if found else None


def _code(saved: Any, name: str) -> str:
    code = get(saved, name, str)
    if not _CODE.fullmatch(code):
        raise ValueError(f"expected `{name}` to be a language code, got {code!r}")
    return code


def _set(saved: Any) -> str:
    """The set's name, which stands in warnings: a line break in it could begin a false one."""
    name = get(saved, "set", str)
    if not name.isprintable():
        raise ValueError(f"expected `set` to be printable, got {name!r}")
    return name


def _share(saved: Any, name: str) -> float:
    value = get(saved, name, float)
    if not (math.isfinite(value) and 0 <= value <= 100):
        raise ValueError(f"expected `{name}` to be 0 to 100, got {value}")
    return float(value)


def _day(saved: Any) -> str:
    day = get(saved, "date", str)
    try:
        known = date.fromisoformat(day).isoformat() == day
    except ValueError:
        known = False
    if not known:
        raise ValueError(f"expected `date` to be like 2026-11-18, got {day!r}")
    return day
