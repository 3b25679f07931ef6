"""Every reader of bytes from elsewhere, tried with damaged bytes: `python tests/fuzz/run.py --seconds 60 [NAME…]`.

A name is that of a target, or of a file of them (targets/). Each file's targets run in a process of their own; where
one dies or hangs, its input is kept and the others go on in another. Ends with 1 if there was a finding.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
GROUPS = sorted(path.stem for path in (HERE / "targets").glob("*.py") if path.stem != "__init__")
PATIENCE = 300.0  # seconds beyond its own that a process may take before it is taken for stuck


def main() -> None:
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets or files of them; all unless given")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each target")
    parser.add_argument("--seed", type=int, default=1, help="other inputs for another number")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build" / "fuzz", help="where findings are kept")
    parser.add_argument("--again", type=Path, metavar="FILE", help="try one kept input, with its traceback")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _run_here(given)
    elif given.again:
        _run_again(given)
    else:
        sys.exit(1 if sum([_watched(group, given) for group in _groups(given.names)]) else 0)


def _groups(names: list[str]) -> list[str]:
    targets = set(names) - set(GROUPS)
    return [
        group
        for group in GROUPS
        if not names or group in names or (targets and not targets.isdisjoint(_targets(group)))
    ]


def _targets(group: str) -> dict[str, object]:
    found: dict[str, object] = import_module(f"targets.{group}").TARGETS
    return found


def _watched(group: str, given: argparse.Namespace) -> int:
    """The number of findings."""
    from hunt import Trying, keep

    findings, done = 0, set[str]()
    while True:
        with tempfile.TemporaryDirectory(prefix="calque-fuzz-") as scratch:
            process = _start(group, given, done, scratch)
            stuck = threading.Timer(PATIENCE + 100 * given.seconds, process.kill)
            stuck.start()
            current = None
            for line in process.stdout or ():
                said = json.loads(line)
                if "begins" in said:
                    current = said["begins"]
                    done.add(current)
                else:
                    findings += len(said["escaped"])
                    current = None
                    _print(said)
            code = process.wait()
            stuck.cancel()
            if code == 0:
                return findings
            findings += 1
            if current is None:
                print(f"{group}: ended with {code} outside of any target", flush=True)
                return findings
            kept = keep(given.out, current, Trying.read(Path(scratch) / "trying"), f"the process ended with {code}")
            print(f"{current}: the process ended with {code}: {kept}", flush=True)


def _start(group: str, given: argparse.Namespace, done: set[str], scratch: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "faulthandler", __file__, "--child", group, *given.names]
    options = ["--seconds", given.seconds, "--seed", given.seed, "--out", given.out]
    environment = os.environ | {"CALQUE_FUZZ_DONE": ",".join(done), "CALQUE_FUZZ_SCRATCH": scratch, "TMPDIR": scratch}
    given.out.mkdir(parents=True, exist_ok=True)
    with open(given.out / f"{group}.log", "a") as log:  # panics, tracebacks of dying processes, a sanitizer's words
        return subprocess.Popen(
            [*command, *map(str, options)], stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        )


def _print(said: dict[str, object]) -> None:
    print(
        f"{said['target']}: {said['tried']:,} tried, {said['refused']:,} refused in {said['places']} ways", flush=True
    )
    for place, kept in dict(said["escaped"]).items():  # type: ignore[call-overload]
        print(f"  {place}: {kept}", flush=True)


def _chosen(group: str, names: list[str]) -> Iterator[tuple[str, object]]:
    for name, make in _targets(group).items():
        if not names or group in names or name in names:
            yield name, make


def _run_here(given: argparse.Namespace) -> None:
    from hunt import Trying, hunt, say

    group, *names = given.names
    scratch, done = Path(os.environ["CALQUE_FUZZ_SCRATCH"]), os.environ["CALQUE_FUZZ_DONE"].split(",")
    trying = Trying(scratch / "trying")
    for name, make in _chosen(group, names):
        if name not in done:
            say({"begins": name})
            folder = scratch / name
            folder.mkdir()
            say(hunt(name, make(folder), given.seconds, given.seed, trying, given.out))  # type: ignore[operator]


def _run_again(given: argparse.Namespace) -> None:
    (name,) = given.names
    (group,) = _groups([name])
    with tempfile.TemporaryDirectory(prefix="calque-fuzz-") as scratch:
        _targets(group)[name](Path(scratch)).attempt(given.again.read_bytes())  # type: ignore[operator]


if __name__ == "__main__":
    main()
