"""Language codes: `en`, `eng`, `eng_Latn` and `en-GB` are all understood, as BCP 47 with langcodes' help."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..errors import UsageError

CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")  # looks like one, as names of files and columns have it
_LOCALE = re.compile(r"^([A-Za-z]{2,3})(?:[_-]([A-Za-z0-9]+))?(?:\.[\w-]+)?(?:@(\w+))?$")  # as gettext writes them
_MODIFIERS = {"latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "arabic": "Arab", "ijekavian": None}

_WIDER = {"nb": "no", "nn": "no", "zlm": "ms"}  # corpora use both names


@lru_cache(maxsize=4096)
def standard(tag: str) -> str | None:
    """The shortest usual form of a language code, or None if it is none.

    >>> [standard(tag) for tag in ("eng", "eng_Latn", "en_GB", "zho_Hans", "sr@latin", "sentence")]
    ['en', 'en', 'en-GB', 'zh-Hans', 'sr-Latn', None]
    """
    from langcodes import Language

    tag = _without_locale(tag.strip())
    if tag.lower() in ("sh", "hbs"):
        return "sh"  # not sr-Latn, as its successor is called: corpora of that name hold both scripts
    try:
        usual = Language.get(tag).simplify_script().to_tag() if tag else None
        return usual if usual and Language.get(usual) else None  # some odd codes have a form that is none itself
    except ValueError:
        return None


def is_language(tag: str) -> bool:
    """Whether a code is not only well formed but in use: `xx` is not, though `the` is (a Tharu of Nepal)."""
    from langcodes import tag_is_valid

    return tag_is_valid(tag)


def require_standard(tags: Iterable[str]) -> tuple[str, str]:
    """Two language codes that a user gave, in their usual form.

    Raises:
        UsageError: not two, or one that is no language code.
    """
    given = tuple(tags)
    if len(given) != 2:
        raise UsageError(f"expected two languages, got {len(given)}: {' '.join(given)}", hint="like en es")
    return require_code(given[0]), require_code(given[1])


def require_code(tag: str) -> str:
    """A language code in its usual form.

    Raises:
        UsageError: it is none.
    """
    code = standard(tag)
    if not code:
        raise UsageError(f"{tag!r} is not a language code", hint="like en, eng, eng_Latn or en-GB")
    return code


def base(tag: str) -> str:
    """A language in its usual form without script and territory: `zh` for `zh-Hant`."""
    return tag.partition("-")[0]


@lru_cache(maxsize=4096)
def fits(wanted: str, found: str) -> int | None:
    """How well a language that was found is the one that is wanted: 0 is best, None not at all.

    `en` takes `en-GB`; `en-GB` takes `en`, but not `en-US`; `zh` takes `cmn`.
    """
    from langcodes import Language, standardize_tag

    one, two = standard(wanted), standard(found)
    if one is None or two is None:
        return None
    if one == two:
        return 0
    left, right = (Language.get(standardize_tag(_WIDER.get(tag, tag), macro=True)) for tag in (one, two))
    if left.language != right.language:
        return None
    if left.territory and right.territory and left.territory != right.territory:
        return None
    told = (left.script or left.territory) and (right.script or right.territory)
    if told and left.maximize().script != right.maximize().script:
        return None
    return 1 + (left.script != right.script) + (left.territory != right.territory)


def is_swapped(wanted: tuple[str, str], source: str | None, target: str | None) -> bool | None:
    """False if sides are as wanted, True if they are the other way round, None if neither; unknown fits anything."""

    def fit(one: str, found: str | None) -> bool:
        return found is None or one == found or fits(one, found) is not None

    if fit(wanted[0], source) and fit(wanted[1], target):
        return False
    return True if fit(wanted[1], source) and fit(wanted[0], target) else None


def distinct(languages: Iterable[str]) -> list[str]:
    """Each language once, under the first of its codes: of `nb`, `no` and `zh`, `zh-CN` two stay."""
    kept: list[str] = []
    for each in languages:
        if not any(fits(one, each) is not None or fits(each, one) is not None for one in kept):
            kept.append(each)
    return kept


def best_fit(wanted: str, found: Iterable[str]) -> int | None:
    """Which of some languages is the one wanted (the first, if several are as good)."""
    ranked = [(rank, at) for at, tag in enumerate(found) if (rank := fits(wanted, tag)) is not None]
    return min(ranked)[1] if ranked else None


@lru_cache(maxsize=1024)
def script_of(language: str) -> str | None:
    """The script that a language is usually written in (Latn, Cyrl, Jpan, …), or None if that is not known."""
    from langcodes import Language
    from langcodes.data_dicts import LIKELY_SUBTAGS

    tag = standard(language)
    if not tag:
        return None
    found = Language.get(tag)
    told = (tag for tag in found.broader_tags() if tag in LIKELY_SUBTAGS and not tag.startswith("und"))
    if not found.script and not any(told):
        return None  # langcodes would write it as English
    return found.maximize().script


def _without_locale(tag: str) -> str:
    found = _LOCALE.match(tag)
    if not found or not {".", "@"} & set(tag):
        return tag
    language, place, modifier = found.groups()
    script = _MODIFIERS.get((modifier or "").lower())
    return "-".join(part for part in (language, script, place) if part)
