"""The store: what it drops, whom it asks, and what it answers when they fail."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from selector.codes import Code, Outcome, Reason, Warn
from selector.errors import AnswerError, ConfigurationError, ModelError, ReadError
from selector.scan import Scan
from selector.scoring import HeuristicScorer
from selector.selection import AIMemorySelector
from selector.store import MemoryStore
from selector.testing import (
    AsyncScriptedModel,
    FixedScorer,
    FixedSelector,
    ScriptedModel,
    StopAfter,
    answer,
)
from selector.types import Candidate, MemoryHeader, ModelReply, Score, Selection, SelectOptions
from tests.conftest import as_nobody

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
POOL = "What is the limit of the Postgres connection pool?"  # the scorer answers with postgres.md


def note(root: Path, name: str, description: str, day: int = 0, **fields: object) -> Path:
    """Writes a memory that was changed `day` days after the new year."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"description": description, **fields}
    lines = "\n".join(f"{key}: {value}" for key, value in header.items())
    path.write_text(f"---\n{lines}\n---\nThe body of {name}.\n", "utf-8")
    changed = (NEW_YEAR + timedelta(days=day)).timestamp()
    os.utime(path, (changed, changed))
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three notes; the newest comes first."""
    root = tmp_path / "notes"
    note(root, "deploy.md", "Deploys leave with the release train on Tuesdays", 1, type="project")
    note(root, "postgres.md", "The Postgres connection pool has a limit of forty", 2, type="fact")
    note(root, "tabs.md", "Prefer tabs in Makefiles, spaces elsewhere", 3, type="feedback")
    return root


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(store: MemoryStore, query: str, mode: str, **options: Any) -> Selection:
    """What the store selects, in one of the two ways to ask it."""
    if mode == "sync":
        return store.find_relevant(query, **options)
    return asyncio.run(store.afind_relevant(query, **options))


def names(selection: Selection) -> list[str]:
    return [header.name for header in selection]


# Who chooses


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
def test_the_model_chooses_and_the_newest_comes_first(notes: Path, mode: str, kind: Any) -> None:
    reply = ModelReply(answer("deploy.md", "zzz.md", "tabs.md", "deploy.md"), 90, 80, 7)
    model = kind(reply)
    selection = ask(MemoryStore(notes, model=model), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.SELECTED, ["tabs.md", "deploy.md"])
    assert selection.rejected == ("zzz.md", "deploy.md")
    assert selection.usage == reply
    assert (selection.reason, selection.warnings, selection.not_shown) == (None, (), 0)
    assert [one.header.name for one in selection.candidates] == [
        "tabs.md",
        "postgres.md",
        "deploy.md",
    ]
    assert selection.elapsed > 0
    (prompt,) = model.prompts
    assert "- [fact] postgres.md (2026-01-03T00:00:00Z): The Postgres" in prompt.context
    assert POOL in prompt.question
    assert 9 < prompt.timeout <= 10


def test_a_model_may_choose_nothing(notes: Path, mode: str) -> None:
    selection = ask(MemoryStore(notes, model=ScriptedModel(answer())), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.NONE_RELEVANT, [])


def test_the_options_reach_the_model(notes: Path, mode: str) -> None:
    model = ScriptedModel(answer())
    options: dict[str, Any] = {"limit": 3, "recent_tools": ["psql"], "files": "src/pool.py"}
    ask(MemoryStore(notes, model=model), POOL, mode, timeout=None, **options)
    (prompt,) = model.prompts
    assert "at most 3" in prompt.system
    assert "psql" in prompt.question
    assert "src/pool.py" in prompt.question
    assert prompt.timeout is None


@pytest.mark.parametrize("query", [POOL, "How do I bake bread?"])
def test_without_a_model_the_scorer_answers_and_nothing_is_logged(
    notes: Path, mode: str, query: str, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    caplog.set_level(logging.INFO)
    selection = ask(MemoryStore(notes), query, mode)
    chosen = ["postgres.md"] if query == POOL else []
    assert names(selection) == chosen
    assert selection.outcome is (Outcome.SELECTED if chosen else Outcome.NONE_RELEVANT)
    assert (selection.reason, selection.detail, selection.warnings) == (None, None, ())
    assert [one.header.name for one in selection.candidates][:1] == ["tabs.md"]
    assert caplog.records == []
    assert tuple(capfd.readouterr()) == ("", "")


def test_a_caller_can_do_without_the_model(notes: Path, mode: str) -> None:
    model, selector = ScriptedModel(answer("tabs.md")), FixedSelector("tabs.md")
    for store in (MemoryStore(notes, model=model), MemoryStore(notes, selector=selector)):
        selection = ask(store, POOL, mode, model=False)
        assert (selection.outcome, names(selection)) == (Outcome.SELECTED, ["postgres.md"])
    assert (model.prompts, selector.queries) == ([], [])


# What is left out


def test_surfaced_memories_are_dropped_before_the_model_is_asked(notes: Path, mode: str) -> None:
    model = ScriptedModel(answer("postgres.md", "tabs.md"))
    selection = ask(MemoryStore(notes, model=model), POOL, mode, already_surfaced={"postgres.md"})
    assert names(selection) == ["tabs.md"]
    assert "postgres.md" not in model.prompts[0].context
    assert "tabs.md" in model.prompts[0].context


def test_an_answer_of_surfaced_names_alone_is_no_failure(notes: Path, mode: str) -> None:
    model = ScriptedModel(answer("postgres.md"))
    selection = ask(MemoryStore(notes, model=model), POOL, mode, already_surfaced={"postgres.md"})
    assert (selection.outcome, names(selection)) == (Outcome.NONE_RELEVANT, [])


@pytest.mark.parametrize("as_mapping", [False, True])
def test_with_none_left_nobody_is_asked(notes: Path, mode: str, as_mapping: bool) -> None:
    model, scorer = ScriptedModel(answer("tabs.md")), FixedScorer({})
    every = [header.name for header in MemoryStore(notes).scan().headers]
    surfaced = dict.fromkeys(every) if as_mapping else every
    store = MemoryStore(notes, model=model, scorer=scorer)
    selection = ask(store, POOL, mode, already_surfaced=surfaced)
    assert (selection.outcome, names(selection)) == (Outcome.NONE_RELEVANT, [])
    assert (model.prompts, scorer.queries) == ([], [])


@pytest.mark.parametrize("upper", [False, True])
def test_a_surfaced_memory_returns_when_its_file_changes(
    notes: Path, mode: str, upper: bool
) -> None:
    store = MemoryStore(notes)
    sha = hashlib.sha256((notes / "postgres.md").read_bytes()).hexdigest()
    assert sha == store.read("postgres.md").sha256
    surfaced = {"postgres.md": sha.upper() if upper else sha, "gone.md": sha}
    assert names(ask(store, POOL, mode, already_surfaced=surfaced)) == []
    note(notes, "postgres.md", "The Postgres connection pool has a limit of fifty", 2)
    assert names(ask(store, POOL, mode, already_surfaced=surfaced)) == ["postgres.md"]


@pytest.mark.parametrize("sha", ["", None])
def test_a_mapping_without_a_hash_is_like_a_set(notes: Path, mode: str, sha: str | None) -> None:
    selection = ask(MemoryStore(notes), POOL, mode, already_surfaced={"postgres.md": sha})
    assert names(selection) == []


def test_a_surfaced_file_that_cannot_be_read_stays_out(notes: Path, mode: str) -> None:
    with (notes / "postgres.md").open("ab") as file:
        file.truncate(2**30)
    selection = ask(MemoryStore(notes), POOL, mode, already_surfaced={"postgres.md": "0" * 64})
    assert names(selection) == []


@pytest.mark.parametrize(
    ("types", "shown"),
    [
        ((), {"deploy.md", "postgres.md", "tabs.md"}),
        ("fact", {"postgres.md"}),
        (["fact", "feedback"], {"postgres.md", "tabs.md"}),
        (["nonsense"], set()),
    ],
)
def test_only_wanted_types_are_shown(notes: Path, mode: str, types: Any, shown: set[str]) -> None:
    model = ScriptedModel(answer())
    selection = ask(MemoryStore(notes, model=model), POOL, mode, types=types)
    assert selection.outcome is Outcome.NONE_RELEVANT
    assert {one.header.name for one in selection.candidates} == shown
    assert len(model.prompts) == bool(shown)


TODAY = datetime.now(UTC).date()


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ({"expires_at": TODAY + timedelta(days=2)}, True),
        ({"expires_at": TODAY - timedelta(days=1)}, False),
        ({"valid_until": "2020-01-01"}, False),
        ({"stale_after": "2020-01-01"}, False),
        ({"expires_at": "whenever"}, True),
        ({"superseded_by": "tabs.md"}, False),
        ({"superseded_by": "tabs"}, False),
        ({"superseded_by": "missing.md"}, True),
        ({"superseded_by": "postgres.md"}, True),
    ],
)
def test_what_no_longer_counts_is_out(
    notes: Path, mode: str, fields: dict[str, object], stays: bool
) -> None:
    note(notes, "postgres.md", "The Postgres connection pool has a limit of forty", 2, **fields)
    model = ScriptedModel(answer("postgres.md", "tabs.md"))
    selection = ask(MemoryStore(notes, model=model), POOL, mode)
    assert ("postgres.md" in names(selection)) is stays
    assert ("postgres.md (" in model.prompts[0].context) is stays
    assert (names(ask(MemoryStore(notes), POOL, mode)) == ["postgres.md"]) is stays


def test_a_successor_counts_although_its_type_is_not_wanted(notes: Path, mode: str) -> None:
    note(
        notes,
        "postgres.md",
        "Postgres connection pool limit",
        2,
        superseded_by="tabs.md",
        type="fact",
    )
    selection = ask(MemoryStore(notes), POOL, mode, types="fact")
    assert (selection.outcome, selection.candidates) == (Outcome.NONE_RELEVANT, ())


# Many memories, odd queries


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """299 new notes about one thing, and the oldest about another."""
    root = tmp_path_factory.mktemp("crowd")
    for i in range(299):
        note(root, f"ticket_{i:03}.md", f"The printer on floor {i} jams on thick paper", 1 + i)
    note(root, "zebra.md", "The zebra crossing sensor needs a restart after rain", 0)
    return root


def test_a_matching_old_memory_is_not_lost_behind_newer_ones(crowd: Path, mode: str) -> None:
    model = ScriptedModel(answer("zebra.md"))
    selection = ask(MemoryStore(crowd, model=model), "zebra crossing sensor", mode)
    (prompt,) = model.prompts
    lines = [line for line in prompt.context.splitlines() if line.startswith("- ")]
    assert len(lines) == 200
    assert sum("zebra.md" in line for line in lines) == 1
    assert (names(selection), selection.not_shown) == (["zebra.md"], 100)
    assert len(selection.candidates) == 200


def test_without_a_model_all_are_looked_at(crowd: Path, mode: str) -> None:
    selection = ask(MemoryStore(crowd), "zebra crossing sensor", mode)
    assert (names(selection), selection.not_shown) == (["zebra.md"], 0)
    assert len(selection.candidates) == 300


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (2, 2), (7, 7), (0, 5), (-1, 5), (999, 200)])
def test_never_more_than_the_limit(crowd: Path, mode: str, limit: int, count: int) -> None:
    every = [header.name for header in MemoryStore(crowd).scan().headers]
    selection = ask(MemoryStore(crowd, model=ScriptedModel(answer(*every))), "x", mode, limit=limit)
    assert len(selection) == count
    days = [header.modified for header in selection]
    assert days == sorted(days, reverse=True)
    assert len(ask(MemoryStore(crowd), "printer jams", mode, limit=limit)) <= count


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000"])
def test_a_blank_query_asks_nobody(notes: Path, mode: str, query: str) -> None:
    model, scorer = ScriptedModel(answer("tabs.md")), FixedScorer({"tabs.md": 1.0})
    selection = ask(MemoryStore(notes, model=model, scorer=scorer), query, mode)
    assert (selection.outcome, names(selection)) == (Outcome.NONE_RELEVANT, [])
    assert (model.prompts, scorer.queries) == ([], [])


@pytest.mark.parametrize(
    "query", [None, 5, b"bytes", ["a", "list"], "\ud800", "x" * 100_000, "\x00"]
)
def test_odd_queries_are_only_texts(notes: Path, mode: str, query: Any) -> None:
    model = ScriptedModel(answer("tabs.md"))
    assert names(ask(MemoryStore(notes, model=model), query, mode)) == ["tabs.md"]
    assert ask(MemoryStore(notes), query, mode).outcome is Outcome.NONE_RELEVANT
    model.prompts[0].user.encode()  # can be sent


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"limit": "5"}, TypeError),
        ({"timeout": float("nan")}, ValueError),
        ({"timeout": "10"}, TypeError),
        ({"cancel": object()}, TypeError),
        ({"types": 5}, TypeError),
        ({"already_surfaced": 5}, TypeError),
        ({"no_such_option": 1}, TypeError),
    ],
)
def test_options_are_checked_at_once(
    notes: Path, mode: str, options: dict[str, Any], error: type[Exception]
) -> None:
    model = ScriptedModel(answer("tabs.md"))
    with pytest.raises(error):
        ask(MemoryStore(notes, model=model), POOL, mode, **options)
    assert model.prompts == []


@pytest.mark.parametrize("timeout", [1e12, float("inf")])
def test_a_timeout_beyond_all_clocks(notes: Path, mode: str, timeout: float) -> None:
    model = ScriptedModel(lambda _: time.sleep(0.01) or answer("tabs.md"))  # type: ignore[func-returns-value]
    assert names(ask(MemoryStore(notes, model=model), POOL, mode, timeout=timeout)) == ["tabs.md"]


def test_hundreds_of_files_with_problems_do_not_disturb(notes: Path, mode: str) -> None:
    odd = [
        b"", b"---\n", b"\xff\xfe\x00", b"---\nname: [\n---\n", b"---\ndescription: &a *a\n---\n",
        b"---\nexpires_at: never\ntype: 12\nimportance: much\n---\n", b"---\n" + b"x" * 70_000,
        b"\x00" * 5_000, b"{" * 5_000, "\u202e---\n".encode(), b"---\nname: a\n",
    ]  # fmt: skip
    for i in range(330):
        (notes / f"odd_{i:03}.md").write_bytes(odd[i % len(odd)])
    for i in range(40):
        (notes / f"link_{i}.md").symlink_to(notes / f"nowhere_{i}")
        (notes / f"folder_{i}.md").mkdir()
    selection = ask(MemoryStore(notes), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.SELECTED, ["postgres.md"])
    assert len(selection.candidates) == 333
    assert len(selection.problems) > 300
    model = ScriptedModel(answer("postgres.md"))
    assert names(ask(MemoryStore(notes, model=model), POOL, mode)) == ["postgres.md"]


# A model that fails


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Hollow(ModelError):
    def __init__(self) -> None: ...


FAILURES: dict[str, tuple[Any, Reason, str]] = {
    "a named reason": (ModelError("429", Reason.RATE_LIMITED), Reason.RATE_LIMITED, "429"),
    "no key": (ModelError("set a key", Reason.NO_KEY), Reason.NO_KEY, "set a key"),
    "a timeout of its own": (TimeoutError("slow"), Reason.TIMEOUT, "slow"),
    "no connection": (ConnectionRefusedError("refused"), Reason.CONNECTION, "refused"),
    "a bug": (ValueError("a bug"), Reason.MODEL_FAILED, "ValueError: a bug"),
    "lines and controls": (ValueError("a\n\x1b[31mb"), Reason.MODEL_FAILED, "ValueError: a"),
    "a long message": (ValueError("x" * 10_000), Reason.MODEL_FAILED, "ValueError: xxx"),
    "the end of an iterator": (StopIteration("over"), Reason.MODEL_FAILED, "StopIteration"),
    "out of memory": (MemoryError(), Reason.MODEL_FAILED, "MemoryError"),
    "too deep": (RecursionError("deep"), Reason.MODEL_FAILED, "deep"),
    "a group": (ExceptionGroup("many", [OSError("one")]), Reason.MODEL_FAILED, "many"),
    "an odd answer": (AnswerError("odd", Reason.REFUSAL), Reason.REFUSAL, "odd"),
    "no message": (Unprintable(), Reason.MODEL_FAILED, "Unprintable"),
    "no reason": (Hollow(), Reason.MODEL_FAILED, "Hollow"),
    "no text": (lambda _: None, Reason.INVALID_JSON, "NoneType"),
    "a number": (lambda _: 5, Reason.INVALID_JSON, "int"),
    "bytes": (lambda _: b"{}", Reason.INVALID_JSON, "bytes"),
    "a reply without text": (ModelReply(None), Reason.INVALID_JSON, "NoneType"),  # type: ignore[arg-type]
    "an empty text": ("", Reason.INVALID_JSON, "empty"),
    "prose": ("I would take the second one.", Reason.INVALID_JSON, "JSON"),
    "another object": ('{"answer": 1}', Reason.INVALID_SELECTION, "selected_memories"),
    "unknown names": (answer("zzz.md"), Reason.INVALID_SELECTION, "zzz.md"),
}


@pytest.mark.parametrize("kind", [ScriptedModel, AsyncScriptedModel])
@pytest.mark.parametrize(("reply", "reason", "detail"), FAILURES.values(), ids=FAILURES.keys())
def test_a_model_that_fails_gives_way_to_the_scorer(
    notes: Path, mode: str, kind: Any, reply: Any, reason: Reason, detail: str, caplog: Any
) -> None:
    caplog.set_level(logging.INFO)
    selection = ask(MemoryStore(notes, model=kind(reply)), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.FELL_BACK, ["postgres.md"])
    assert selection.reason is reason
    assert selection.detail
    assert detail in selection.detail
    assert selection.detail.isprintable()
    assert len(selection.detail) <= 500
    assert selection.candidates[0].header.name == "tabs.md"
    assert caplog.records == []


def test_a_fallback_may_find_nothing(notes: Path, mode: str) -> None:
    store = MemoryStore(notes, model=ScriptedModel(ValueError()))
    selection = ask(store, "How do I bake bread?", mode)
    assert (selection.outcome, names(selection)) == (Outcome.FELL_BACK, [])


def test_unknown_names_are_counted_in_a_fallback_too(notes: Path, mode: str) -> None:
    selection = ask(MemoryStore(notes, model=ScriptedModel(answer("y.md", "z.md"))), POOL, mode)
    assert selection.rejected == ("y.md", "z.md")


def test_a_model_that_takes_no_prompt_has_failed(notes: Path, mode: str) -> None:
    model: Any = lambda: answer("tabs.md")  # noqa: E731
    assert ask(MemoryStore(notes, model=model), POOL, mode).reason is Reason.MODEL_FAILED


# A scorer of the user's


class Scorer:
    """Gives whatever `give` makes of the headers."""

    def __init__(self, give: Callable[[Sequence[MemoryHeader]], Any], threshold: Any = 0.0) -> None:
        self.give, self.threshold = give, threshold

    def score(self, query: str, headers: Sequence[MemoryHeader], options: SelectOptions) -> Any:  # noqa: ARG002
        return self.give(headers)


async def later(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


def fail(*_: object) -> Any:
    raise LookupError("no scores today")


@pytest.mark.parametrize(
    ("give", "threshold", "chosen"),
    [
        (lambda _: [0.9, 0.1, 0.0], 0.0, ["tabs.md", "postgres.md"]),
        (lambda _: (0.9, 0.1, 0.0), 0.5, ["tabs.md"]),
        (lambda _: [Score(0.2), 1, True], 0.5, ["postgres.md", "deploy.md"]),
        (lambda _: later([0.9, 0.0, 0.0]), 0.0, ["tabs.md"]),
        (lambda _: [0, 0, 0], 0.0, []),
        (lambda _: [0.4, 0.4, 0.4], 0.5, []),
    ],
)
def test_a_users_scorer_is_used(
    notes: Path, mode: str, give: Any, threshold: float, chosen: list[str]
) -> None:
    selection = ask(MemoryStore(notes, scorer=Scorer(give, threshold)), POOL, mode)
    assert names(selection) == chosen
    assert selection.outcome is (Outcome.SELECTED if chosen else Outcome.NONE_RELEVANT)
    assert selection.warnings == ()
    failed = MemoryStore(notes, scorer=Scorer(give, threshold), model=ScriptedModel(ValueError()))
    assert names(ask(failed, POOL, mode)) == chosen


@pytest.mark.parametrize("best", ["ticket_000.md", "zebra.md"])
def test_a_users_scorer_says_what_is_shown(crowd: Path, mode: str, best: str) -> None:
    model = ScriptedModel(answer())
    ask(MemoryStore(crowd, model=model, scorer=FixedScorer({best: 0.1})), "x", mode)
    assert f"- {best} (" in model.prompts[0].context


SCORES: dict[str, Scorer] = {
    "raising": Scorer(fail),
    "nothing": Scorer(lambda _: None),
    "too few": Scorer(lambda _: [0.5]),
    "too many": Scorer(lambda _: [0.5] * 4),
    "none at all": Scorer(lambda _: []),
    "an iterator": Scorer(lambda headers: iter([0.5] * len(headers))),
    "a text": Scorer(lambda _: "abc"),
    "a mapping": Scorer(lambda headers: {header.name: 0.5 for header in headers}),
    "no number": Scorer(lambda _: [float("nan")] * 3),
    "endless": Scorer(lambda _: [float("inf"), 0.0, 0.0]),
    "below": Scorer(lambda _: [-0.1, 0.0, 0.0]),
    "above": Scorer(lambda _: [1.1, 0.0, 0.0]),
    "beyond floats": Scorer(lambda _: [10**400, 0.0, 0.0]),
    "a score of text": Scorer(lambda _: [Score("high")] * 3),  # type: ignore[arg-type]
    "asynchronous, raising": Scorer(lambda _: fail_later()),
    "asynchronous, too few": Scorer(lambda _: later([])),
    "an odd threshold": Scorer(lambda _: [0.9, 0.9, 0.9], threshold="high"),
}


async def fail_later() -> None:
    fail()


@pytest.mark.parametrize("scorer", SCORES.values(), ids=SCORES.keys())
def test_a_scorer_that_fails_gives_way_to_ours(notes: Path, mode: str, scorer: Scorer) -> None:
    selection = ask(MemoryStore(notes, scorer=scorer), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.SELECTED, ["postgres.md"])
    assert selection.warnings == (Warn.SCORER_FAILED,)
    assert (selection.detail or "").startswith("the scorer failed: ")
    model = ScriptedModel(answer("tabs.md"))
    selection = ask(MemoryStore(notes, scorer=scorer, model=model), POOL, mode)
    assert (names(selection), selection.warnings) == (["tabs.md"], (Warn.SCORER_FAILED,))


def test_a_users_scorer_cannot_change_what_the_store_has(notes: Path, mode: str) -> None:
    def sort(headers: Any) -> list[float]:
        headers.sort(key=lambda header: header.name)
        return [0.0] * len(headers)

    selection = ask(MemoryStore(notes, scorer=Scorer(sort)), POOL, mode)
    assert (names(selection), selection.warnings) == (["postgres.md"], (Warn.SCORER_FAILED,))


# A selector of the user's


class Selector:
    """Gives whatever `give` makes of the candidates."""

    def __init__(self, give: Callable[[Sequence[Candidate]], Any]) -> None:
        self.give = give

    def select(self, query: str, candidates: Sequence[Candidate], options: SelectOptions) -> Any:  # noqa: ARG002
        return self.give(candidates)


def selection_of(*memories: Any, outcome: Any = Outcome.SELECTED, **fields: Any) -> Selection:
    return Selection(outcome, memories, **fields)


STRANGER = MemoryHeader("stranger.md", "/etc/passwd", NEW_YEAR)


def test_a_users_selector_is_used(notes: Path, mode: str) -> None:
    selector = FixedSelector("deploy.md", "tabs.md")
    selection = ask(MemoryStore(notes, selector=selector), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.SELECTED, ["tabs.md", "deploy.md"])
    assert (selector.queries, selection.warnings) == ([POOL], ())


@pytest.mark.parametrize(
    ("give", "chosen", "outcome", "rejected"),
    [
        (lambda c: later(selection_of(c[2].header)), ["deploy.md"], Outcome.SELECTED, ()),
        (lambda _: selection_of(), [], Outcome.NONE_RELEVANT, ()),
        (
            lambda c: selection_of(c[0].header, outcome=Outcome.NONE_RELEVANT),
            ["tabs.md"],
            Outcome.SELECTED,
            (),
        ),
        (
            lambda c: selection_of(c[2].header, STRANGER, c[0].header),
            ["tabs.md", "deploy.md"],
            Outcome.SELECTED,
            ("stranger.md",),
        ),
        (
            lambda c: selection_of(*[one.header for one in c] * 3),
            ["tabs.md", "postgres.md"],
            Outcome.SELECTED,
            (),
        ),
        (
            lambda c: selection_of(c[1].header, outcome="fell_back", reason=Reason.OVERLOADED),
            ["postgres.md"],
            Outcome.FELL_BACK,
            (),
        ),
    ],
)
def test_only_candidates_are_taken_from_a_selector(
    notes: Path, mode: str, give: Any, chosen: list[str], outcome: Outcome, rejected: Any
) -> None:
    selection = ask(MemoryStore(notes, selector=Selector(give)), POOL, mode, limit=2)
    assert (names(selection), selection.outcome) == (chosen, outcome)
    assert selection.rejected == rejected
    assert len(selection.candidates) == 3


def test_a_header_of_a_known_name_is_replaced_by_the_known_one(notes: Path, mode: str) -> None:
    forged = MemoryHeader("tabs.md", "/etc/passwd", NEW_YEAR)
    selection = ask(
        MemoryStore(notes, selector=Selector(lambda _: selection_of(forged))), POOL, mode
    )
    assert [header.path for header in selection] == [str(notes / "tabs.md")]


@pytest.mark.parametrize(
    ("give", "reason"),
    [
        (fail, Reason.MODEL_FAILED),
        (lambda _: fail_later(), Reason.MODEL_FAILED),
        (lambda _: None, Reason.INVALID_SELECTION),
        (lambda _: ["tabs.md"], Reason.INVALID_SELECTION),
        (lambda _: selection_of(STRANGER), Reason.INVALID_SELECTION),
        (lambda _: selection_of("tabs.md"), Reason.INVALID_SELECTION),
        (lambda _: Selection(Outcome.SELECTED, None), Reason.INVALID_SELECTION),  # type: ignore[arg-type]
        (lambda c: selection_of(c[0].header, outcome="great"), Reason.INVALID_SELECTION),
        (lambda c: selection_of(c[0].header, rejected=None), Reason.INVALID_SELECTION),
    ],
)
def test_a_selector_that_fails_gives_way_to_the_scorer(
    notes: Path, mode: str, give: Any, reason: Reason
) -> None:
    selection = ask(MemoryStore(notes, selector=Selector(give)), POOL, mode)
    assert (selection.outcome, names(selection)) == (Outcome.FELL_BACK, ["postgres.md"])
    assert (selection.reason, bool(selection.detail)) == (reason, True)


def test_our_selector_can_be_given_as_one(notes: Path, mode: str) -> None:
    for model in (ScriptedModel(answer("tabs.md")), AsyncScriptedModel(answer("tabs.md"))):
        assert names(ask(MemoryStore(notes, selector=AIMemorySelector(model)), POOL, mode)) == [
            "tabs.md"
        ]


def test_our_selector_gets_the_roots_that_a_model_may_put_before_a_name(
    notes: Path, mode: str
) -> None:
    model = ScriptedModel(answer(f"{notes}/postgres.md"))
    given = AIMemorySelector(model, max_lines=2)
    selection = ask(MemoryStore(notes, selector=given), POOL, mode)
    assert (selection.outcome, selection.not_shown) == (Outcome.SELECTED, 1)
    assert names(selection) == ["postgres.md"]
    elsewhere = AIMemorySelector(model, roots=["/elsewhere"])
    assert ask(MemoryStore(notes, selector=elsewhere), POOL, mode).outcome is Outcome.FELL_BACK


def test_a_model_is_told_the_time_that_is_left(notes: Path, mode: str) -> None:
    class Slow:
        def score(self, _: str, headers: Sequence[MemoryHeader], __: SelectOptions) -> list[float]:
            time.sleep(0.3)
            return [0.5] * len(headers)

    model = ScriptedModel(answer("tabs.md"))
    ask(MemoryStore(notes, model=model, scorer=Slow()), POOL, mode)
    left = model.prompts[0].timeout
    assert left is not None
    assert 0 < left < 9.8


def test_a_subclass_of_our_selector_chooses_in_its_own_way(notes: Path, mode: str) -> None:
    class First(AIMemorySelector):
        def select(
            self, query: str, candidates: Sequence[Candidate], options: SelectOptions
        ) -> Any:
            self.asked = (query, options.limit)
            return selection_of(candidates[0].header)

    model = ScriptedModel(answer("deploy.md"))
    selector = First(model)
    assert names(ask(MemoryStore(notes, selector=selector), POOL, mode)) == ["tabs.md"]
    assert (selector.asked, model.prompts) == ((POOL, 5), [])


@pytest.mark.parametrize(
    "parts",
    [{"selector": object()}, {"scorer": object()}, {"model": "gpt"}],
)
def test_parts_that_cannot_work_are_refused(notes: Path, parts: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(parts))):
        MemoryStore(notes, **parts)


# Roots


def test_nothing_to_read(tmp_path: Path, mode: str) -> None:
    selection = ask(MemoryStore(tmp_path), POOL, mode)
    assert (selection.outcome, selection.reason) == (Outcome.NO_MEMORIES, None)


@pytest.mark.parametrize(
    ("root", "code"),
    [
        ("missing", Code.NO_FOLDER),
        ("file", Code.NOT_A_FOLDER),
        ("file/below", Code.NOT_A_FOLDER),
        ("\x00", Code.NO_FOLDER),
    ],
)
def test_roots_that_cannot_be_read(tmp_path: Path, mode: str, root: str, code: Code) -> None:
    (tmp_path / "file").write_text("no folder")
    model = ScriptedModel(answer())
    selection = ask(MemoryStore(f"{tmp_path}/{root}", model=model), POOL, mode)
    assert (selection.outcome, selection.reason) == (Outcome.UNAVAILABLE, code)
    assert [problem.code for problem in selection.problems] == [code]
    assert model.prompts == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_root_that_may_not_be_read(shared_folder: Path, mode: str) -> None:
    store = MemoryStore(shared_folder)
    assert as_nobody(lambda: ask(store, POOL, mode)).outcome is Outcome.NO_MEMORIES
    shared_folder.chmod(0)
    selection = as_nobody(lambda: ask(store, POOL, mode))
    shared_folder.chmod(0o700)
    assert (selection.outcome, selection.reason) == (Outcome.UNAVAILABLE, Code.PERMISSION)


def test_a_root_may_come_later(tmp_path: Path, mode: str) -> None:
    store = MemoryStore(tmp_path / "later")
    assert ask(store, POOL, mode).outcome is Outcome.UNAVAILABLE
    note(tmp_path / "later", "postgres.md", "Postgres connection pool limit")
    assert names(ask(store, POOL, mode)) == ["postgres.md"]


def test_names_of_several_roots_have_labels(notes: Path, tmp_path: Path, mode: str) -> None:
    note(tmp_path / "team", "sub/postgres.md", "The Postgres connection pool limit of the team", 9)
    store = MemoryStore({"own": notes, "team": tmp_path / "team", "gone": tmp_path / "gone"})
    selection = ask(store, POOL, mode)
    assert names(selection) == ["team/sub/postgres.md", "own/postgres.md"]
    assert [(one.name, one.code) for one in selection.problems] == [("gone", Code.NO_FOLDER)]
    assert store.read("team/sub/postgres.md").body == b"The body of sub/postgres.md.\n"
    sha = store.read("own/postgres.md").sha256
    surfaced = {"own/postgres.md": sha, "team/sub/postgres.md": "0" * 64}
    assert names(ask(store, POOL, mode, already_surfaced=surfaced)) == ["team/sub/postgres.md"]


@pytest.mark.parametrize("roots", [{"own": "gone"}, {"own": "gone", "team": "gone too"}])
def test_no_root_of_several_can_be_read(tmp_path: Path, mode: str, roots: dict[str, str]) -> None:
    store = MemoryStore({label: tmp_path / path for label, path in roots.items()})
    assert ask(store, POOL, mode).outcome is Outcome.UNAVAILABLE


def test_an_empty_root_beside_a_missing_one_holds_no_memory(tmp_path: Path, mode: str) -> None:
    (tmp_path / "empty").mkdir()
    store = MemoryStore({"empty": tmp_path / "empty", "gone": tmp_path / "gone"})
    assert ask(store, POOL, mode).outcome is Outcome.NO_MEMORIES


# Time and stops; see also test_cancellation.py


def test_no_time_at_all_still_has_an_answer(notes: Path, mode: str) -> None:
    model = ScriptedModel(answer("tabs.md"))
    selection = ask(MemoryStore(notes, model=model), POOL, mode, timeout=0)
    assert (selection.outcome, selection.reason) == (Outcome.FELL_BACK, Reason.TIMEOUT)
    assert selection.warnings == (Warn.SCAN_INCOMPLETE,)
    assert model.prompts == []


@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("options", [{}, {"types": "nonsense"}, {"model": False}])
def test_a_scan_that_is_cut_off_is_not_called_complete(
    notes: Path, files: int, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is looked at once at the start and once a file; then the time is over."""
    store = MemoryStore(notes, model=ScriptedModel(answer("tabs.md")))
    now, looks = time.monotonic(), StopAfter(1 + files)
    monkeypatch.setattr(time, "monotonic", lambda: now + 60 * looks.is_set())
    selection = store.find_relevant(POOL, **options)
    assert (selection.outcome, selection.reason) == (Outcome.FELL_BACK, Reason.TIMEOUT)
    assert selection.warnings == (Warn.SCAN_INCOMPLETE,)
    assert len(selection.candidates) == (0 if options.get("types") else files)


