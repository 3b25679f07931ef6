"""A page of documentation as its code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"(?P<indent> *)```(?P<language>[\w+-]*)(?P<options>[^`\n]*)")
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """Block("console", "$ calque --version\\ncalque 0.1.0\\n", line=12): what stands between two fences"""

    language: str
    text: str
    line: int  # of the opening fence, counted from 1
    title: str | None = None  # the file that the text is to be

    @property
    def lines(self) -> range:
        """Those of the text, counted from 0."""
        return range(self.line, self.line + len(self.text.splitlines()))


def blocks_of(page: str) -> list[Block]:
    """All fenced blocks, in order.

    Raises:
        ValueError: a fence that is never closed, or code that is indented instead of fenced: nobody would run it.
    """
    found: list[Block] = []
    opened: re.Match[str] | None = None
    begun, text = 0, [""]
    blank = True
    for number, line in enumerate(page.splitlines(keepends=True), start=1):
        if opened is None:
            if fence := _FENCE.fullmatch(line.rstrip("\n")):
                opened, begun, text = fence, number, []
            elif blank and line.startswith("    ") and line.strip() and not _continues_list(page, number):
                raise ValueError(f"line {number}: indented code, which is not run; put it between fences")
            blank = not line.strip()
        elif line.strip() == "```":
            title = _TITLE.search(opened["options"])
            indent = len(opened["indent"])
            found.append(
                Block(opened["language"], "".join(each[indent:] for each in text), begun, title[1] if title else None)
            )
            opened, blank = None, True
        else:
            text.append(line if line.strip() else line.lstrip(" "))
    if opened is not None:
        raise ValueError(f"line {begun}: a fence that is not closed")
    return found


def _continues_list(page: str, number: int) -> bool:
    """Whether the indented line belongs to a list or an admonition above it."""
    for line in reversed(page.splitlines()[: number - 1]):
        if line.strip() and not line.startswith("    "):
            return bool(re.match(r" *([-*]|\d+\.|!!!|\?\?\?) ?", line))
    return False


def pages(folder: Path) -> list[Path]:
    """The pages that are run: all but results, which are records of long runs."""
    return sorted(path for path in folder.rglob("*.md") if "results" not in path.relative_to(folder).parts)
