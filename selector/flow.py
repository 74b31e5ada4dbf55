"""Runs a flow of steps, a generator, to its end: once synchronously, once on an event loop.

A flow yields what has to be done and is sent the result. So the order of things is written once,
and what blocks is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from selector.clock import Busy, Clock, Expired, Stopped
from selector.codes import Reason
from selector.errors import AnswerError, ModelError
from selector.fallback import as_model_error

T = TypeVar("T")


class Work(NamedTuple):
    """Our own work: it looks at the clock itself, and its bugs are not caught."""

    function: Callable[[Clock], Any]


class Ask(NamedTuple):
    """A call of a user's code: its exceptions come back into the flow as ModelError."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


Flow = Generator[Work | Ask, Any, T]


def run(flow: Flow[T], clock: Clock) -> T:
    """The result of `flow`. Its own work runs here, a user's code in a thread."""
    resume = partial(flow.send, None)
    while True:
        try:
            step = resume()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if isinstance(step, Work):
            resume = partial(flow.send, step.function(clock))
            continue
        from selector.calls import call  # threads: not where everything is ours

        try:
            resume = partial(flow.send, call(step.function, *step.args, clock=clock))
        except Exception as error:  # noqa: BLE001  # what a user's code raised
            resume = partial(flow.throw, _translated(error))


async def arun(flow: Flow[T], clock: Clock) -> T:
    """The asynchronous twin of `run`: nothing blocks the event loop."""
    from selector.calls import acall, awork

    resume = partial(flow.send, None)
    while True:
        try:
            step = resume()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if isinstance(step, Work):
            resume = partial(flow.send, await awork(step.function, clock))
            continue
        try:
            resume = partial(flow.send, await acall(step.function, *step.args, clock=clock))
        except Exception as error:  # noqa: BLE001  # what a user's code raised
            resume = partial(flow.throw, _translated(error))


def _translated(error: Exception) -> Exception:
    """What a flow is told about a call that did not return."""
    if isinstance(error, Stopped):
        return error
    if isinstance(error, Expired):
        return ModelError("no answer within the time limit", Reason.TIMEOUT)
    if isinstance(error, Busy):
        return ModelError("too many earlier calls still hang", Reason.BUSY)
    try:
        told = error if isinstance(error, AnswerError) else as_model_error(error)
        str(told), Reason(told.reason)
    except Exception:  # noqa: BLE001  # a user's exception without a message or a reason
        told = ModelError(type(error).__name__)
    if told is not error:
        told.__cause__ = error
    return told
