"""Commands that are disturbed at random points lose nothing, and end with the bytes that they would have had.

A dozen runs, with a little work each; `make faults` makes hundreds, of more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign import Campaign
from disturbed import Bench
from kinds import FAULTS
from place import SmallDisk
from works import SMALL, works, write_inputs

RUNS = [
    ("train", "kill -9"),
    ("train, large", "file too large"),
    ("train, large", "read error"),
    ("encode", "SIGTERM"),
    ("mine", "kill -9"),
    ("index", "disk full"),
    ("index with clusters", "out of memory"),
    ("index, adding", "file too large"),
    ("filter", "read error"),
    ("dedup", "disk full"),
    ("clean", "file too large"),
    ("convert", "out of memory"),
]

OF_TIME = {"kill -9", "SIGTERM"}  # these may come when all is over


@pytest.fixture(scope="module")
def campaign(shim: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    folder = tmp_path_factory.mktemp("faults")
    write_inputs(folder / "inputs", SMALL)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # others' threads wait by spinning
            patch.setenv(name, "1")
        yield Campaign(Bench(folder, folder / "inputs", shim), works(folder / "inputs", SMALL), seed=1)


@pytest.mark.parametrize(("work", "fault"), RUNS)
def test_a_disturbed_command_goes_on_as_if_nothing_had_been(campaign: Campaign, work: str, fault: str) -> None:
    if fault == "disk full" and not SmallDisk.is_possible(campaign.bench.folder / "disk"):
        fault = "file too large"  # only root may mount a small disk; this comes nearest
    outcomes = []
    for seed in range(1, 6):  # memory and room are freed on the way, so one that is drawn may suffice
        outcomes.append(campaign.disturb(work, fault, str(seed)).outcome)
        assert outcomes[-1].problems == ()
        if outcomes[-1].struck or fault in OF_TIME:
            break
    assert outcomes[-1].struck or fault in OF_TIME


def test_every_fault_and_all_work_that_is_not_the_same_from_a_pipe_is_among_the_runs(campaign: Campaign) -> None:
    assert set(campaign.works) - {work for work, _ in RUNS} == {"train from a pipe", "filter from a pipe"}
    assert {fault for _, fault in RUNS} == set(FAULTS)
