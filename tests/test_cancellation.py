"""Cancels, stops and deadlines: none is swallowed, and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from selector.codes import Outcome, Reason, Warn
from selector.store import MemoryStore
from selector.testing import AsyncScriptedModel, FixedScorer, ScriptedModel, StopAfter, answer
from selector.types import MemoryHeader, Prompt, Selection, SelectOptions

POOL = "What is the limit of the Postgres connection pool?"
DESCRIPTION = "---\ndescription: The Postgres connection pool has a limit of {}\n---\n"
GRACE = 10.0  # seconds: catches what hangs, measures nothing
NAME: ContextVar[str] = ContextVar("NAME", default="nobody")

ASYNC_ROUNDS, SYNC_ROUNDS = 2_400, 650
FILES = 6
SEEDS = [int(os.environ.get("MEMSEL_TEST_SEED") or random.randrange(2**32))]


def folder_of(root: Path, count: int) -> Path:
    root.mkdir()
    for i in range(count):
        (root / f"note_{i:04}.md").write_text(DESCRIPTION.format(i))
    return root


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "notes", FILES)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("many") / "notes", 5_000)


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(store: MemoryStore, mode: str, **options: Any) -> Selection:
    if mode == "sync":
        return store.find_relevant(POOL, **options)
    return asyncio.run(store.afind_relevant(POOL, **options))


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "memory-selector"}


def descriptors() -> int:
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def until(condition: Callable[[], bool]) -> bool:
    """True as soon as the condition holds; False when it has not for a long time."""
    end = time.monotonic() + GRACE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


@pytest.fixture(autouse=True)
def _nothing_is_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """After every test: no thread, no descriptor, no record; pytest sees to the warnings."""
    caplog.set_level(logging.INFO)
    opened = descriptors()
    yield
    assert until(lambda: not threads())
    gc.collect()
    assert descriptors() <= opened
    assert caplog.records == []


# Models, by how they take their time. `end` says that the round is over.


class Model:
    """Answers after `delay` seconds."""

    blocks = False  # cannot be cancelled: a plain function

    def __init__(self, delay: float, end: threading.Event) -> None:
        self.delay, self.end, self.calls = delay, end, 0

    def __call__(self, prompt: Prompt) -> Any:
        self.calls += 1
        return self.answer(prompt)

    def answer(self, prompt: Prompt) -> Any:
        raise NotImplementedError


class Plain(Model):
    blocks = True

    def answer(self, prompt: Prompt) -> str:  # noqa: ARG002
        self.end.wait(self.delay)
        return answer("note_0001.md")


class Coroutine(Model):
    async def answer(self, prompt: Prompt) -> str:  # noqa: ARG002
        await asyncio.sleep(self.delay)
        return answer("note_0001.md")


class Deaf(Coroutine):
    """Ignores that it is cancelled, as a client with a bare `except:` does."""

    async def answer(self, prompt: Prompt) -> str:  # noqa: ARG002
        end = time.monotonic() + self.delay
        while time.monotonic() < end and not self.end.is_set():
            try:
                await asyncio.sleep(0.003)
            except asyncio.CancelledError:
                continue
        return answer("note_0001.md")


class Tidy(Coroutine):
    """Cleans up when it is cancelled, and fails at that."""

    async def answer(self, prompt: Prompt) -> str:
        try:
            return await super().answer(prompt)
        except asyncio.CancelledError:
            await asyncio.sleep(0.002)
            raise LookupError("while cleaning up") from None


MODELS = (Plain, Coroutine, Coroutine, Deaf, Tidy)
KINDS = ("cancel", "stop", "deadline", "error", "both", "nothing")


class Failing(Model):
    async def answer(self, prompt: Prompt) -> str:  # noqa: ARG002
        await asyncio.sleep(self.delay)
        raise ConnectionResetError("gone")


class Round(NamedTuple):
    """What happens in one round, and when: from its number and the seed."""

    kind: str
    model: Model
    moment: float  # seconds until the cancel, stop or deadline
    from_call: bool  # counted from the call of the model, not from the start
    hangs: bool  # the model takes longer than any round
    end: threading.Event


def round_of(seed: int, number: int, kinds: Sequence[str]) -> Round:
    dice = random.Random(f"{seed}-{number}")
    kind, end = dice.choice(kinds), threading.Event()
    hangs = kind not in ("nothing", "error") and dice.random() < 0.6
    delay = 30.0 if hangs else dice.choice((0.0, dice.uniform(0.0, 0.01)))
    made = Failing if kind == "error" else dice.choice(MODELS)
    moment = dice.uniform(0.0, 0.05 if kind == "deadline" else 0.012)
    return Round(kind, made(delay, end), moment, dice.random() < 0.6, hangs, end)


def judge(round_: Round, selection: Selection, *, stopped: bool) -> None:
    """What a round without a cancel of its task may end in."""
    outcome, reason = selection.outcome, selection.reason
    if stopped:
        assert (outcome, reason, len(selection)) == (Outcome.CANCELLED, None, 0)
    elif outcome is Outcome.FELL_BACK:
        # Threads that have just been left may still count as hanging.
        wanted = {"deadline": Reason.TIMEOUT, "error": Reason.CONNECTION}.get(round_.kind)
        assert reason in (wanted, Reason.BUSY)
        assert reason is not Reason.BUSY or round_.model.blocks
        assert len(selection) == 5 or selection.warnings == (Warn.SCAN_INCOMPLETE,)
    else:
        assert (outcome, reason) == (Outcome.SELECTED, None)
        assert [header.name for header in selection] == ["note_0001.md"]
        assert round_.kind != "error"
        assert not round_.hangs


def as_function(model: Model) -> Callable[[Prompt], Awaitable[str]]:
    async def function(prompt: Prompt) -> str:
        return str(await model(prompt))

    return function


async def one_async(store: Callable[[Any], MemoryStore], round_: Round) -> None:
    stop = threading.Event()
    timeout = round_.moment if round_.kind == "deadline" else 60.0
    task = asyncio.create_task(
        store(round_.model).afind_relevant(POOL, timeout=timeout, cancel=stop)
    )
    cancelled = stopped = False
    if round_.kind in ("cancel", "stop", "both"):
        while round_.from_call and not round_.model.calls and not task.done():
            await asyncio.sleep(0.001)
        await asyncio.sleep(round_.moment)
        if round_.kind != "cancel" and not task.done():
            stop.set()
            stopped = True
            await asyncio.sleep(0)
        if round_.kind != "stop":
            cancelled = task.cancel()
    await asyncio.wait({task}, timeout=GRACE)
    round_.end.set()
    assert task.done()
    assert task.cancelled() is cancelled
    assert task.cancelling() == cancelled
    if not cancelled:
        judge(round_, task.result(), stopped=stopped)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_moments_on_an_event_loop(notes: Path, seed: int) -> None:
    """Rounds run side by side, ten at a time. MEMSEL_TEST_SEED repeats the rounds of a seed."""
    complaints: list[dict[str, Any]] = []
    # A coroutine function is called on the loop, an object that returns a coroutine in a thread.
    stores: tuple[Callable[[Any], MemoryStore], ...] = (
        lambda model: MemoryStore(notes, model=model),
        lambda model: MemoryStore(notes, model=model if model.blocks else as_function(model)),
    )

    async def numbered(number: int) -> None:
        round_ = round_of(seed, number, KINDS)
        try:
            await one_async(stores[number % 2], round_)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, round {number}: {round_}") from error

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        for first in range(0, ASYNC_ROUNDS, 10):
            await asyncio.gather(*map(numbered, range(first, first + 10)))
        end = time.monotonic() + GRACE
        while len(asyncio.all_tasks()) > 1 and time.monotonic() < end:
            await asyncio.sleep(0.001)  # those that ignore a cancel have been told to end
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert complaints == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_moments_in_plain_code(notes: Path, seed: int) -> None:
    for number in range(SYNC_ROUNDS):
        round_ = round_of(
            seed, number, ("stop", "stop", "deadline", "deadline", "error", "nothing")
        )
        try:
            one_sync(MemoryStore(notes, model=round_.model), round_)
            assert until(lambda: len(threads()) < 4)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, round {number}: {round_}") from error


def one_sync(store: MemoryStore, round_: Round) -> None:
    stop = threading.Event()
    timer = threading.Timer(round_.moment, stop.set)
    if round_.kind == "stop":
        timer.start()
    timeout = round_.moment if round_.kind == "deadline" else 60.0
    selection = store.find_relevant(POOL, timeout=timeout, cancel=stop)
    stopped = selection.outcome is Outcome.CANCELLED
    assert stop.is_set() or not stopped
    assert stopped or not (round_.kind == "stop" and round_.hangs)
    round_.end.set()
    timer.cancel()
    judge(round_, selection, stopped=stopped)


# Stops


def test_a_stop_before_the_start_calls_nobody(tmp_path: Path, mode: str) -> None:
    stop, model, scorer = threading.Event(), ScriptedModel(answer()), FixedScorer({})
    stop.set()
    store = MemoryStore(tmp_path / "not even looked for", model=model, scorer=scorer)
    selection = ask(store, mode, cancel=stop)
    assert (selection.outcome, selection.problems) == (Outcome.CANCELLED, ())
    assert (model.prompts, scorer.queries) == ([], [])


@pytest.mark.parametrize("looks", [1, 2, 3, 100, 2_000, 4_999, 5_000, 5_001, 5_002, 5_010])
def test_a_stop_at_any_file_of_a_scan(many: Path, mode: str, looks: int) -> None:
    """Every file is a look at the signal; a few more looks stand before and behind the scan."""
    model = ScriptedModel(answer("note_0001.md"))
    selection = ask(MemoryStore(many, model=model), mode, cancel=StopAfter(looks))
    assert (selection.outcome, selection.problems, model.prompts) == (Outcome.CANCELLED, (), [])


def test_a_stop_at_any_step(notes: Path, mode: str) -> None:
    """Stopped or finished, never something between."""
    outcomes = set()
    for looks in range(60):
        model = ScriptedModel(answer("note_0001.md"))
        store = MemoryStore(notes, model=model, scorer=FixedScorer({"note_0001.md": 1.0}))
        selection = ask(store, mode, cancel=StopAfter(looks))
        outcomes.add(selection.outcome)
        assert len(selection) == (selection.outcome is Outcome.SELECTED)
        assert selection.warnings == ()
        if looks < FILES:
            assert (selection.outcome, model.prompts) == (Outcome.CANCELLED, [])
    assert outcomes == {Outcome.CANCELLED, Outcome.SELECTED}


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Ends what hangs."""
    event = threading.Event()
    yield event
    event.set()


