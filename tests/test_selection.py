"""The heart: from candidates to a question, from a reply to a selection, and what when it fails."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ConfigurationError, ModelError
from selector.manifest import MAX_LINES, manifest
from selector.selection import (
    LIST_LIMIT,
    NAME_LIMIT,
    PASSAGE_LIMIT,
    QUERY_LIMIT,
    AIMemorySelector,
    Question,
    fenced,
)
from selector.testing import AsyncScriptedModel, ScriptedModel, answer
from selector.types import (
    Candidate,
    MemoryHeader,
    ModelReply,
    Prompt,
    Score,
    Selection,
    SelectOptions,
)

NOON = datetime(2026, 4, 14, 12, tzinfo=UTC)
OPTIONS = SelectOptions()


def candidates(scores: Sequence[float], **fields: Any) -> list[Candidate]:
    """Newest first: `m0.md`, `m1.md`, ... with these scores."""
    return [
        Candidate(
            MemoryHeader(f"m{i}.md", f"/m/m{i}.md", NOON - timedelta(days=i), **fields),
            Score(score),
        )
        for i, score in enumerate(scores)
    ]


SEVEN = candidates([0.0] * 7)
NAMES = [one.header.name for one in SEVEN]


def names(selection: Selection) -> list[str]:
    return [header.name for header in selection]


def prepared(query: str = "q", given_: Sequence[Candidate] = SEVEN, **options: Any) -> Question:
    chosen = SelectOptions(**options)
    return AIMemorySelector(ScriptedModel()).prepare(query, given_, chosen, timeout=3.0)


def chosen(
    text: str | ModelReply, given_: Sequence[Candidate] = SEVEN, **options: Any
) -> Selection:
    selector = AIMemorySelector(ScriptedModel(text), roots=["/m"])
    selection = selector.select("q", given_, SelectOptions(**options))
    assert isinstance(selection, Selection)
    return selection


# --- the question


def test_the_prompt_holds_everything_that_counts() -> None:
    given_ = candidates([0.1, 0.2], type="user", description="likes tea")
    prompt = prepared(
        "Why?", given_, limit=3, recent_tools=["Bash", "psql"], files=["a/b.py"]
    ).prompt
    assert "at most 3 notes" in prompt.system
    assert prompt.context.endswith("\n\n" + manifest([one.header for one in given_]))
    assert "Tools in active use: Bash, psql\n" in prompt.question
    assert "Files being worked on: a/b.py\n" in prompt.question
    assert prompt.question.endswith("\n\n```\nWhy?\n```")
    assert prompt.user == f"{prompt.context}\n\n{prompt.question}"
    assert prompt.timeout == 3.0


def test_without_tools_files_and_passages() -> None:
    question = prepared().prompt.question
    assert question.startswith(
        "Tools in active use: none\nFiles being worked on: none\n\nThe prompt"
    )
    assert "Passages" not in question


def test_the_list_is_the_same_text_whatever_is_asked() -> None:
    others = prepared("something else", limit=2, recent_tools=["x"], files=["y"], timeout=1.0)
    assert others.prompt.context == prepared().prompt.context
    assert prepared("b").prompt.system == prepared("a").prompt.system


def test_passages_are_shown_on_one_line_each() -> None:
    passage = "a\n- [user] fake.md: b\u2028c\u200b " + "x" * 500
    given_ = [replace(SEVEN[0], passage=passage), SEVEN[1], replace(SEVEN[2], passage="short")]
    question = prepared(given_=given_).prompt.question
    lines = question.splitlines()
    start = lines.index("Passages found in the notes:")
    assert lines[start - 1] == ""
    assert lines[start + 1] == f"- m0.md: a - [user] fake.md: b c {'x' * 500}"[: PASSAGE_LIMIT + 9]
    assert lines[start + 2 : start + 4] == ["- m2.md: short", ""]


def test_tools_and_files_are_capped_and_cleaned() -> None:
    tools = ["a\nb\u200b", "\u200b", "x" * 500, *(f"tool{i}" for i in range(100))]
    line = prepared(recent_tools=tools).prompt.question.splitlines()[0]
    assert line.startswith(f"Tools in active use: a b, {'x' * NAME_LIMIT}, tool0, ")
    assert line.count(", ") == LIST_LIMIT - 2
    assert "tool99" not in line


def test_what_has_no_room_is_counted_and_cannot_be_chosen() -> None:
    given_ = candidates([0.0] * 300 + [0.9])
    question = prepared(given_=given_)
    assert len(question.shown) == MAX_LINES
    assert question.not_shown == 101
    assert question.shown[-1].header.name == "m300.md"
    assert question.prompt.context.count("\n- ") == MAX_LINES
    selector = AIMemorySelector(ScriptedModel())
    selection = selector.conclude(question, answer("m300.md", "m250.md"))
    assert names(selection) == ["m300.md"]
    assert selection.not_shown == 101
    assert selection.rejected == ("m250.md",)


def test_a_selector_may_show_less() -> None:
    selector = AIMemorySelector(ScriptedModel(), max_lines=2, max_bytes=60)
    assert len(selector.prepare("q", SEVEN, OPTIONS).shown) == 1


def test_the_schema_is_the_answer_s() -> None:
    schema = prepared().prompt.schema
    assert json.loads(json.dumps(schema)) == schema
    assert schema["required"] == ["selected_memories"]
    assert schema["properties"]["selected_memories"]["items"] == {"type": "string"}
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("model", [None, "gpt", 3, {}])
def test_a_model_that_cannot_be_called(model: Any) -> None:
    with pytest.raises(ConfigurationError, match="callable"):
        AIMemorySelector(model)


# --- the query's fence

QUERIES = st.lists(
    st.sampled_from(
        ["`", "``", "```", "`" * 9, "\n", "~~~", "x", "\r\n", "\x00", "\u2028", "\ud83d"]
    )
).map("".join)


def fences(text: str) -> tuple[str, list[str]]:
    """The opening fence of a block and the lines in it; the last line is the closing one."""
    opening, *inside, closing = text.split("\n")
    assert opening == closing
    assert re.fullmatch("`{3,}", opening)
    return opening, inside


@given(st.one_of(st.text(), QUERIES))
def test_no_query_closes_its_fence(query: str) -> None:
    opening, inside = fences(fenced(query))
    assert opening not in "\n".join(inside)
    assert fenced(query).encode()  # without lone surrogates


@pytest.mark.parametrize(
    ("query", "block"),
    [
        ("", "```\n\n```"),
        ("a\n\tb", "```\na\n\tb\n```"),
        ("a\r\nb\rc", "```\na\nb c\n```"),
        ("```\nx\n```", "````\n```\nx\n```\n````"),
        ("`" * 30, f"{'`' * 31}\n{'`' * 30}\n{'`' * 31}"),
        ("a\x00b\x1b[2Jc\x7f\x85d\u2028e", "```\na b [2Jc  d e\n```"),
        ("\ud83d ok \udc18", "```\n  ok  \n```"),
        ("工作 🐘", "```\n工作 🐘\n```"),
    ],
)
def test_the_block_of_a_query(query: str, block: str) -> None:
    assert fenced(query) == block


def test_of_a_long_query_the_beginning_and_the_end_stay() -> None:
    _, inside = fences(fenced(f"first {'x' * 100_000} last"))
    assert inside[0].startswith("first x")
    assert inside[1] == "[...]"
    assert inside[2].endswith("x last")
    assert len("".join(inside)) == QUERY_LIMIT + len("[...]")
    # The fence is measured on what is shown, and a run of backticks that is cut does not close it.
    opening, inside = fences(fenced("`" * 100_000))
    assert len(opening) == QUERY_LIMIT // 2 + 1
    assert fences(fenced("x" * QUERY_LIMIT))[1] == ["x" * QUERY_LIMIT]


# --- the reply


@pytest.mark.parametrize(
    ("answered", "limit", "expected"),
    [
        (["m1.md"], 5, ["m1.md"]),
        (["m5.md", "m1.md", "m3.md"], 5, ["m1.md", "m3.md", "m5.md"]),
        (NAMES[::-1], 5, NAMES[:5]),
        (NAMES[::-1], 1, NAMES[:1]),
        (NAMES[::-1], 7, NAMES),
        (NAMES[::-1], 0, NAMES[:5]),
        (NAMES[::-1], -3, NAMES[:5]),
        (["m6.md", "ghost.md", "m6.md", "M2"], 5, ["m2.md", "m6.md"]),
        (["/m/m4.md"], 5, ["m4.md"]),
    ],
)
def test_newest_first_then_cut(answered: list[str], limit: int, expected: list[str]) -> None:
    selection = chosen(answer(*answered), limit=limit)
    assert names(selection) == expected
    assert selection.outcome is Outcome.SELECTED
    assert selection.reason is None
    assert selection.candidates == tuple(SEVEN)


def test_the_rejected_names_are_kept() -> None:
    selection = chosen(answer("ghost.md", "m1.md", "m1.md"))
    assert selection.rejected == ("ghost.md", "m1.md")


def test_nothing_is_an_answer() -> None:
    selection = chosen(answer())
    assert selection.outcome is Outcome.NONE_RELEVANT
    assert not selection
    assert selection.usage == ModelReply(answer())


def test_only_surfaced_names_mean_that_nothing_else_helps() -> None:
    for surfaced in (["old.md"], {"old.md": "a hash"}, {"old.md": None}):
        selection = chosen(answer("old.md"), already_surfaced=surfaced)
        assert selection.outcome is Outcome.NONE_RELEVANT
        assert selection.rejected == ("old.md",)


def test_the_tokens_of_a_reply_are_kept() -> None:
    reply = ModelReply(answer("m2.md"), input_tokens=900, cached_tokens=800, output_tokens=12)
    selection = chosen(reply)
    assert names(selection) == ["m2.md"]
    assert selection.usage is reply


def test_a_labelled_root_before_a_name() -> None:
    given_ = [
        replace(one, header=replace(one.header, name=f"{label}/a.md"))
        for one, label in zip(SEVEN, ("user", "project"), strict=False)
    ]
    roots = {"user": "/home/u/notes", "project": "/srv/notes"}
    selector = AIMemorySelector(ScriptedModel(answer("/srv/notes/a.md")), roots=roots)
    selection = selector.select("q", given_, OPTIONS)
    assert isinstance(selection, Selection)
    assert names(selection) == ["project/a.md"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("no idea", Reason.INVALID_JSON),
        ("", Reason.INVALID_JSON),
        ("{}", Reason.INVALID_SELECTION),
        (answer("ghost.md"), Reason.INVALID_SELECTION),
        (None, Reason.INVALID_JSON),
        (b'{"selected_memories": []}', Reason.INVALID_JSON),
        ({"selected_memories": ["m1.md"]}, Reason.INVALID_JSON),
        (["m1.md"], Reason.INVALID_JSON),
        (7, Reason.INVALID_JSON),
        (ModelReply(None), Reason.INVALID_JSON),  # type: ignore[arg-type]  # what a user may do
    ],
)
def test_a_reply_that_cannot_be_used(reply: Any, reason: Reason) -> None:
    with pytest.raises(AnswerError) as caught:
        AIMemorySelector(ScriptedModel()).conclude(prepared(), reply)
    assert caught.value.reason is reason


# --- asking, in both ways


def blocking(*replies: Any) -> Any:
    return ScriptedModel(*replies)


def returning_awaitables(*replies: Any) -> Any:
    """A plain function that gives an awaitable."""
    model = AsyncScriptedModel(*replies)
    return lambda prompt: model(prompt)


class Asynchronous:
    """Any object whose call is a coroutine."""

    def __init__(self, *replies: Any) -> None:
        self.model = AsyncScriptedModel(*replies)

    async def __call__(self, prompt: Prompt) -> Any:
        await asyncio.sleep(0)
        return await self.model(prompt)


WAYS = pytest.mark.parametrize(
    "make", [blocking, AsyncScriptedModel, returning_awaitables, Asynchronous]
)


def selected_with(model: Any) -> Selection:
    """The selection of a model, awaited where that is needed."""

    async def run() -> Selection:
        found = AIMemorySelector(model).select("q", SEVEN, OPTIONS)
        return await found if inspect.isawaitable(found) else found

    return asyncio.run(run())


@WAYS
@pytest.mark.parametrize("reply", [answer("m3.md"), ModelReply(answer("m3.md"), 5)])
def test_every_way_to_answer(make: Callable[..., Any], reply: str | ModelReply) -> None:
    selection = selected_with(make(reply))
    assert names(selection) == ["m3.md"]
    assert selection.usage == (reply if isinstance(reply, ModelReply) else ModelReply(reply))


def test_a_plain_model_needs_no_event_loop() -> None:
    assert names(chosen(answer("m3.md"))) == ["m3.md"]


def test_the_model_is_given_the_prompt_with_the_time_that_is_allowed() -> None:
    model = ScriptedModel()
    AIMemorySelector(model).select("Why?", SEVEN, SelectOptions(timeout=4.5))
    assert [(prompt.timeout, "Why?" in prompt.user) for prompt in model.prompts] == [(4.5, True)]


@WAYS
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("odd"), Reason.MODEL_FAILED),
        (KeyError("choices"), Reason.MODEL_FAILED),
        (StopAsyncIteration(), Reason.MODEL_FAILED),
        (TimeoutError("slow"), Reason.TIMEOUT),
        (ConnectionError("gone"), Reason.CONNECTION),
        (ConnectionRefusedError("gone"), Reason.CONNECTION),
        (ModelError("busy", Reason.RATE_LIMITED), Reason.RATE_LIMITED),
        (ModelError("no"), Reason.MODEL_FAILED),
    ],
    ids=repr,
)
def test_what_the_model_raises(make: Callable[..., Any], error: Exception, reason: Reason) -> None:
    with pytest.raises(ModelError) as caught:
        selected_with(make(error))
    assert caught.value.reason is reason
    assert str(error) in str(caught.value)
    assert caught.value is error or type(error).__name__ in str(caught.value)


def test_the_cause_stays_with_the_error() -> None:
    error = ValueError("odd")
    for make in (blocking, AsyncScriptedModel):
        with pytest.raises(ModelError) as caught:
            selected_with(make(error))
        assert caught.value.__cause__ is error


@WAYS
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_a_program_is_no_error(
    make: Callable[..., Any], kind: type[BaseException]
) -> None:
    with pytest.raises(kind):
        selected_with(make(kind()))


@WAYS
def test_an_answer_that_cannot_be_used_is_told(make: Callable[..., Any]) -> None:
    for reply in ("no idea", None, b"{}"):
        with pytest.raises(AnswerError):
            selected_with(make(lambda _, reply=reply: reply))


def test_our_own_bugs_stay_loud() -> None:
    selector = AIMemorySelector(ScriptedModel())
    with pytest.raises(AttributeError):
        selector.select("q", [None], OPTIONS)  # type: ignore[list-item]


# --- at random


@settings(deadline=None)
@given(st.lists(st.sampled_from([*NAMES, "ghost.md", "M1", "../m1.md"])), st.integers(-1, 8))
def test_a_selection_is_a_part_of_the_candidates(answered: list[str], limit: int) -> None:
    try:
        selection = chosen(answer(*answered), limit=limit)
    except AnswerError:
        assert answered
        assert not set(answered) & {*NAMES, "M1"}
        return
    assert names(selection) == [name for name in NAMES if name in names(selection)]
    assert len(selection) <= (limit if limit > 0 else 5)
    assert selection.outcome is (Outcome.SELECTED if selection else Outcome.NONE_RELEVANT)


def test_a_model_that_changes_its_schema_changes_no_other() -> None:
    first, second = prepared().prompt.schema, prepared().prompt.schema
    dict(first)["required"].append("more")
    assert second["required"] == ["selected_memories"]
