"""Language pairs as people write them, and the codes that a source may know them by."""

from __future__ import annotations

import re
from itertools import product

from ...errors import UsageError
from ..languages import base, standard


def parse_pair(text: str) -> tuple[str, str]:
    """Splits where the second language begins: at a code in small letters, which regions and scripts are not.

    >>> parse_pair("en-es"), parse_pair("zh-CN-en"), parse_pair("en-pt_br")
    (('en', 'es'), ('zh-CN', 'en'), ('en', 'pt_br'))
    """
    codes = text.split("-")
    starts = [place for place, code in enumerate(codes) if re.fullmatch(r"[a-z]{2,8}(_[A-Za-z0-9]{2,8})*", code)]
    proper = all(re.fullmatch("[A-Za-z0-9_]{2,}", code) for code in codes)
    if len(starts) != 2 or starts[0] != 0 or not proper:
        raise UsageError(
            f"expected a language pair like en-es, got {text!r}", hint="two language codes with a hyphen between"
        )
    return "-".join(codes[: starts[1]]), "-".join(codes[starts[1] :])


def possible_pairs(one: str, two: str) -> list[tuple[str, str]]:
    """As given first, then with shorter codes; each pair in alphabetical order, as OPUS keeps them.

    >>> possible_pairs("spa", "en")
    [('en', 'spa'), ('en', 'es')]
    """
    ordered = [(min(pair), max(pair)) for pair in product(possible_codes(one), possible_codes(two))]
    return list(dict.fromkeys(ordered))


def possible_codes(code: str) -> list[str]:
    """
    >>> possible_codes("en-GB")
    ['en-GB', 'en_GB', 'en']
    """
    short = base(standard(code) or code)
    return list(dict.fromkeys([code, code.replace("-", "_"), short]))
