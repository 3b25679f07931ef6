"""Signals that ask a long task to stop."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from calque.tasks.interrupt import stop_on_signals


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_once_and_then_acts_as_before(number: signal.Signals) -> None:
    came: list[int] = []
    signal.signal(number, lambda number, frame: came.append(number))
    with stop_on_signals() as asked:
        assert not asked()
        os.kill(os.getpid(), number)
        assert asked()
        assert came == []
        os.kill(os.getpid(), number)
        assert came == [number]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_was_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    with stop_on_signals() as asked:
        os.kill(os.getpid(), number)
        assert not asked()
        assert signal.getsignal(number) is signal.SIG_IGN
    assert signal.getsignal(number) is signal.SIG_IGN
