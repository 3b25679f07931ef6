"""What rules look at: a batch of pairs with everything countable about both sides, counted once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ... import _kernel
from ..languages import base, script_of
from ..pair import Languages, Pair
from .characters import WIDE, script_bits, tables

# As struct Measures in kernel/measure.hpp.
_FIELDS = np.dtype(
    [
        ("text_hash", np.uint64),
        ("letters_hash", np.uint64),
        ("characters", np.uint32),
        ("words", np.uint32),
        ("visible", np.uint32),
        ("letters", np.uint32),
        ("wide", np.uint32),
        ("expected", np.uint32),
        ("controls", np.uint32),
        ("mojibake", np.uint32),
        ("digits", np.uint16, 10),
        ("unused", np.uint32),
    ]
)
# Languages that are written in two scripts, beside the usual one.
_ALSO = {
    **{language: "Latn" for language in ("kk", "sr", "tg", "tt", "ug", "yi", "zgh")},
    **{language: "Cyrl" for language in ("az", "bs", "sh", "uz")},
    **{
        "kab": "Tfng",
        "ko": "Hani",
        "ks": "Deva",
        "ku": "Arab",
        "mn": "Mong",
        "pa": "Arab",
        "sd": "Deva",
    },
}

Measures = npt.NDArray[np.void]
Scores = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Batch:
    """Some pairs, and the measures of their sides."""

    def __init__(self, pairs: Sequence[Pair], languages: Languages | None = None, threads: int = 1) -> None:
        self.pairs = pairs if isinstance(pairs, list) else list(pairs)
        self.languages = languages
        self.threads = threads

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def source(self) -> Measures:
        return self._measure(0)

    @cached_property
    def target(self) -> Measures:
        return self._measure(1)

    def select(self, kept: Flags) -> Batch:
        """The pairs that a mask keeps, with what has been counted already."""
        chosen = Batch([self.pairs[at] for at in np.flatnonzero(kept)], self.languages, self.threads)
        for side in ("source", "target"):
            if side in self.__dict__:
                chosen.__dict__[side] = self.__dict__[side][kept]
        return chosen

    def both(self, field: str) -> tuple[Scores, Scores]:
        return self.source[field].astype(np.float64), self.target[field].astype(np.float64)

    def _measure(self, side: int) -> Measures:
        scripts = expected_scripts(self.languages[side]) if self.languages else 0
        return measure_texts(self.pairs, side, scripts, self.threads)


def measure_texts(rows: Sequence[tuple[str, ...]], side: int, scripts: int, threads: int) -> Measures:
    """What can be counted of one side of each row; `scripts` are the kernel's bits for those expected."""
    table = tables()
    raw = _kernel.measure(rows, side, table.kinds, table.small, scripts, WIDE, threads)
    return raw.view(_FIELDS)[:, 0]


def expected_scripts(language: str) -> int:
    """The kernel's bits for the scripts that a language is written in; 0 if not known."""
    bits = script_bits(script_of(language))
    names_script = any(len(part) == 4 and part.isalpha() for part in language.split("-")[1:])
    if bits and not names_script and base(language) in _ALSO:
        bits |= script_bits(_ALSO[base(language)])
    return bits
