"""What cleaning did: how many pairs each rule dropped, with a few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

EXAMPLES = 3
_LONGEST = 300  # characters of an example's side


@dataclass
class Counted:
    """A number of pairs and the first few of them."""

    count: int = 0
    examples: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, pairs: Sequence[tuple[str, ...]]) -> None:
        self.count += len(pairs)
        for pair in pairs[: EXAMPLES - len(self.examples)]:
            self.examples.append(tuple(side if len(side) <= _LONGEST else f"{side[:_LONGEST]}…" for side in pair))


@dataclass
class Report:
    read: int = 0
    kept: int = 0
    repaired: Counted = field(default_factory=Counted)  # examples: source, target, and both as mended
    dropped: dict[str, Counted] = field(default_factory=dict)  # in the rules' order
    skipped: dict[str, str] = field(default_factory=dict)  # rule, and why it could not work
    forgotten: int = 0  # pairs beyond the memory for duplicates

    def as_dict(self) -> dict[str, Any]:
        def shown(counted: Counted) -> dict[str, Any]:
            return {"count": counted.count, "examples": [list(example) for example in counted.examples]}

        return {
            "read": self.read,
            "kept": self.kept,
            "repaired": shown(self.repaired),
            "dropped": {rule: shown(counted) for rule, counted in self.dropped.items()},
            "skipped": self.skipped,
            "forgotten": self.forgotten,
        }
