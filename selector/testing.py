"""Fakes for tests of code that selects memories: no model, no network, the same result each time.

    model = ScriptedModel(answer("deploy.md"), TimeoutError())
    store = MemoryStore(folder, model=model)
    store.find_relevant("How do I deploy?")    # deploy.md
    store.find_relevant("How do I deploy?")    # the scorer's answer, reason `timeout`
    model.prompts                              # what the model was shown, both times

With `AsyncScriptedModel` the same is asked through a coroutine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from typing import Any

from selector.codes import Outcome
from selector.types import (
    Candidate,
    MemoryHeader,
    ModelReply,
    Prompt,
    Score,
    Selection,
    SelectOptions,
)

Reply = str | ModelReply | BaseException | Callable[[Prompt], Any]


def answer(*names: str) -> str:
    """The text of a model that chooses `names`; without names it chooses nothing."""
    return json.dumps({"selected_memories": names}, ensure_ascii=False)


class ScriptedModel:
    """A model that gives `replies` in their order, the last one again and again.

    A reply is a text, a `ModelReply`, an exception to raise, or a function of the prompt whose
    result is the reply. `prompts` holds every prompt that it was asked, oldest first.
    """

    def __init__(self, *replies: Reply) -> None:
        self.prompts: list[Prompt] = []
        self._replies = replies or (answer(),)

    def __call__(self, prompt: Prompt) -> Any:
        """The next reply; an awaitable only when a function of the script returns one."""
        reply = self._replies[min(len(self.prompts), len(self._replies) - 1)]
        self.prompts.append(prompt)
        if isinstance(reply, BaseException):
            raise reply
        return reply(prompt) if callable(reply) else reply


class AsyncScriptedModel:
    """The asynchronous twin of `ScriptedModel`."""

    def __init__(self, *replies: Reply) -> None:
        self._script = ScriptedModel(*replies)
        self.prompts = self._script.prompts

    async def __call__(self, prompt: Prompt) -> Any:
        """The next reply; what a function of the script returns is awaited where it has to be."""
        reply = self._script(prompt)
        return await reply if isawaitable(reply) else reply


class FixedScorer:
    """A scorer that knows its scores by name; every other memory gets 0.

    `queries` holds every query that it was asked, oldest first.
    """

    def __init__(self, scores: Mapping[str, float], *, threshold: float = 0.0) -> None:
        self.threshold = threshold
        self.queries: list[str] = []
        self._scores = dict(scores)

    def score(
        self,
        query: str,
        headers: Sequence[MemoryHeader],
        options: SelectOptions,  # noqa: ARG002  # the Protocol's
    ) -> list[Score]:
        """The known score of each header."""
        self.queries.append(query)
        return [Score(self._scores.get(header.name, 0.0)) for header in headers]


class FixedSelector:
    """A selector that always chooses the memories with these names, of those there are.

    `queries` holds every query that it was asked, oldest first.
    """

    def __init__(self, *names: str) -> None:
        self.queries: list[str] = []
        self._names = frozenset(names)

    def select(
        self, query: str, candidates: Sequence[Candidate], options: SelectOptions
    ) -> Selection:
        """The chosen candidates in their order, at most `options.limit`."""
        self.queries.append(query)
        found = [one.header for one in candidates if one.header.name in self._names]
        outcome = Outcome.SELECTED if found else Outcome.NONE_RELEVANT
        return Selection(outcome, tuple(found[: options.limit]), candidates=tuple(candidates))


class StopAfter:
    """A stop signal that is set once it has been looked at `looks` times: a stop in mid-work."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def is_set(self) -> bool:
        """True from the look behind the last free one on."""
        self.left -= 1
        return self.left < 0
