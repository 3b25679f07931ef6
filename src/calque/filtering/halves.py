"""Texts cut in two, at the space nearest to the middle."""

from __future__ import annotations

from collections.abc import Sequence


def halves_of(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """All first halves and all second ones.

    >>> halves_of(["A dog runs.", "我爱你们"])
    (['A dog', '我爱'], [' runs.', '你们'])
    """
    cuts = [_cut(text) for text in texts]
    first = [text[:cut] for text, cut in zip(texts, cuts, strict=True)]
    return first, [text[cut:] for text, cut in zip(texts, cuts, strict=True)]


def _cut(text: str) -> int:
    middle = len(text) // 2
    before, after = text.rfind(" ", 0, middle + 1), text.find(" ", middle)
    if before < 0 and after < 0:
        return middle  # a script without spaces, or a single word
    if before < 0 or after < 0:
        return max(before, after)
    return before if middle - before <= after - middle else after
