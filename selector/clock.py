"""The wall clock and the stop signal of one selection."""

from __future__ import annotations

import time

from selector.types import StopSignal

POLL = 0.01  # seconds between two looks at a stop signal: well inside the promised 50 ms
LATE = 0.03  # seconds of overtime: what has to be done behind a deadline gets no more
LONGEST = 3600.0  # seconds of one wait: systems refuse to count to infinity


class Expired(Exception):
    """The deadline came first. Never leaves the package."""


class Busy(Exception):
    """Too many earlier calls still hang. Never leaves the package."""


class Stopped(Exception):
    """The caller stopped the work. Never leaves the package."""


class Clock:
    """Counts from its making; `timeout` in seconds, None for no limit."""

    def __init__(self, timeout: float | None = None, cancel: StopSignal | None = None) -> None:
        self._start = time.monotonic()
        self._end = None if timeout is None else self._start + timeout
        self._cancel = cancel
        self._given_up = False

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def remaining(self) -> float | None:
        """Seconds left, not below 0; None for no limit."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def is_set(self) -> bool:
        """True once the caller has stopped the work, or stopped waiting for it."""
        if self._cancel is None or self._given_up:
            return self._given_up
        try:
            return bool(self._cancel.is_set())
        except Exception:  # noqa: BLE001  # a caller's signal that is broken stops nothing
            return False

    def is_over(self) -> bool:
        """True once the work should end: stopped, or out of time."""
        return self.is_set() or (self._end is not None and time.monotonic() >= self._end)

    def give_up(self) -> None:
        """Tells work in another thread that nobody waits for it any more."""
        self._given_up = True

    def child(self) -> Clock:
        """A clock for a part of the work: it ends with this one, and can be given up before."""
        return Clock(self.remaining(), self)

    def tick(self) -> float | None:
        """How long one wait may last, in seconds; None for as long as it takes."""
        left = self.remaining()
        if self._cancel is None:
            return None if left is None else min(left, LONGEST)
        return POLL if left is None else min(left, POLL)

    def check(self) -> None:
        """Raises `Stopped` or `Expired` when it is time."""
        if self.is_set():
            raise Stopped
        if self._end is not None and time.monotonic() >= self._end:
            raise Expired


class Overtime:
    """The stop signal of work that has to give something even when the deadline came before it.

    It is set `LATE` seconds after the deadline, or after its making when that is later.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._from = clock.elapsed()

    def is_set(self) -> bool:
        """True once the work should end with what it has."""
        left = self._clock.remaining()
        is_late = left == 0 and self._clock.elapsed() >= self._from + LATE
        return is_late or self._clock.is_set()
