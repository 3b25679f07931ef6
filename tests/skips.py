"""Skips that are allowed where everything is installed.

With `CALQUE_SKIPS=listed`, as .ci/run sets it, any other skip is a failure.
Elsewhere a test may skip for want of a package, a browser or the real data, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest


@dataclass(frozen=True)
class Allowed:
    test: str  # how the test's name begins
    reason: str  # a pattern for what it says
    because: str


ALLOWED = [
    Allowed("", "no real data at .*", "CI may run where the real bitext is not mounted"),
    Allowed("", "this machine has no (avx2|avx512)", "a processor can't be installed"),
    Allowed("tests/tasks/test_determinism.py", "this machine's own, compared above", "the test before compares it"),
    Allowed("tests/cli/test_completion.py", "(fish|zsh) is not installed", "bash, which is there, takes the same way"),
    Allowed("tests/corpus/download/", "root may write anywhere", "containers run as root"),
    Allowed("tests/evaluation/sets/", "root may read everything", "containers run as root"),
]


@dataclass
class Skips:
    """A pytest plugin that fails a run for skips that are not allowed, and lists them in the end."""

    allowed: Iterable[Allowed] = tuple(ALLOWED)
    found: dict[tuple[str, str], None] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.found:
            terminalreporter.section("skipped, but not allowed to", sep="=", red=True)
            for name, reason in self.found:
                terminalreporter.write_line(f"{name}: {reason}")
            terminalreporter.write_line(
                "\nhint: install what is missing, or list the skip in tests/skips.py and say why"
            )

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = _reason(report)
        if not any(report.nodeid.startswith(each.test) and re.fullmatch(each.reason, reason) for each in self.allowed):
            self.found[report.nodeid, reason] = None


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What a skip says, without its place."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")
