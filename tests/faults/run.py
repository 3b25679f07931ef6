"""The long run: `python tests/faults/run.py --seed 1`, or `make faults`; ends with 1 if one is wrong."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from campaign import Campaign, all_pairs, table
from disturbed import Bench
from kinds import FAULTS
from place import SmallDisk
from process import compile_shim
from works import LARGE, SMALL, works, write_inputs


def main() -> None:
    parser = argparse.ArgumentParser(description="Disturbs Calque's commands at random points and lets them go on.")
    parser.add_argument("--times", type=int, default=234, help="three of each work and fault unless given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", action="append", help="only this one, or these")
    parser.add_argument("--fault", action="append", choices=list(FAULTS), help="only this one, or these")
    parser.add_argument("--small", action="store_true", help="the sizes of the tests")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no disk stays mounted
    with tempfile.TemporaryDirectory(prefix="calque-faults-") as name:
        folder, size = Path(name), SMALL if options.small else LARGE
        write_inputs(folder / "inputs", size)
        bench = Bench(folder, folder / "inputs", compile_shim(folder / "read_errors.so"))
        known = works(folder / "inputs", size)
        faults = options.fault or list(FAULTS)
        if "disk full" in faults and not SmallDisk.is_possible(folder / "disk"):
            faults.remove("disk full")
            print("no disk can be mounted here (root may): the fault `disk full` is left out", file=sys.stderr)
        done = []
        pairs = all_pairs(options.work or list(known), faults, options.times, options.seed)
        for each in Campaign(bench, known, options.seed).run(pairs):
            done.append(each)
            how = "; ".join(each.outcome.problems) or ("struck" if each.outcome.struck else "over before")
            print(
                f"{len(done)}/{options.times} {each.work}, {each.fault}, {each.seed}: {how}",
                file=sys.stderr,
                flush=True,
            )
        print(table(done))
    sys.exit(any(each.outcome.problems for each in done))


if __name__ == "__main__":
    main()
