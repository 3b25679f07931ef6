"""Who runs tasks: this process, or a cluster."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ..errors import CalqueError, CorpusError, ModelError, UsageError

Task = dict[str, Any]  # `name`, and whatever else JSON can say
Receipt = dict[str, Any]  # what a task tells of what it has done

_ERRORS = {kind.__name__: kind for kind in (CalqueError, CorpusError, ModelError, UsageError)}


class Work(Protocol):
    """Something that travels to where it is done; doing it twice does no harm."""

    def __call__(self, task: Task, /) -> Receipt: ...


class Engine(Protocol):
    def start(self) -> None:
        """To be called once all else that can be wrong has been looked at.

        Raises:
            UsageError: there is nobody to run tasks.
        """
        ...

    def run(self, work: Work, tasks: Iterable[Task]) -> Iterator[Receipt]:
        """Receipts in the order in which tasks end.

        Raises:
            CalqueError: a task that failed for a reason that another attempt would not change.
        """
        ...


class Here:
    """One task after the other, in this process."""

    def start(self) -> None: ...

    def run(self, work: Work, tasks: Iterable[Task]) -> Iterator[Receipt]:
        for task in tasks:
            yield work(task)


def tried(work: Work, task: Task) -> Receipt:
    """What comes back from another machine: a receipt, or what to tell the user; the rest is a defect's trace."""
    try:
        return {"receipt": work(task)}
    except CalqueError as problem:
        return {"error": type(problem).__name__, "message": problem.message, "hint": problem.hint}
    except OSError as problem:
        return {"error": "CalqueError", "message": f"{problem.filename or 'a worker'}: {problem.strerror or problem}"}
    except Exception:
        return {"trace": traceback.format_exc()}


def receipt_of(told: Receipt) -> Receipt:
    """
    Raises:
        CalqueError: as it was raised where the task was run.
    """
    if "trace" in told:
        raise RuntimeError(f"a task failed:\n{told['trace']}")
    if "error" in told:
        raise _ERRORS.get(told["error"], CalqueError)(told["message"], told.get("hint"))
    receipt: Receipt = told["receipt"]
    return receipt
