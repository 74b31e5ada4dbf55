"""Calls of a user's code: values, errors, time limits, and threads that are left behind."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from selector.calls import MAX_LEFT_BEHIND, acall, awork, call
from selector.clock import Busy, Clock, Expired, Stopped

NAME: ContextVar[str] = ContextVar("NAME", default="nobody")


async def later(value: Any) -> Any:
    await asyncio.sleep(0.001)
    return value


class Callable_:
    def __call__(self, value: Any) -> Any:
        return value


class AsyncCallable:
    async def __call__(self, value: Any) -> Any:
        return await later(value)


class Promise:
    """An awaitable that is no coroutine."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return self.value


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "function": lambda value: value,
    "object": Callable_(),
    "partial": functools.partial(lambda _, value: value, "first"),
    "coroutine function": later,
    "asynchronous object": AsyncCallable(),
    "partial of a coroutine function": functools.partial(later),
    "function that returns a coroutine": lambda value: later(value),
    "function that returns an awaitable": Promise,
}


@pytest.fixture(params=["sync", "async"])
def invoke(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Calls a function with arguments and a clock in one of the two ways."""
    if request.param == "sync":
        return call
    return lambda *args, clock: asyncio.run(acall(*args, clock=clock))


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Ends the functions that hang, and waits until their threads are gone."""
    event = threading.Event()
    yield event
    event.set()
    for thread in left_behind():
        thread.join(10)


@pytest.fixture
def begun() -> threading.Event:
    """A stop signal that a function sets when it begins, so that it is left as soon as it hangs."""
    return threading.Event()


def hang(begun: threading.Event, release: threading.Event) -> None:
    begun.set()
    release.wait(30)


def left_behind() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "memory-selector"]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_any_callable_gives_its_value(
    invoke: Callable[..., Any], function: Callable[[Any], Any]
) -> None:
    assert invoke(function, "value", clock=Clock(10.0)) == "value"


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_without_a_limit_too(invoke: Callable[..., Any], function: Callable[[Any], Any]) -> None:
    assert invoke(function, "value", clock=Clock(None)) == "value"


@pytest.mark.parametrize("timeout", [1e12, float("inf")])
def test_a_limit_beyond_all_clocks(invoke: Callable[..., Any], timeout: float) -> None:
    assert invoke(threading.Event().wait, 0.01, clock=Clock(timeout)) is False


def test_a_function_that_takes_other_arguments(invoke: Callable[..., Any]) -> None:
    with pytest.raises(TypeError):
        invoke(later, "one", "too many", clock=Clock(10.0))


def test_an_exception_comes_back_itself(invoke: Callable[..., Any]) -> None:
    error = LookupError("x")

    def fail() -> None:
        raise error

    with pytest.raises(LookupError) as caught:
        invoke(fail, clock=Clock(10.0))
    assert caught.value is error


def test_the_context_of_the_caller_is_there(invoke: Callable[..., Any]) -> None:
    async def name() -> str:
        return NAME.get()

    token = NAME.set("maren")
    try:
        assert invoke(NAME.get, clock=Clock(10.0)) == "maren"
        assert invoke(name, clock=Clock(10.0)) == "maren"
        assert invoke(lambda: name(), clock=Clock(10.0)) == "maren"
    finally:
        NAME.reset(token)


def test_what_a_function_sets_in_its_context_stays_there(invoke: Callable[..., Any]) -> None:
    invoke(NAME.set, "ruben", clock=Clock(10.0))
    assert NAME.get() == "nobody"


@pytest.mark.parametrize(
    ("timeout", "stopped", "error"), [(0.0, False, Expired), (10.0, True, Stopped)]
)
def test_nothing_is_called_when_it_is_over_already(
    invoke: Callable[..., Any], timeout: float, stopped: bool, error: type[Exception]
) -> None:
    signal, calls = threading.Event(), list[str]()
    if stopped:
        signal.set()

    async def remember(text: str) -> None:
        calls.append(text)

    for function in (calls.append, remember):
        with pytest.raises(error):
            invoke(function, "called", clock=Clock(timeout, signal))
    assert calls == []


def test_a_function_that_hangs_is_left_behind(
    invoke: Callable[..., Any], begun: threading.Event, release: threading.Event
) -> None:
    with pytest.raises(Stopped):
        invoke(hang, begun, release, clock=Clock(10.0, begun))
    (thread,) = left_behind()
    assert thread.daemon


def test_a_function_that_hangs_is_left_at_the_deadline(
    invoke: Callable[..., Any], begun: threading.Event, release: threading.Event
) -> None:
    with pytest.raises(Expired):
        invoke(hang, begun, release, clock=Clock(0.02))


def test_while_four_hang_no_further_one_is_started(
    invoke: Callable[..., Any], release: threading.Event
) -> None:
    leave_four(release)
    with pytest.raises(Busy):
        invoke(lambda: "value", clock=Clock(10.0))
    assert len(left_behind()) == MAX_LEFT_BEHIND == 4
    release.set()
    for thread in left_behind():
        thread.join(10)
    assert invoke(lambda: "value", clock=Clock(10.0)) == "value"


