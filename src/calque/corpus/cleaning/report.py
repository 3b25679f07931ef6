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

    def join(self, later: Counted) -> None:
        """What was counted further on."""
        self.count += later.count
        self.examples += later.examples[: EXAMPLES - len(self.examples)]


@dataclass
class Report:
    read: int = 0
    kept: int = 0
    repaired: Counted = field(default_factory=Counted)  # examples: source, target, and both as mended
    dropped: dict[str, Counted] = field(default_factory=dict)  # in the rules' order
    skipped: dict[str, str] = field(default_factory=dict)  # rule, and why it could not work
    forgotten: int = 0  # pairs beyond the memory for duplicates

    def join(self, later: Report) -> None:
        """What was done to pairs that come after these."""
        self.read += later.read
        self.kept += later.kept
        self.repaired.join(later.repaired)
        for rule, counted in later.dropped.items():
            self.dropped.setdefault(rule, Counted()).join(counted)
        self.skipped |= later.skipped
        self.forgotten += later.forgotten

    @classmethod
    def of_dict(cls, told: dict[str, Any]) -> Report:
        """What `as_dict` told."""
        counted = {
            name: Counted(each["count"], [tuple(example) for example in each["examples"]])
            for name, each in {**told["dropped"], "": told["repaired"]}.items()
        }
        repaired = counted.pop("")
        return cls(told["read"], told["kept"], repaired, counted, told["skipped"], told["forgotten"])

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