@pytest.mark.parametrize("in_time", [True, False])
def test_without_time_a_surfaced_file_counts_as_unchanged(
    notes: Path, in_time: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline comes right behind the scan."""
    now, looks = time.monotonic(), StopAfter(1 + 3 + 100 * in_time)
    monkeypatch.setattr(time, "monotonic", lambda: now + 60 * looks.is_set())
    selection = MemoryStore(notes).find_relevant(POOL, already_surfaced={"postgres.md": "0" * 64})
    assert len(selection.candidates) == 2 + in_time


@pytest.mark.parametrize("model", [None, ScriptedModel(answer("tabs.md"))])
def test_the_newest_are_rated_first_when_the_time_runs_out(
    tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scan is in time; every look at the clock behind it finds another 6 ms gone."""
    for i in range(1_000):
        note(
            tmp_path,
            f"jam_{i:03}.md",
            "The printer jams on thick paper" if i % 100 == 99 else "",
            i,
        )
    store = MemoryStore(tmp_path, model=model)
    scanned, start, late = StopAfter(1 + 1_000), time.monotonic(), [60.0]

    def monotonic() -> float:
        if not scanned.is_set():
            return start
        late.append(late[-1] + 0.006)
        return start + late[-1]

    monkeypatch.setattr(time, "monotonic", monotonic)
    selection = store.find_relevant("The printer jams on thick paper")
    assert (selection.outcome, selection.reason) == (Outcome.FELL_BACK, Reason.TIMEOUT)
    assert selection.warnings == ()
    scores = [one.score.value for one in selection.candidates]
    assert len(scores) == 1_000
    assert max(scores[:256]) > 0
    assert max(scores[-256:]) == 0
    assert "jam_999.md" in names(selection)
    assert model is None or model.prompts == []


def test_a_stop_gives_an_empty_selection(notes: Path, mode: str, caplog: Any) -> None:
    caplog.set_level(logging.INFO)
    stop, model = threading.Event(), ScriptedModel(answer("tabs.md"))
    stop.set()
    selection = ask(MemoryStore(notes, model=model), POOL, mode, cancel=stop)
    assert (selection.outcome, names(selection)) == (Outcome.CANCELLED, [])
    assert (selection.reason, selection.warnings, model.prompts) == (None, (), [])
    assert caplog.records == []


# Reading


def test_reading_gives_the_whole_memory(notes: Path) -> None:
    (notes / "tabs.md").write_bytes(b"---\r\nname: Tabs\r\nx: 1\r\n---\r\nA\r\n---\r\nB\xff")
    memory = MemoryStore(notes).read("tabs.md")
    assert memory.header.title == "Tabs"
    assert memory.metadata == {"name": "Tabs", "x": "1"}
    assert memory.body == b"A\r\n---\r\nB\xff"
    assert memory.sha256 == hashlib.sha256((notes / "tabs.md").read_bytes()).hexdigest()


def test_every_selected_memory_can_be_read(notes: Path) -> None:
    store = MemoryStore(notes)
    for header in store.find_relevant(POOL):
        assert store.read(header.name).header == header


@pytest.mark.parametrize("name", ["MEMORY.md", "README.md", "CLAUDE.md", "AGENTS.md"])
def test_index_and_client_files_can_be_read_but_are_not_selected(notes: Path, name: str) -> None:
    note(notes, name, "The Postgres connection pool has a limit")
    store = MemoryStore(notes)
    assert names(store.find_relevant(POOL)) == ["postgres.md"]
    assert store.read(name).body == f"The body of {name}.\n".encode()


@pytest.mark.parametrize(
    "name",
    [
        "missing.md", "", ".", "..", "/", "../outside.md", "sub/../../outside.md", "./tabs.md",
        "/etc/passwd", "tabs.md/", "tabs", "TABS.MD", "tabs.md\x00", "\x00", "..\\outside.md",
        "C:\\outside.md", "file:///etc/passwd", "%2e%2e/outside.md", "sub", "sub/", ".hidden/a.md",
        "link.md", "linked/outside.md", "~/outside.md", "\ud800", "a" * 5000, "notes.txt",
    ],
)  # fmt: skip
def test_only_listed_names_are_read(notes: Path, name: str) -> None:
    outside = note(notes.parent, "outside.md", "SECRET")
    note(notes, ".hidden/a.md", "hidden")
    (notes / "sub").mkdir()
    (notes / "notes.txt").write_text("no memory")
    (notes / "link.md").symlink_to(outside)
    (notes / "linked").symlink_to(notes.parent)
    with pytest.raises(ReadError) as caught:
        MemoryStore(notes).read(name)
    assert caught.value.code is Code.NOT_LISTED


def test_a_root_that_is_missing_is_said_when_a_name_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"gone.*no_folder"):
        MemoryStore(tmp_path / "gone").read("a.md")


