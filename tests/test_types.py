"""The values: what options accept, and how a selection behaves."""

from __future__ import annotations

import dataclasses
import threading
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import pytest

from selector.codes import Code, Outcome, Reason, Warn
from selector.types import (
    Candidate,
    MemoryHeader,
    Prompt,
    Score,
    Selection,
    SelectKeywords,
    SelectOptions,
)

HEADER = MemoryHeader("a.md", "/notes/a.md", datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("given", "field", "kept"),
    [
        ({}, "limit", 5),
        ({"limit": 0}, "limit", 5),
        ({"limit": -3}, "limit", 5),
        ({"limit": 7}, "limit", 7),
        ({"types": "user"}, "types", ("user",)),
        ({"types": ["User", "FEEDBACK"]}, "types", ("user", "feedback")),
        ({"types": ["user", "project"]}, "types", ("user", "project")),
        ({"files": [PurePosixPath("src/a.py")]}, "files", ("src/a.py",)),
        ({"recent_tools": iter(["Bash", "Read"])}, "recent_tools", ("Bash", "Read")),
        ({"already_surfaced": ["a.md", "a.md"]}, "already_surfaced", frozenset({"a.md"})),
        ({"already_surfaced": "a.md"}, "already_surfaced", frozenset({"a.md"})),
        ({"already_surfaced": {"a.md": "00"}}, "already_surfaced", {"a.md": "00"}),
        ({"timeout": None}, "timeout", None),
        ({"timeout": 3}, "timeout", 3),
    ],
)
def test_options_are_kept_in_one_form(given: dict[str, Any], field: str, kept: object) -> None:
    assert getattr(SelectOptions(**given), field) == kept


@pytest.mark.parametrize(
    ("given", "error", "named"),
    [
        ({"limit": "5"}, TypeError, "'5'"),
        ({"limit": 2.5}, TypeError, "2.5"),
        ({"limit": True}, TypeError, "True"),
        ({"limit": None}, TypeError, "None"),
        ({"timeout": float("nan")}, ValueError, "seconds"),
        ({"timeout": "5"}, TypeError, "seconds"),
        ({"timeout": 10**400}, ValueError, "seconds"),
        ({"already_surfaced": {"a.md": 5}}, TypeError, "SHA-256"),
        ({"model": print}, TypeError, "MemoryStore"),
        ({"cancel": object()}, TypeError, "is_set"),
        ({"types": 5}, TypeError, "types 5"),
        ({"files": 5}, TypeError, "files 5"),
        ({"recent_tools": 5}, TypeError, "recent_tools 5"),
        ({"already_surfaced": 5}, TypeError, "already_surfaced 5"),
        ({"already_surfaced": [Selection(Outcome.NO_MEMORIES)]}, TypeError, "not of Selection"),
        ({"recent_tools": ["Bash", None]}, TypeError, "recent_tools: a list of texts"),
        ({"limits": 5}, TypeError, "limits"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    given: dict[str, Any], error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        SelectOptions(**given)


def test_the_keywords_for_type_checkers_are_the_options() -> None:
    assert set(SelectKeywords.__annotations__) == set(SelectOptions.__dataclass_fields__)


def test_a_selection_of_many_is_short_to_look_at() -> None:
    many = tuple(Candidate(HEADER, Score(0.5)) for _ in range(1000))
    assert len(repr(Selection(Outcome.SELECTED, candidates=many))) < 1000


def test_a_selection_is_its_memories() -> None:
    full = Selection(Outcome.SELECTED, (HEADER,))
    assert full
    assert list(full) == [HEADER]
    assert len(full) == 1
    assert not Selection(Outcome.NONE_RELEVANT)


def test_a_prompt_joins_context_and_question() -> None:
    assert Prompt("s", "the list", "the query", {}).user == "the list\n\nthe query"


@pytest.mark.parametrize(
    "value", [HEADER, SelectOptions(cancel=threading.Event()), Selection(Outcome.SELECTED)]
)
def test_values_do_not_change(value: Any) -> None:
    field = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("words", [Code, Outcome, Reason, Warn])
def test_closed_words_are_spelled_like_their_members(words: Any) -> None:
    assert {str(word) for word in words} == {name.lower() for name in words.__members__}


def test_the_reasons_and_outcomes_are_those_that_were_promised() -> None:
    assert set(map(str, Outcome)) == {
        "selected", "none_relevant", "fell_back", "cancelled", "no_memories", "unavailable",
    }  # fmt: skip
    assert set(map(str, Reason)) == {
        "no_key", "auth", "rate_limited", "overloaded", "timeout", "connection", "bad_request",
        "refusal", "truncated", "invalid_json", "invalid_selection", "model_failed", "busy",
    }  # fmt: skip
