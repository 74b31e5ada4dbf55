"""Running code that is not ours, a user's model, selector or scorer, without hanging on it.

A Python thread cannot be killed: a function that ignores its deadline is left behind in a daemon
thread, and while four of them hang, no further one is started. A coroutine is cancelled; its thread
counts only when it does not end by that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from inspect import iscoroutine, iscoroutinefunction
from typing import Any

from selector.clock import Busy, Clock

MAX_LEFT_BEHIND = 4  # hanging threads in this process before further calls are refused
GRACE = 0.02  # seconds that a cancelled coroutine gets to clean up
LONG_GRACE = 10.0  # the same for its thread, before it counts as hanging

_left_behind: dict[threading.Thread, float] = {}  # thread -> from when on it counts
_lock = threading.Lock()


def call(function: Callable[..., Any], *args: Any, clock: Clock) -> Any:
    """What `function(*args)` returns, an awaitable run to its end.

    Raises what it raises, `Expired`, `Stopped` or `Busy`.
    """
    clock.check()
    worker = _Worker(lambda own: worker.awaited(function(*args), own), clock)
    worker.start()
    try:
        while not worker.done.wait(clock.tick()):
            clock.check()
    except BaseException:
        worker.leave()
        raise
    return worker.result()


async def acall(function: Callable[..., Any], *args: Any, clock: Clock) -> Any:
    """The asynchronous twin of `call`: a plain function runs in a thread, off the event loop."""
    clock.check()
    if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
        return await _finish(function(*args), clock)
    value = await _in_thread(_Worker(lambda _: function(*args), clock), clock)
    return await _finish(value, clock) if hasattr(value, "__await__") else value


async def awork(function: Callable[[Clock], Any], clock: Clock) -> Any:
    """What our own `function(clock)` returns, run in a thread; it looks at the clock itself."""
    try:
        return await _in_thread(_Worker(function, clock, ours=True), Clock())
    except Busy:  # the system has no more threads: late is better than never
        return function(clock)


class _Worker:
    """One function in a daemon thread: its result, or what it raised."""

    def __init__(
        self, function: Callable[[Clock], Any], clock: Clock, *, ours: bool = False
    ) -> None:
        self._function, self._ours = function, ours
        self._clock = clock.child()
        self._left = self._is_awaiting = False
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = threading.Event()
        self.on_done: Callable[[], object] = self.done.set
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._run,), name="memory-selector", daemon=True
        )

    def start(self) -> None:
        """Starts the thread; raises Busy when it may not."""
        now = time.monotonic()
        with _lock:
            for thread in [thread for thread in _left_behind if not thread.is_alive()]:
                del _left_behind[thread]
            hanging = sum(since <= now for since in _left_behind.values())
            if hanging >= MAX_LEFT_BEHIND and not self._ours:
                raise Busy
        try:
            self._thread.start()
        except RuntimeError as error:  # the system has no more threads
            raise Busy from error

    def _run(self) -> None:
        try:
            self._value = self._function(self._clock)
        except BaseException as error:  # noqa: BLE001  # handed over to the thread that waits
            self._error = error
        finally:
            if self._left:
                _drop(self._value)
            self.on_done()

    def awaited(self, value: Any, clock: Clock) -> Any:
        """`value`, or what it gives when it is awaitable, on an event loop of this thread."""
        if not hasattr(value, "__await__"):
            return value
        self._is_awaiting = True
        return _run(_finish(value, clock))

    def result(self) -> Any:
        """What the function returned; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._value

    def leave(self) -> None:
        """Stops waiting for the thread, which may go on for a while."""
        self._left = True
        self._clock.give_up()
        with _lock:
            if self._thread.is_alive() and not self.done.is_set() and not self._ours:
                grace = LONG_GRACE if self._is_awaiting else 0.0
                _left_behind[self._thread] = time.monotonic() + grace
        _drop(self._value)


def _drop(value: Any) -> None:
    """Closes a coroutine that nobody will await, so that Python does not warn of it."""
    if iscoroutine(value):
        value.close()


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, on an event loop of its own, whose end nothing holds up.

    asyncio's own threads, for looking up hosts and whatever a coroutine gives to a thread, are
    waited for when their loop ends, and again when the process does: seconds behind a deadline.
    """
    import asyncio  # costs as much as the rest of the package: only for asynchronous functions
    from concurrent.futures import Future, ThreadPoolExecutor

    class Daemons(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()

            def work() -> None:
                if future.set_running_or_notify_cancel():
                    try:
                        future.set_result(fn(*args, **kwargs))
                    except BaseException as error:  # noqa: BLE001  # handed over
                        future.set_exception(error)

            threading.Thread(target=work, name="memory-selector-io", daemon=True).start()
            return future

    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(Daemons())
        return runner.run(coroutine)


async def _finish(awaitable: Awaitable[Any], clock: Clock) -> Any:
    """What `awaitable` gives; it is cancelled when the clock or the caller's task says so."""
    import asyncio

    task = asyncio.ensure_future(awaitable)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=clock.tick())
            if not task.done():
                clock.check()
        return task.result()
    finally:
        task.add_done_callback(_look_at)
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)


def _look_at(task: Any) -> None:
    """Takes note of a late exception, so that asyncio does not report it as forgotten."""
    if not task.cancelled():
        task.exception()


async def _in_thread(worker: _Worker, clock: Clock) -> Any:
    import asyncio

    loop = asyncio.get_running_loop()
    woken = loop.create_future()

    def wake() -> None:
        worker.done.set()
        try:
            loop.call_soon_threadsafe(_set, woken)
        except RuntimeError:
            return  # the loop was closed meanwhile: nobody waits

    worker.on_done = wake
    worker.start()
    try:
        await _finish(woken, clock)
    except BaseException:
        worker.leave()
        raise
    return worker.result()


def _set(future: Any) -> None:
    if not future.done():
        future.set_result(None)