def test_a_new_file_is_found_by_its_name(notes: Path) -> None:
    store = MemoryStore(notes)
    store.scan()
    note(notes, "new.md", "just written")
    assert store.read("new.md").header.description == "just written"


def test_a_link_that_takes_the_place_of_a_file_is_not_followed(notes: Path) -> None:
    outside = note(notes.parent, "outside.md", "SECRET")
    store = MemoryStore(notes)
    store.scan()
    (notes / "tabs.md").unlink()
    (notes / "tabs.md").symlink_to(outside)
    with pytest.raises(ReadError) as caught:
        store.read("tabs.md")
    assert caught.value.code is Code.SYMLINK_OUTSIDE


def test_a_link_that_takes_the_place_of_a_folder_is_not_followed(notes: Path) -> None:
    note(notes, "sub/outside.md", "inside")
    note(notes.parent, "outside.md", "SECRET")
    store = MemoryStore(notes)
    store.scan()
    (notes / "sub").rename(notes / ".away")
    (notes / "sub").symlink_to(notes.parent)
    with pytest.raises(ReadError) as caught:
        store.read("sub/outside.md")
    assert caught.value.code in (Code.SYMLINK_OUTSIDE, Code.NOT_A_FOLDER)


@pytest.fixture
def swapping(notes: Path) -> Iterator[Path]:
    """`sub` and `file.md` are swapped all the time, for links to secrets outside and back."""
    secrets = notes.parent / "secrets"
    note(secrets, "note.md", "SECRET")
    note(notes, "sub/note.md", "inside")
    note(notes, "file.md", "inside")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for mine, theirs in (("sub", secrets), ("file.md", secrets / "note.md")):
                (notes / mine).rename(notes / ".away")
                (notes / mine).symlink_to(theirs)
                time.sleep(0)
                (notes / mine).unlink()
                (notes / ".away").rename(notes / mine)

    thread = threading.Thread(target=swap)
    thread.start()
    yield notes
    done.set()
    thread.join(10)