class Waiting:
    """A scorer, selector and model that waits until it is released, and says that it waits."""

    def __init__(self, release: threading.Event) -> None:
        self.release, self.begun, self.calls = release, threading.Event(), 0
        self.ended = False

    def score(self, query: str, headers: Sequence[MemoryHeader], options: SelectOptions) -> Any:  # noqa: ARG002
        return self.wait([1.0] * len(headers))

    def select(self, query: str, candidates: Any, options: SelectOptions) -> Any:  # noqa: ARG002
        return self.wait(Selection(Outcome.NONE_RELEVANT))

    def __call__(self, prompt: Prompt) -> Any:  # noqa: ARG002
        return self.wait(answer("note_0001.md"))

    def wait(self, value: Any) -> Any:
        self.calls += 1
        self.begun.set()
        self.release.wait(30)
        self.ended = True
        return value


class WaitingLater(Waiting):
    def wait(self, value: Any) -> Any:
        return self.later(value)

    async def later(self, value: Any) -> Any:
        self.calls += 1
        self.begun.set()
        await asyncio.sleep(30)
        self.ended = True
        return value


def leave(
    notes: Path, mode: str, waiting: Waiting, count: int = 1, part: str = "model"
) -> Selection:
    """The last selection of those that leave `count` calls behind, each at its deadline.

    On a busy machine a deadline may come before the call: then the next one is later.
    """
    parts: dict[str, Any] = {part: waiting}
    store = MemoryStore(notes, **parts)
    timeout = 0.05
    while True:
        selection = ask(store, mode, timeout=timeout)
        assert not waiting.ended
        assert Reason.TIMEOUT is selection.reason or part == "scorer"
        if waiting.calls == count:
            return selection
        timeout *= 1 if waiting.begun.is_set() else 2


