"""The folder that a job works in: what it is, which tasks are done, and in the end what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .._version import __version__
from ..errors import CalqueError, Stopped, UsageError
from .engine import Engine, Receipt, Task, Work
from .places import UNFINISHED, Place
from .shards import Shard

STATE = "_job"
_JOB, _REPORT = "job.json", "report.json"
_AT_ONCE = 16  # receipts read from far away

Watch = Callable[[str, int, int], None]  # what is being done, how many tasks of it are done, of how many


@dataclass(frozen=True)
class Committed:
    """Work whose receipt is kept when it is done: what has one need not be done again."""

    work: Work
    receipts: Place

    def __call__(self, task: Task) -> Receipt:
        receipt = self.work(task) | {"name": task["name"]}
        (self.receipts / f"{task['name']}.json").write(json.dumps(receipt).encode())
        return receipt


class Job:
    """Stages of tasks; those that an earlier run of the same job has done are not done again."""

    def __init__(self, out: Place, engine: Engine, watch: Watch = lambda stage, done, all: None) -> None:
        self.out = out
        self.state = out / STATE
        self.engine = engine
        self._watch = watch
        self._new = False  # made here, and nothing done yet

    def open(self, described: dict[str, Any], shards: Sequence[Shard], *others: Place) -> Receipt | None:
        """Makes the folder or finds the same job in it; the report, if that has been finished.

        A new job finds nothing in the folders `others`, which it writes to as well.

        Raises:
            UsageError: it holds another job, or something else, or the files have changed since.
        """
        read = {"shards": [[str(shard.place), shard.size, shard.version] for shard in shards]}
        whole = json.loads(json.dumps(described | {"version": __version__} | read))
        if (self.state / _JOB).exists():
            before = json.loads((self.state / _JOB).read())
            if before != whole:
                raise UsageError(f"{self.out} holds other work: {_differs(before, whole)}", hint=_ANEW)
            if (self.state / _REPORT).exists():
                self._clear()
                report: Receipt = json.loads((self.state / _REPORT).read())
                return report
            return None
        _require_empty(self.out, {STATE})  # whoever was killed at once has left a folder without a job
        for other in others:
            _require_empty(other)
        self.engine.start()
        self.state.make()
        (self.state / _JOB).write(json.dumps(whole, indent=1).encode())
        self._new = True
        return None

    def stage(self, name: str, work: Work, tasks: Sequence[Task]) -> list[Receipt]:
        """The receipts in the order of the tasks.

        A new job whose first task fails is forgotten: nobody wants to go on with what cannot be read.

        Raises:
            Stopped: somebody interrupted it.
        """
        place = self.state / name
        place.make()
        done = self._receipts(place, {task["name"] for task in tasks})
        left = [task for task in tasks if task["name"] not in done]
        self._watch(name, len(done), len(tasks))
        try:
            for receipt in self.engine.run(Committed(work, place), left):
                self._new = False
                done[receipt["name"]] = receipt
                self._watch(name, len(done), len(tasks))
        except CalqueError:
            if self._new:
                self._forget()
            raise
        except KeyboardInterrupt:
            said = f"stopped after {len(done)} of {len(tasks)} tasks ({name}), which are kept"
            raise Stopped(said, hint="the same command goes on") from None
        return [done[task["name"]] for task in tasks]

    def folder(self, name: str) -> Place:
        """Room for what only the work needs."""
        folder = self.state / "data" / name
        folder.make()
        return folder

    def finish(self, report: Receipt, *others: Place) -> None:
        """All that only the work needed goes; what the job was, and what came of it, stays.

        From the output, and from `others`, goes what workers that were killed had been writing: not before, since the
        same command may be running twice.
        """
        for place in (self.out, *others):
            self._remove_unfinished(place)
        (self.state / _REPORT).write(json.dumps(report, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
        self._clear()

    def _forget(self) -> None:
        self.state.remove()
        if not self.out.names():
            self.out.remove()

    def _clear(self) -> None:
        for name in self.state.names():
            if name not in (_JOB, _REPORT):
                (self.state / name).remove()

    def _receipts(self, place: Place, wanted: set[str]) -> dict[str, Receipt]:
        names = [name for name in place.names() if name.removesuffix(".json") in wanted and name.endswith(".json")]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            read = pool.map(lambda name: json.loads((place / name).read()), names)
            return {receipt["name"]: receipt for receipt in read}

    def _remove_unfinished(self, place: Place) -> None:
        for name in place.names():
            if name.endswith(UNFINISHED):
                (place / name).remove()


_ANEW = "name another folder, or delete this one to begin anew"


def _require_empty(place: Place, but: Collection[str] = ()) -> None:
    if not place.exists():
        return
    if not place.is_folder():
        raise UsageError(f"{place} is a file", hint="name a folder, new or empty")
    if set(place.names()).difference(but):
        raise UsageError(f"{place} holds something else", hint="name a new folder, or an empty one")


def _differs(before: dict[str, Any], now: dict[str, Any]) -> str:
    if before.get("work") != now.get("work"):
        return f"that of calque {before.get('work')}"
    changed = [key for key in now if before.get(key) != now[key]]
    if changed == ["shards"]:
        return "its files have changed"
    return f"begun with another {', '.join(changed)}" if changed else "of another version"
