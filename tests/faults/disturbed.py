"""One disturbed run: the fault, what must hold right after it, going on, and what must hold in the end."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kinds import Around, Fault
from place import Place, SmallDisk, Tree, tree
from process import Conditions, Ended, Needs, measured, run
from works import Work

OLD = b"what was there before\n"


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing happens to, from nothing or from an old result, to compare with."""

    work: Work
    needs: Needs
    before: Path | None  # a folder with the old result
    old: Tree
    result: Tree
    compared: Tree
    cache: Tree


@dataclass(frozen=True)
class Outcome:
    struck: bool  # and not over before
    code: int
    problems: tuple[str, ...]


class Bench:
    """Folders to disturb a work in, with its inputs beside them."""

    def __init__(self, folder: Path, inputs: Path, shim: Path) -> None:
        self.folder = folder
        self.inputs = inputs
        self.shim = shim
        self._untouched = tree(inputs)

    def undisturbed(self, work: Work, with_old: bool) -> Undisturbed:
        name = f"{work.name}-{'old' if with_old else 'new'}"
        before = self._before(work, self.folder / f"{name}-before") if with_old else None
        place = Place(self.folder / name)
        with place.made(before):
            old = work.result(place.out)
            needs = measured(work.command, place, self.shim, self._read_from(place))
            assert not tree(place.temporary), "an undisturbed run leaves temporary files"
            return Undisturbed(
                work, needs, before, old, work.result(place.out), work.compared(place.out), tree(place.cache)
            )

    def _before(self, work: Work, folder: Path) -> Path:
        place = Place(folder)
        with place.made():
            if isinstance(work.before, str):
                (place.out / work.before).write_bytes(OLD)
            elif work.before:
                ended = run(work.before, place)
                assert ended.code == 0, ended.said
            return Path(shutil.copytree(place.out, folder / "kept"))

    def disturb(self, undisturbed: Undisturbed, fault: Fault, draw: random.Random) -> Outcome:
        place = Place(self.folder / "disturbed")
        around = Around(undisturbed.needs, self.shim, self._read_from(place))
        conditions = fault.draw(draw, around)
        with self._disk(place, conditions) as disk, place.made(undisturbed.before):
            if disk is not None and conditions.room is not None:
                disk.leave(conditions.room)
            ended = run(undisturbed.work.command, place, conditions)
            if disk is not None:
                disk.enlarge()
            problems = [*_right_after(undisturbed, fault, place, ended)]
            problems += _in_the_end(undisturbed, place)
        if tree(self.inputs) != self._untouched:
            problems.append("the inputs have changed")
        return Outcome(ended.code != 0, ended.code, tuple(problems))

    @contextlib.contextmanager
    def _disk(self, place: Place, conditions: Conditions) -> Iterator[SmallDisk | None]:
        if conditions.room is None:
            yield None
            return
        disk = SmallDisk(place.folder)
        with disk.mounted():
            yield disk

    def _read_from(self, place: Place) -> tuple[Path, ...]:
        return (self.inputs, place.out, place.temporary)


def _right_after(undisturbed: Undisturbed, fault: Fault, place: Place, ended: Ended) -> Iterator[str]:
    work = undisturbed.work
    if ended.hung:
        yield "it hung"
    elif ended.code not in (0, *fault.codes):
        yield f"it ended with {ended.code}: {ended.last_words}"
    elif "Traceback" in ended.said:
        yield f"a traceback: {ended.last_words}"
    elif ended.code == 1 and not re.search(rf"^error: .*({fault.says})", ended.said, re.MULTILINE):
        yield f"the error does not say what happened: {ended.last_words}"
    result = work.result(place.out)
    if ended.code == 0 and result != undisturbed.result:
        yield f"it said that all went well, and did not do it: {_differences(undisturbed.result, result)}"
    elif result not in (undisturbed.old, undisturbed.result):
        yield f"the result is neither the old nor the new one: {_differences(undisturbed.result, result)}"
    if not ended.was_killed:
        known = {*undisturbed.old, *undisturbed.result, *undisturbed.compared}
        left = [name for name in work.compared(place.out) if name not in known and not work.is_state(name)]
        if left or tree(place.temporary):
            yield f"it had time to clear away, and left {[*left, *tree(place.temporary)]}"


def _in_the_end(undisturbed: Undisturbed, place: Place) -> Iterator[str]:
    work = undisturbed.work
    if work.result(place.out) == undisturbed.result:
        ended = run(work.when_whole, place)
        if ended.code not in (0, 2):
            yield f"after all was done, {work.when_whole} ended with {ended.code}: {ended.last_words}"
    else:
        for command in work.again:
            ended = run(command, place)
            if ended.code == 0:
                break
        if ended.code:
            yield f"it does not go on: {command} ended with {ended.code}: {ended.last_words}"
    if different := _differences(undisturbed.compared, work.compared(place.out)):
        yield f"the end differs from the undisturbed: {different}"
    if left := tree(place.temporary):
        yield f"temporary files are left: {sorted(left)}"
    if different := _differences(undisturbed.cache, tree(place.cache)):
        yield f"the cache differs from the undisturbed: {different}"


def _differences(expected: Tree, found: Tree) -> str:
    missing = [f"no {name}" for name in expected if name not in found]
    left = [f"{name} is left" for name in found if name not in expected]
    other = [f"{name} is another" for name in found if name in expected and found[name] != expected[name]]
    return ", ".join(missing + left + other)