def _set_after(begun: threading.Event, stop: threading.Event) -> None:
    begun.wait(GRACE)
    stop.set()


@pytest.mark.parametrize("kind", [Waiting, WaitingLater])
@pytest.mark.parametrize("part", ["scorer", "selector", "model"])
def test_a_stop_while_a_part_of_the_users_waits(
    notes: Path, mode: str, part: str, kind: Any, release: threading.Event
) -> None:
    stop, waiting = threading.Event(), kind(release)
    stopper = threading.Thread(target=_set_after, args=(waiting.begun, stop))
    stopper.start()
    store = MemoryStore(notes, **{part: waiting})
    selection = ask(store, mode, cancel=stop, timeout=None)
    assert not waiting.ended
    stopper.join()
    assert (selection.outcome, selection.reason, len(selection)) == (Outcome.CANCELLED, None, 0)


@pytest.mark.parametrize("kind", [Waiting, WaitingLater])
@pytest.mark.parametrize("part", ["scorer", "selector", "model"])
def test_a_deadline_while_a_part_of_the_users_waits(
    notes: Path, mode: str, part: str, kind: Any, release: threading.Event
) -> None:
    selection = leave(notes, mode, kind(release), part=part)
    assert len(selection) == 5
    if part == "scorer":
        assert (selection.outcome, selection.warnings) == (Outcome.SELECTED, (Warn.SCORER_FAILED,))
    else:
        assert (selection.outcome, selection.reason) == (Outcome.FELL_BACK, Reason.TIMEOUT)


