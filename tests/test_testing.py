"""The fakes that the package ships: they do what their docstrings say."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from selector.codes import Outcome
from selector.testing import (
    AsyncScriptedModel,
    FixedScorer,
    FixedSelector,
    ScriptedModel,
    StopAfter,
    answer,
)
from selector.types import Candidate, MemoryHeader, ModelReply, Prompt, Score, SelectOptions

PROMPT = Prompt("system", "context", "question", {})
HEADERS = [
    MemoryHeader(name, f"/{name}", datetime(2026, 1, 1, tzinfo=UTC))
    for name in ("a.md", "b.md", "c.md")
]


def replies(model: Any, count: int) -> list[Any]:
    """What `model` answers, one time after the other; an exception as its text."""
    found = []
    for _ in range(count):
        try:
            value = model(PROMPT)
            found.append(asyncio.run(value) if hasattr(value, "__await__") else value)
        except LookupError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
def test_a_script_is_followed_and_its_last_reply_repeats(kind: Any) -> None:
    reply = ModelReply("two", 10, 0, 3)
    model = kind("one", reply, LookupError("three"), lambda prompt: prompt.system)
    assert replies(model, 5) == ["one", reply, "three", "system", "system"]
    assert model.prompts == [PROMPT] * 5


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
def test_a_model_without_a_script_chooses_nothing(kind: Any) -> None:
    assert replies(kind(), 1) == ['{"selected_memories": []}']


def test_the_asynchronous_model_awaits_what_its_script_returns() -> None:
    async def late(prompt: Prompt) -> str:
        return prompt.context

    assert replies(AsyncScriptedModel(late), 2) == ["context", "context"]


def test_an_answer_is_what_a_model_would_write() -> None:
    assert json.loads(answer("a.md", "工作.md")) == {"selected_memories": ["a.md", "工作.md"]}
    assert "工作.md" in answer("工作.md")


def test_fixed_scores() -> None:
    scorer = FixedScorer({"b.md": 0.5}, threshold=0.3)
    assert scorer.score("q", HEADERS, SelectOptions()) == [Score(0.0), Score(0.5), Score(0.0)]
    assert scorer.threshold == 0.3
    assert scorer.queries == ["q"]


@pytest.mark.parametrize(
    ("names", "limit", "chosen", "outcome"),
    [
        (("c.md", "a.md"), 5, ["a.md", "c.md"], Outcome.SELECTED),
        (("c.md", "a.md"), 1, ["a.md"], Outcome.SELECTED),
        (("z.md",), 5, [], Outcome.NONE_RELEVANT),
        ((), 5, [], Outcome.NONE_RELEVANT),
    ],
)
def test_fixed_selection(
    names: tuple[str, ...], limit: int, chosen: list[str], outcome: Outcome
) -> None:
    selector = FixedSelector(*names)
    candidates = [Candidate(header, Score(0.0)) for header in HEADERS]
    selection = selector.select("q", candidates, SelectOptions(limit=limit))
    assert [header.name for header in selection] == chosen
    assert selection.outcome is outcome
    assert selection.candidates == tuple(candidates)
    assert selector.queries == ["q"]


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_a_stop_after_so_many_looks(looks: int) -> None:
    signal = StopAfter(looks)
    assert [signal.is_set() for _ in range(looks + 2)] == [False] * looks + [True, True]
