"""What is fuzzed: whole samples, how they are damaged, and what is done with the outcome."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from calque.errors import CalqueError
from mutations import mutated

Mutate = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Trial:
    """`attempt` must take every seed as it is, and end for anything else with nothing but one of the `refusals`."""

    seeds: Sequence[bytes]
    attempt: Callable[[bytes], object]
    mutate: Mutate = mutated
    refusals: tuple[type[Exception], ...] = (CalqueError,)


Targets = Mapping[str, Callable[[Path], Trial]]  # by name; each is made in a folder of its own
