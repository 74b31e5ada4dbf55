"""The clock: time left, when to look again, and who stopped the work."""

from __future__ import annotations

import threading
import time

import pytest

from selector.clock import LATE, LONGEST, POLL, Clock, Expired, Overtime, Stopped
from selector.testing import StopAfter


class Always:
    def is_set(self) -> bool:
        return True


def test_a_clock_without_limit_and_signal_never_ends() -> None:
    clock = Clock()
    assert clock.remaining() is None
    assert clock.tick() is None
    assert not clock.is_over()
    clock.check()


@pytest.mark.parametrize("timeout", [0, 0.0, -1.0, -1e300, float("-inf")])
def test_no_time_at_all(timeout: float) -> None:
    clock = Clock(timeout)
    assert clock.remaining() == 0
    assert clock.tick() == 0
    assert clock.is_over()
    assert not clock.is_set()
    with pytest.raises(Expired):
        clock.check()


@pytest.mark.parametrize("timeout", [100.0, 1e12, float("inf")])
@pytest.mark.parametrize("signal", [None, threading.Event()])
def test_no_wait_is_longer_than_a_system_can_count(
    timeout: float, signal: threading.Event | None
) -> None:
    tick = Clock(timeout, signal).tick()
    assert tick is not None
    assert 0 < tick <= (POLL if signal else LONGEST) <= threading.TIMEOUT_MAX


def test_a_stop_comes_before_the_end_of_the_time() -> None:
    with pytest.raises(Stopped):
        Clock(0.0, Always()).check()


def test_a_signal_is_looked_at_every_time() -> None:
    clock = Clock(None, StopAfter(2))
    assert [clock.is_set() for _ in range(4)] == [False, False, True, True]


def test_a_child_ends_with_its_parent() -> None:
    signal = threading.Event()
    parent = Clock(0.0, signal)
    child = parent.child()
    assert child.remaining() == 0
    signal.set()
    assert child.is_set()


def test_a_child_can_be_given_up_alone() -> None:
    parent = Clock(5.0)
    child = parent.child()
    child.give_up()
    assert child.is_set()
    assert child.is_over()
    assert not parent.is_set()


def test_a_child_looks_often_enough_to_see_that_it_is_given_up() -> None:
    assert Clock().child().tick() == POLL


def test_elapsed_counts_up() -> None:
    clock = Clock()
    first = clock.elapsed()
    assert 0 <= first <= clock.elapsed()


@pytest.mark.parametrize(
    ("timeout", "begun", "looked", "over"),
    [
        (1.0, 0.0, 0.9, False),
        (1.0, 0.0, 1.1, True),  # long at work when the deadline comes
        (1.0, 0.99, 1.01, False),  # just begun
        (1.0, 5.0, 5.0, False),  # begun behind the deadline
        (1.0, 5.0, 5.0 + 2 * LATE, True),
        (None, 0.0, 1e9, False),
    ],
)
def test_overtime_is_short_but_there_always_is_some(
    timeout: float | None,
    begun: float,
    looked: float,
    over: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock(timeout)
    now[0] = begun
    signal = Overtime(clock)
    now[0] = looked
    assert signal.is_set() is over


def test_overtime_ends_with_a_stop_at_once() -> None:
    assert Overtime(Clock(10.0, Always())).is_set()


def test_a_signal_that_is_broken_stops_nothing() -> None:
    class Broken:
        def is_set(self) -> bool:
            raise RuntimeError("no signal")

    assert not Clock(1.0, Broken()).is_set()