def test_coroutines_that_end_a_little_late_make_nobody_busy() -> None:
    async def slow_to_end() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            time.sleep(0.5)  # blocks its own loop, as an import does

    for _ in range(MAX_LEFT_BEHIND + 2):
        with pytest.raises(Expired):
            call(slow_to_end, clock=Clock(0.02))


def test_our_own_work_goes_on_while_four_hang(release: threading.Event) -> None:
    leave_four(release)
    ours = asyncio.run(awork(lambda _: threading.get_ident(), Clock()))
    assert ours != threading.get_ident()


def leave_four(release: threading.Event) -> None:
    for _ in range(MAX_LEFT_BEHIND):
        begun = threading.Event()
        with pytest.raises(Stopped):
            call(hang, begun, release, clock=Clock(10.0, begun))


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("no_threads")
def test_a_system_without_threads_is_busy(invoke: Callable[..., Any]) -> None:
    with pytest.raises(Busy):
        invoke(lambda: "value", clock=Clock(10.0))


@pytest.mark.usefixtures("no_threads")
def test_our_own_work_is_done_without_threads_too() -> None:
    assert asyncio.run(awork(lambda _: "value", Clock())) == "value"


def test_plain_functions_run_off_the_event_loop() -> None:
    async def main() -> tuple[int, int]:
        return threading.get_ident(), await acall(threading.get_ident, clock=Clock(10.0))

    ours, theirs = asyncio.run(main())
    assert ours != theirs


def test_coroutines_run_on_the_callers_event_loop() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    async def main() -> bool:
        here = asyncio.get_running_loop()
        there = [await acall(one, clock=Clock(10.0)) for one in (loop, lambda: loop())]
        return there == [here, here]

    assert asyncio.run(main())


def test_a_coroutine_that_comes_too_late_is_closed(
    invoke: Callable[..., Any], begun: threading.Event, release: threading.Event
) -> None:
    """Else Python warns that it was never awaited, and a warning fails this test."""

    def late() -> Awaitable[str]:
        hang(begun, release)
        return later("value")

    with pytest.raises(Stopped):
        invoke(late, clock=Clock(10.0, begun))
    release.set()
    for thread in left_behind():
        thread.join(10)
    gc.collect()


def test_a_coroutine_that_comes_with_the_cancel_is_closed() -> None:
    """The function has returned, but the task that waits for it is cancelled before it wakes."""

    async def main() -> None:
        returned = threading.Event()

        def quick() -> Awaitable[str]:
            returned.set()
            return later("value")

        task = asyncio.create_task(acall(quick, clock=Clock(10.0)))
        await asyncio.sleep(0)
        returned.wait(10)
        time.sleep(0.02)  # the thread wakes the loop, which is kept from running by this
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    gc.collect()


def test_a_coroutine_is_cancelled_with_its_call(
    invoke: Callable[..., Any], begun: threading.Event
) -> None:
    ends = []

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.sleep(30)
        finally:
            ends.append("cleaned up")

    with pytest.raises(Stopped):
        invoke(wait, clock=Clock(10.0, begun))
    for thread in left_behind():
        thread.join(10)
    assert ends == ["cleaned up"]


def test_a_cancelled_coroutine_gets_a_moment_to_clean_up(begun: threading.Event) -> None:
    """Before its call returns, so that its caller may close what it uses."""
    ends = []

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.sleep(30)
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            ends.append("cleaned up")

    async def main() -> None:
        with pytest.raises(Stopped):
            await acall(wait, clock=Clock(10.0, begun))
        assert ends == ["cleaned up"]

    asyncio.run(main())


def test_the_moment_is_short_for_a_coroutine_that_goes_on(begun: threading.Event) -> None:
    async def main() -> None:
        end = asyncio.Event()

        async def deaf() -> None:
            begun.set()
            while not end.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await end.wait()

        call = asyncio.create_task(acall(deaf, clock=Clock(10.0, begun)))
        done, _ = await asyncio.wait({call}, timeout=10)
        end.set()
        assert done
        with pytest.raises(Stopped):
            await call
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_an_error_after_the_cancel_is_nobodys(
    invoke: Callable[..., Any], begun: threading.Event
) -> None:
    async def fail() -> None:
        begun.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise LookupError("while cleaning up") from None

    with pytest.raises(Stopped):
        invoke(fail, clock=Clock(10.0, begun))
    for thread in left_behind():
        thread.join(10)
    gc.collect()


def test_an_error_after_two_cancels_is_nobodys(caplog: pytest.LogCaptureFixture) -> None:
    """The second cancel ends the wait for the clean-up that the first one began."""

    async def main() -> None:
        begun, cleaning, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def fail() -> None:
            begun.set()
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                cleaning.set()
                await go_on.wait()
                raise LookupError("while cleaning up") from None

        task = asyncio.create_task(acall(fail, clock=Clock(10.0)))
        for event in (begun, cleaning):
            await event.wait()
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await asyncio.sleep(0.01)

    asyncio.run(main())
    gc.collect()
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []
