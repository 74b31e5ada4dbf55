"""Flows: the same steps, run synchronously and on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from selector.clock import Clock, Stopped
from selector.codes import Reason
from selector.errors import AnswerError, ModelError
from selector.flow import Ask, Flow, Work, arun, run


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Hollow(ModelError):
    def __init__(self) -> None: ...


@pytest.fixture(params=["sync", "async"])
def drive(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Runs a flow to its end in one of the two ways."""
    if request.param == "sync":
        return lambda flow, clock=None: run(flow, clock or Clock(5.0))
    return lambda flow, clock=None: asyncio.run(arun(flow, clock or Clock(5.0)))


def raising(error: BaseException) -> Callable[..., Any]:
    def function(*_: object) -> None:
        raise error

    return function


def asking(function: Callable[..., Any]) -> Flow[Any]:
    """A flow of one call: what it gave, or the error that the flow was told."""
    try:
        return (yield Ask(function, ("a", "b")))
    except (ModelError, AnswerError) as error:
        return error


def test_every_step_is_sent_the_result_of_the_one_before(drive: Callable[..., Any]) -> None:
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text + "3"

    def flow() -> Flow[str]:
        one = yield Work(lambda _: "1")
        two = yield Ask(lambda text: text + "2", (one,))
        three = yield Ask(later, (two,))
        four = yield Work(lambda _: "4")
        return f"{three}{four}"

    assert drive(flow()) == "1234"


def test_work_is_given_a_clock_with_the_time_left(drive: Callable[..., Any]) -> None:
    def flow() -> Flow[Any]:
        return (yield Work(lambda clock: clock.remaining()))

    assert 4.0 < drive(flow(), Clock(5.0)) <= 5.0


@pytest.mark.parametrize(
    ("error", "reason", "message"),
    [
        (ValueError("x"), Reason.MODEL_FAILED, "ValueError: x"),
        (TimeoutError("slow"), Reason.TIMEOUT, "slow"),
        (ConnectionResetError("gone"), Reason.CONNECTION, "gone"),
        (ModelError("429", Reason.RATE_LIMITED), Reason.RATE_LIMITED, "429"),
        (AnswerError("odd", Reason.INVALID_JSON), Reason.INVALID_JSON, "odd"),
        (StopIteration("over"), Reason.MODEL_FAILED, "StopIteration"),
        (StopAsyncIteration("over"), Reason.MODEL_FAILED, "StopAsyncIteration"),
        (ExceptionGroup("many", [OSError()]), Reason.MODEL_FAILED, "many"),
        (Unprintable(), Reason.MODEL_FAILED, "Unprintable"),
        (Hollow(), Reason.MODEL_FAILED, "Hollow"),
    ],
)
def test_what_a_call_raises_is_told_to_the_flow(
    drive: Callable[..., Any], error: Exception, reason: Reason, message: str
) -> None:
    told = drive(asking(raising(error)))
    assert (told.reason, message in str(told)) == (reason, True)


def test_the_cause_of_a_failure_is_kept(drive: Callable[..., Any]) -> None:
    error = ValueError("x")
    assert drive(asking(raising(error))).__cause__ is error


def test_a_deadline_is_told_as_a_timeout(drive: Callable[..., Any]) -> None:
    assert drive(asking(lambda *_: "never asked"), Clock(0.0)).reason is Reason.TIMEOUT


def test_a_stop_can_be_caught_by_the_flow(drive: Callable[..., Any]) -> None:
    class Set:
        def is_set(self) -> bool:
            return True

    def flow() -> Flow[str]:
        try:
            yield Ask(lambda: "never asked", ())
        except Stopped:
            return "stopped"
        return "asked"

    assert drive(flow(), Clock(5.0, Set())) == "stopped"


def test_our_own_bugs_stay_loud(drive: Callable[..., Any]) -> None:
    def flow() -> Flow[None]:
        try:
            yield Work(raising(ZeroDivisionError()))
        except ZeroDivisionError:
            pytest.fail("the flow was told of a bug")

    with pytest.raises(ZeroDivisionError):
        drive(flow())


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_program_is_no_error(
    drive: Callable[..., Any], kind: type[BaseException]
) -> None:
    with pytest.raises(kind):
        drive(asking(raising(kind())))
