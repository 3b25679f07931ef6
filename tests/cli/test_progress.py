"""Progress: share, time left and rate in the width there is; nothing in a pipe, for short work, or with -q."""

from __future__ import annotations

import os
import pty
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import on_a_terminal, read_all

from calque.cli import progress
from calque.cli.progress import Progress, amount, bar, duration, fitted
from calque.model import Model

PARTS = ["reading", " 42%", "0:02 left", "184,211 pairs/s", "210,000 pairs"]


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_PERIOD", 0.01)
    monkeypatch.setattr(progress, "_KNOWN_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")


@contextmanager
def terminal_as_stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """What is yielded gives all that the terminal got, once it has been closed."""
    ours, theirs = pty.openpty()
    with open(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        yield lambda: (terminal.close(), read_all(ours))[1]


def drawn(monkeypatch: pytest.MonkeyPatch, work: Callable[[Progress], None]) -> str:
    with terminal_as_stderr(monkeypatch) as seen:
        with Progress() as shown:
            work(shown)
        return seen()


@pytest.mark.parametrize("width", range(1, 120))
def test_a_line_is_never_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for share in (None, 0.0, 0.42, 1.0):
        assert len(fitted(PARTS, width, share)) <= width


def test_what_matters_most_stays_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert fitted(PARTS, 37, 0.5) == "reading  ━━━━━──────   42%  0:02 left"
    assert fitted(PARTS, 77, 0.5).endswith("  0:02 left  184,211 pairs/s  210,000 pairs")


def test_a_bar_is_as_long_as_the_share_with_or_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert bar(0.5, 8) == "\x1b[36m━━━━\x1b[0m────"
    monkeypatch.setenv("NO_COLOR", "1")
    assert (bar(0, 8), bar(0.5, 8), bar(1, 8)) == ("─" * 8, "━━━━────", "━" * 8)


def test_a_terminal_that_knows_only_ascii_gets_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with open(tmp_path / "out", "w", encoding="ascii") as plain:
        monkeypatch.setattr(sys, "stderr", plain)
        assert bar(0.5, 8) == "####----"


def test_share_rate_and_time_left_are_shown_and_cleared(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(shown: Progress) -> None:
        shown.stage("counting", "pairs", total=1000)
        for count in range(0, 600, 100):
            shown.at(count)
            time.sleep(0.05)

    seen = drawn(monkeypatch, work)
    assert re.search(r"\r\x1b\[Kcounting  ━+─+   [1-5]0%  0:00 left  [\d,]+ pairs/s  [1-5]00 pairs", seen)
    assert seen.endswith("\r\x1b[K")


def test_without_a_total_there_is_a_count_and_a_rate(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(shown: Progress) -> None:
        shown.reading(["-"], "lines")
        for count in range(0, 600, 100):
            shown.at(count)
            time.sleep(0.05)

    seen = drawn(monkeypatch, work)
    assert re.search(r"\r\x1b\[Kreading  [\d,]+ lines/s  [1-5]00 lines\r", seen)
    assert "%" not in seen


def test_files_tell_how_far_it_is_and_what_follows(
    no_patience: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from calque.corpus import read_lines

    path = tmp_path / "text.txt"
    path.write_text("a line of text\n" * 700_000)

    def work(shown: Progress) -> None:
        shown.reading([path], "lines", then="thinking")
        for count, _ in enumerate(read_lines(path), start=1):
            if count % 100_000 == 0:
                shown.at(count)
                time.sleep(0.05)
        time.sleep(0.1)

    seen = drawn(monkeypatch, work)
    assert re.search(r"reading  ━*─+ +\d\d%", seen)
    assert "\r\x1b[Kthinking  0:00" in seen


def test_an_error_stands_on_a_line_of_its_own(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(shown: Progress) -> None:
        shown.stage("counting", total=10)
        time.sleep(0.1)
        raise KeyboardInterrupt

    with terminal_as_stderr(monkeypatch) as seen:
        with pytest.raises(KeyboardInterrupt), Progress() as shown:
            work(shown)
        assert seen().endswith("\r\x1b[K")


def test_lines_to_keep_stay_above(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(shown: Progress) -> None:
        shown.stage("counting", total=10)
        time.sleep(0.05)
        shown.keep("epoch 1")
        time.sleep(0.05)

    assert re.search(r"counting[^\r]*\r\x1b\[Kepoch 1\r\n\r\x1b\[Kcounting", drawn(monkeypatch, work))


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    monkeypatch.setattr(progress, "_PERIOD", 0.01)

    def work(shown: Progress) -> None:
        shown.stage("counting", total=10)
        time.sleep(0.1)

    assert drawn(monkeypatch, work) == ""


def test_a_dumb_terminal_gets_lines_to_keep_only(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    def work(shown: Progress) -> None:
        shown.stage("counting", total=10)
        time.sleep(0.05)
        shown.keep("done")

    assert drawn(monkeypatch, work) == "done\r\n"


def test_in_a_pipe_only_lines_to_keep_are_written(no_patience: None, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as shown:
        shown.stage("passing", total=10)
        time.sleep(0.05)
        shown.keep("lasting")
    assert capsys.readouterr().err == "lasting\n"


def test_no_line_is_drawn_among_data(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal_as_stderr(monkeypatch) as seen:
        monkeypatch.setattr(sys, "stdout", sys.stderr)
        assert not Progress(beside_data=True).on_terminal
        assert Progress().on_terminal
        assert seen() == ""


def test_quiet_draws_nothing_on_a_terminal(small_model: Model, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("A dog runs.\n" * 300_000)
    arguments = ["encode", "-m", str(small_model.path), str(text), "-o", str(tmp_path / "vectors.npy")]
    assert on_a_terminal([*arguments, "-q"]) == (0, "", "")


@pytest.mark.parametrize(
    ("seconds", "written"), [(0, "0:00"), (75, "1:15"), (3599.6, "1:00:00"), (7384, "2:03:04"), (90_000, "25:00:00")]
)
def test_durations_read_like_a_clock(seconds: float, written: str) -> None:
    assert duration(seconds) == written


def test_bytes_have_units_of_their_own() -> None:
    assert (amount(1234567, "pairs"), amount(2_500_000, "B")) == ("1,234,567 pairs", "2.5 MB")


def test_a_terminal_s_size_is_asked_for_anew(no_patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(shown: Progress) -> None:
        shown.stage("counting", "pairs", total=1000)
        shown.at(500)
        time.sleep(0.1)
        os.environ["COLUMNS"] = "30"
        time.sleep(0.1)

    widths = [len(line) for line in drawn(monkeypatch, work).split("\r\x1b[K")]
    assert max(widths) > 30
    assert 0 < widths[-2] <= 30
