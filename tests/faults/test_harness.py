"""What finds faults must itself be able to: writers that are broken in one way each, and one that is not."""

from __future__ import annotations

import random
import resource
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from campaign import Disturbed, all_pairs, table
from disturbed import Bench, Outcome
from kinds import FAULTS, Fault
from place import Place, hashed
from process import Call, Conditions, failing_reads, measured, run
from works import Work

BEGIN = """
import glob, os, sys
disturbed = "DISTURBED" in os.environ
text = open(sys.argv[1], "rb").read()
half = text[: len(text) // 2]
"""
RIGHT = """
for left in glob.glob(".*.unfinished"):
    os.unlink(left)
with open(f".{os.getpid()}.unfinished", "wb") as file:
    file.write(half)
    file.flush()
    if disturbed:
        os.kill(os.getpid(), 9)
    file.write(text[len(half) :])
os.replace(file.name, "out")
"""
BROKEN = {
    "the result is neither the old nor the new one": """
with open("out", "wb") as file:
    file.write(half if disturbed else text)
if disturbed:
    os.kill(os.getpid(), 9)
""",
    "left": RIGHT.replace("os.unlink(left)", "pass"),
    "temporary files are left": """
open(os.environ["TMPDIR"] + "/scratch", "wb").close()
if disturbed:
    os.kill(os.getpid(), 9)
if "disturbed" not in os.environ["TMPDIR"]:
    os.unlink(os.environ["TMPDIR"] + "/scratch")
open("out", "wb").write(text)
""",
    "the inputs have changed": """
open("out", "wb").write(text)
if disturbed:
    open(sys.argv[1], "ab").write(b"more")
    os.kill(os.getpid(), 9)
""",
    "the end differs": """
with open("out.state", "ab") as file:
    file.write(half)
    if disturbed:
        file.close()
        os.kill(os.getpid(), 9)
    file.write(text[len(half) :])
os.replace("out.state", "out")
""",
    "it does not go on": """
if os.path.exists("begun"):
    sys.exit(1)
open("begun", "wb").close()
if disturbed:
    os.kill(os.getpid(), 9)
os.unlink("begun")
open("out", "wb").write(text)
""",
    "the cache differs": """
if disturbed:
    open(os.environ["HOME"] + "/cached", "wb").close()
    os.kill(os.getpid(), 9)
open("out", "wb").write(text)
""",
    "it said that all went well, and did not do it": "sys.exit(0) if disturbed else open('out', 'wb').write(text)",
    "it ended with 3": "sys.exit(3) if disturbed else open('out', 'wb').write(text)",
    "a traceback": "open('/nowhere/at/all') if disturbed else open('out', 'wb').write(text)",
    "the error does not say what happened": "sys.exit('error: no') if disturbed else open('out', 'wb').write(text)",
    "it had time to clear away": """
open(f".{disturbed}", "wb").close()
if disturbed:
    sys.exit("error: it is disturbed")
os.unlink(f".{disturbed}")
open("out", "wb").write(text)
""",
}
DISTURBANCE = Fault(
    "disturbance", lambda draw, around: Conditions({"DISTURBED": "1"}), (1, -signal.SIGKILL), "is disturbed"
)


@pytest.fixture
def bench(shim: Path, tmp_path: Path) -> Bench:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "text").write_text("what there is to write\n" * 100)
    return Bench(tmp_path, tmp_path / "inputs", shim)


def written_by(code: str, bench: Bench) -> Work:
    call = Call((str(bench.inputs / "text"),), program=(sys.executable, "-S", "-c", BEGIN + code))

    def result(folder: Path) -> dict[str, str]:
        return {"out": hashed((folder / "out").read_bytes())} if (folder / "out").exists() else {}

    return Work("write", call, (call,), result, call, before="out")


@pytest.mark.parametrize("with_old", [False, True])
def test_a_writer_that_is_right_passes(bench: Bench, with_old: bool) -> None:
    undisturbed = bench.undisturbed(written_by(RIGHT, bench), with_old)
    assert bench.disturb(undisturbed, DISTURBANCE, random.Random(1)) == Outcome(True, -signal.SIGKILL, ())