def test_any_object_with_is_set_can_stop(notes: Path) -> None:
    async def main() -> Selection:
        stop = asyncio.Event()
        stop.set()
        return await MemoryStore(notes).afind_relevant(POOL, cancel=stop)

    assert asyncio.run(main()).outcome is Outcome.CANCELLED


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
def test_a_stop_with_the_answer_is_a_stop(notes: Path, mode: str, kind: Any) -> None:
    stop = threading.Event()

    def last_moment(_: Prompt) -> str:
        stop.set()
        return answer("note_0001.md")

    selection = ask(MemoryStore(notes, model=kind(last_moment)), mode, cancel=stop)
    assert (selection.outcome, len(selection)) == (Outcome.CANCELLED, 0)


# Cancels


@pytest.mark.parametrize("part", ["scorer", "selector", "model"])
@pytest.mark.parametrize("kind", [Waiting, WaitingLater])
def test_a_cancel_while_a_part_of_the_users_waits(
    notes: Path, part: str, kind: Any, release: threading.Event
) -> None:
    waiting = kind(release)

    async def main() -> None:
        store = MemoryStore(notes, **{part: waiting})
        task = asyncio.create_task(store.afind_relevant(POOL))
        while not waiting.begun.is_set():
            await asyncio.sleep(0.001)
        assert task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert not waiting.ended
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


@pytest.mark.parametrize("part", range(10))
def test_a_cancel_while_a_folder_is_scanned(many: Path, part: int) -> None:
    """The thread that scans ends too; the fixture of this file waits for it."""

    async def main() -> bool:
        model = ScriptedModel(answer("note_0001.md"))
        task = asyncio.create_task(MemoryStore(many, model=model).afind_relevant(POOL))
        await asyncio.sleep(part * 0.004)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return model.prompts == []

    assert asyncio.run(main())


def test_a_cancelled_scan_does_not_go_on(many: Path) -> None:
    """Its thread gives up at the next file, not at the end of the folder."""
    store = MemoryStore(many)

    async def main() -> None:
        task = asyncio.create_task(store.afind_relevant(POOL))
        while not threads():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert until(lambda: not threads())
    assert len(store._listed) < 5_000