def test_nothing_outside_is_read_in_a_race(swapping: Path) -> None:
    store = MemoryStore(swapping)
    kept: dict[str, MemoryHeader] = {}
    while len(kept) < 2:  # both were seen in their place
        kept |= {h.name: h for h in store.scan().headers if h.name in ("sub/note.md", "file.md")}
    ends = dict.fromkeys(("read", "refused"), 0)
    for turn in range(2_000):
        store._listed = kept  # as after a scan that saw them
        try:
            memory = store.read(("sub/note.md", "file.md")[turn % 2])
        except ReadError:
            ends["refused"] += 1
        else:
            ends["read"] += 1
            assert memory.header.description == "inside"
            assert memory.metadata == {"description": "inside"}
    assert min(ends.values()) > 0, ends


def test_nothing_outside_is_listed_in_a_race(swapping: Path) -> None:
    store = MemoryStore(swapping)
    for _ in range(300):
        assert "SECRET" not in [header.description for header in store.scan().headers]


def test_two_threads_may_use_one_store(notes: Path) -> None:
    """One reads what is not listed in a selection, while another selects."""
    note(notes, "MEMORY.md", "an index")
    store = MemoryStore(notes)
    done = threading.Event()
    chosen: list[list[str]] = []

    def select() -> None:
        while not done.is_set():
            chosen.append(names(store.find_relevant(POOL)))

    thread = threading.Thread(target=select)
    thread.start()
    try:
        for _ in range(300):
            assert store.read("MEMORY.md").header.description == "an index"
            assert store.read("tabs.md").header.name == "tabs.md"
    finally:
        done.set()
        thread.join(10)
    assert chosen
    assert all(one == ["postgres.md"] for one in chosen)