@pytest.mark.parametrize("problem", BROKEN)
def test_a_broken_writer_is_found(bench: Bench, problem: str) -> None:
    undisturbed = bench.undisturbed(written_by(BROKEN[problem], bench), with_old=False)
    found = bench.disturb(undisturbed, DISTURBANCE, random.Random(1)).problems
    assert any(problem in each for each in found), found


def test_half_a_file_among_what_is_kept_to_go_on_from_is_found(bench: Bench) -> None:
    halves = """
if disturbed:
    os.makedirs("state")
    open("state/saved", "wb").close()
    open("state/.half.unfinished", "wb").close()
    sys.exit("error: it is disturbed")
for left in glob.glob("state/*") + glob.glob("state/.*"):
    os.unlink(left)
if os.path.exists("state"):
    os.rmdir("state")
open("out", "wb").write(text)
"""
    work = replace(written_by(halves, bench), state=("state/",))
    (problem,) = bench.disturb(bench.undisturbed(work, with_old=False), DISTURBANCE, random.Random(1)).problems
    assert problem == "it had time to clear away, and left ['state/.half.unfinished']"


def test_a_limit_on_files_finds_a_writer_that_does_not_look(bench: Bench) -> None:
    deaf = "file = open('out', 'wb', 0)\ntry:\n    file.write(text)\nexcept OSError:\n    pass"
    undisturbed = bench.undisturbed(written_by(deaf, bench), with_old=True)
    outcome = bench.disturb(undisturbed, FAULTS["file too large"], random.Random(1))
    assert not outcome.struck
    assert "said that all went well" in outcome.problems[0]


def test_reads_fail_after_so_many_bytes_of_the_folders_that_are_named(bench: Bench) -> None:
    place, text = Place(bench.folder / "reading"), str(bench.inputs / "text")
    read = Call((text,), program=(sys.executable, "-S", "-c", "import sys; open(sys.argv[1], 'rb', 0).read()"))
    with place.made():
        needs = measured(written_by(RIGHT, bench).command, place, bench.shim, [bench.inputs])
        assert needs.bytes_read == needs.largest_file == Path(text).stat().st_size
        for after, code in ((0, 1), (needs.bytes_read - 1, 1), (needs.bytes_read + 1, 0)):
            ended = run(read, place, Conditions(failing_reads(bench.shim, [bench.inputs], after)))
            assert ended.code == code, ended.said
            assert ("Input/output error" in ended.said) == bool(code)
        elsewhere = run(read, place, Conditions(failing_reads(bench.shim, [place.out], 0)))
    assert elsewhere.code == 0


def test_a_limit_strikes_within_the_run_and_holds_for_the_command_alone(bench: Bench) -> None:
    undisturbed = bench.undisturbed(written_by(RIGHT, bench), with_old=False)
    outcome = bench.disturb(undisturbed, FAULTS["file too large"], random.Random(1))
    assert outcome.struck
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY  # of this process


def test_each_work_meets_each_fault_equally_often() -> None:
    pairs = all_pairs(["a", "b", "c"], ["x", "y"], 12, seed=1)
    assert sorted(pairs) == sorted([(work, fault) for work in "abc" for fault in "xy"] * 2)


def test_the_table_says_what_struck_and_what_was_wrong() -> None:
    done = [
        Disturbed("mine", "kill -9", "1-0", Outcome(True, -9, ())),
        Disturbed("mine", "kill -9", "1-1", Outcome(False, 0, ())),
        Disturbed("mine", "read error", "1-2", Outcome(True, 70, ("it ended with 70",))),
    ]
    assert table(done) == (
        "| | kill -9 | read error |\n|---|---|---|\n| mine | 1 of 2 (-9) | 1 of 1 (70) |\n\n"
        "3 runs, 2 struck, 1 over before; 1 with problems.\n"
    )
