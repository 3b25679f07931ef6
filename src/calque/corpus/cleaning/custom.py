"""Rules of the user's own: a Python function or class, named as `module:name`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import CalqueError, UsageError
from .measures import Batch, Flags, Scores
from .rule import Rule

_EXAMPLE = "a function (source, target) that keeps a pair when true, or a class with score(pairs) and accept(score)"


@dataclass(frozen=True)
class _CustomRule(Rule):
    """Goes by the name that the user gave it."""

    title: str = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.title

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as problem:
            place = f" on {arguments!r:.200}" if arguments else ""
            raise CalqueError(
                f"rule {self.title}{place}: {type(problem).__name__}: {problem}", hint="mend the rule, or leave it out"
            ) from problem


@dataclass(frozen=True)
class FunctionRule(_CustomRule):
    """keep(source, target) is true for pairs to keep."""

    keep: Callable[[str, str], Any] = lambda source, target: True

    summary = "a function of yours does not keep it"

    def score(self, batch: Batch) -> Scores:
        kept = [bool(self._call(self.keep, pair.source, pair.target)) for pair in batch.pairs]
        return np.logical_not(kept).astype(np.float64)


@dataclass(frozen=True)
class ObjectRule(_CustomRule):
    """An object with score(pairs), one for each, and accept(score), as OpusFilter's filters have."""

    judge: Any = None

    summary = "a rule of yours does not accept it"

    def score(self, batch: Batch) -> Scores:
        scores = self._call(lambda: list(self.judge.score(batch.pairs)))
        if len(scores) != len(batch):
            raise CalqueError(
                f"rule {self.title}: expected {len(batch)} scores, got {len(scores)}",
                hint="score(pairs) gives one for each pair",
            )
        return np.fromiter(scores, dtype=object, count=len(scores))  # a score may be a list itself

    def accept(self, scores: Scores) -> Flags:
        return np.array([bool(self._call(self.judge.accept, score)) for score in scores])


def custom_rule(named: str) -> Rule:
    """The rule that `module:name` stands for; modules of the present folder are found too.

    Raises:
        UsageError: no such module or name, or it is no rule.
    """
    module_name, _, name = named.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module_name), name)
        if isinstance(found, type):
            found = found()
    except Exception as problem:  # whatever a module of the user's may raise
        told = problem if isinstance(problem, ImportError | AttributeError) else f"{type(problem).__name__}: {problem}"
        raise UsageError(f"rule {named}: {told}", hint=f"module:name, where name is {_EXAMPLE}") from problem
    if hasattr(found, "score") and hasattr(found, "accept"):
        return ObjectRule(judge=found, title=named)
    if callable(found):
        return FunctionRule(keep=found, title=named)
    raise UsageError(f"rule {named}: {found!r} is no rule", hint=_EXAMPLE)