def test_two_cancels_are_still_a_cancel(notes: Path) -> None:
    """The second comes while the model, which ignores the first, gets its moment to clean up."""

    async def main() -> None:
        begun, end = asyncio.Event(), threading.Event()

        async def deaf(prompt: Prompt) -> Any:
            begun.set()
            return await Deaf(30.0, end).answer(prompt)

        task = asyncio.create_task(MemoryStore(notes, model=deaf).afind_relevant(POOL))
        await begun.wait()
        assert task.cancel()
        await asyncio.sleep(0.001)
        again = task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelling() == 1 + again
        end.set()
        await asyncio.sleep(0.05)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_timeout_of_the_callers(notes: Path) -> None:
    async def main() -> int:
        model = AsyncScriptedModel(lambda _: asyncio.sleep(30))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await MemoryStore(notes, model=model).afind_relevant(POOL, timeout=None)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(main()) == 0


def test_a_task_group_of_the_callers(notes: Path) -> None:
    """A task that fails cancels its siblings: they must end, and only that failure be told."""

    async def fail() -> None:
        await asyncio.sleep(0.02)
        raise LookupError

    async def main() -> None:
        model = AsyncScriptedModel(lambda _: asyncio.sleep(30))
        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(MemoryStore(notes, model=model).afind_relevant(POOL))
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(main())
    assert [type(error) for error in caught.value.exceptions] == [LookupError]


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_a_program_or_task_is_no_failure_of_the_model(
    notes: Path, mode: str, kind: Any, error: type[BaseException]
) -> None:
    with pytest.raises(error):
        ask(MemoryStore(notes, model=kind(error())), mode)


# Threads


def test_while_four_models_hang_a_fifth_is_not_asked(
    notes: Path, mode: str, release: threading.Event
) -> None:
    leave(notes, mode, Waiting(release), 4)
    model = ScriptedModel(answer("note_0001.md"))
    selection = ask(MemoryStore(notes, model=model), mode)
    assert (selection.outcome, selection.reason) == (Outcome.FELL_BACK, Reason.BUSY)
    assert (len(selection), model.prompts) == (5, [])
    assert until(lambda: len(threads()) == 4)
    release.set()
    assert until(lambda: not threads())
    assert ask(MemoryStore(notes, model=model), mode).outcome is Outcome.SELECTED


def test_an_asynchronous_model_needs_no_thread(notes: Path, release: threading.Event) -> None:
    leave(notes, "sync", Waiting(release), 4)
    model = AsyncScriptedModel(answer("note_0001.md"))
    assert ask(MemoryStore(notes, model=model), "async").outcome is Outcome.SELECTED


def test_an_event_loop_may_be_closed_while_a_model_hangs(
    notes: Path, release: threading.Event
) -> None:
    leave(notes, "async", Waiting(release))
    release.set()  # the thread now wakes a loop that is closed: nobody hears of it
    assert until(lambda: not threads())


def test_the_context_of_the_caller_reaches_the_model(notes: Path, mode: str) -> None:
    seen: list[str] = []

    def name(_: Prompt) -> str:
        seen.append(NAME.get())
        return answer()

    token = NAME.set("maren")
    try:
        for model in (ScriptedModel(name), AsyncScriptedModel(name)):
            ask(MemoryStore(notes, model=model), mode)
    finally:
        NAME.reset(token)
    assert seen == ["maren", "maren"]


def test_the_event_loop_goes_on_while_a_large_folder_is_read(many: Path) -> None:
    async def main() -> int:
        beats = 0
        model = AsyncScriptedModel(answer())
        task = asyncio.create_task(MemoryStore(many, model=model).afind_relevant(POOL))
        while not task.done():
            await asyncio.sleep(0.001)
            beats += 1
        assert (await task).outcome is Outcome.NONE_RELEVANT
        return beats

    assert asyncio.run(main()) > 12  # a loop that waits for each step beats five times


def test_the_event_loop_goes_on_while_plain_parts_wait(notes: Path) -> None:
    async def main() -> int:
        beats = 0

        def wait(_: Prompt) -> Awaitable[str] | str:
            end = time.monotonic() + GRACE
            while beats < 20 and time.monotonic() < end:
                time.sleep(0.001)
            return answer("note_0001.md")

        task = asyncio.create_task(MemoryStore(notes, model=wait).afind_relevant(POOL))
        while not task.done():
            await asyncio.sleep(0.001)
            beats += 1
        assert (await task).outcome is Outcome.SELECTED
        return beats

    assert asyncio.run(main()) >= 20