def test_a_selection_between_a_scan_and_its_reading_does_not_hide_a_name(notes: Path) -> None:
    """What another thread may do at that very moment."""

    class Shared(MemoryStore):
        def scan(self, **options: bool) -> Scan:
            found = super().scan(**options)
            self.find_relevant(POOL)
            return found

    note(notes, "MEMORY.md", "an index")
    assert Shared(notes).read("MEMORY.md").header.description == "an index"


def test_many_selections_at_once_on_one_event_loop(notes: Path) -> None:
    store = MemoryStore(notes, model=AsyncScriptedModel(answer("tabs.md")))

    async def main() -> list[Selection]:
        return await asyncio.gather(*(store.afind_relevant(POOL) for _ in range(50)))

    assert [names(selection) for selection in asyncio.run(main())] == [["tabs.md"]] * 50


def test_nothing_is_written(notes: Path, mode: str) -> None:
    def state() -> dict[str, tuple[bytes, int, int]]:
        paths = sorted(notes.rglob("*"))
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns, p.stat().st_mode) for p in paths}

    before = state()
    store = MemoryStore(notes, model=ScriptedModel(answer("tabs.md")))
    ask(store, POOL, mode, already_surfaced={"postgres.md": "0" * 64})
    store.read("tabs.md")
    assert state() == before


def test_the_scorer_of_the_store_is_the_one_that_ships(notes: Path, mode: str) -> None:
    headers = MemoryStore(notes).scan().headers
    scores = HeuristicScorer().score(POOL, headers, SelectOptions())
    selection = ask(MemoryStore(notes), POOL, mode)
    assert [one.score for one in selection.candidates] == scores
