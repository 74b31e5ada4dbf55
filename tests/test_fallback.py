"""The choice by the scores alone: what is relevant, and what a fallback keeps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ModelError, RunError
from selector.fallback import DETAIL_LIMIT, as_model_error, by_score, fall_back
from selector.scoring import CLOSE, THRESHOLD
from selector.types import Candidate, MemoryHeader, Score, SelectOptions

NOON = datetime(2026, 4, 14, 12, tzinfo=UTC)
OPTIONS = SelectOptions()


def candidates(scores: Sequence[float]) -> list[Candidate]:
    """Newest first: `m0.md`, `m1.md`, ... with these scores."""
    return [
        Candidate(MemoryHeader(f"m{i}.md", f"/m/m{i}.md", NOON - timedelta(days=i)), Score(score))
        for i, score in enumerate(scores)
    ]


SEVEN = candidates([0.0] * 7)


@pytest.mark.parametrize(
    ("scores", "limit", "expected"),
    [
        ([0.5, 0.6, 0.55], 5, ["m0.md", "m1.md", "m2.md"]),
        ([0.5, 0.6, 0.55], 2, ["m1.md", "m2.md"]),
        ([0.5, 0.5, 0.5], 2, ["m0.md", "m1.md"]),
        ([0.0, 0.4, THRESHOLD - 0.01], 5, ["m1.md"]),
        ([THRESHOLD, 0.4], 5, ["m0.md", "m1.md"]),
        ([0.0, 0.0], 5, []),
        ([], 5, []),
    ],
)
def test_the_best_scores_newest_first(scores: list[float], limit: int, expected: list[str]) -> None:
    found = by_score(candidates(scores), SelectOptions(limit=limit))
    assert [header.name for header in found] == expected


def test_a_scorer_s_own_threshold_and_never_a_zero() -> None:
    found = by_score(candidates([0.1, 0.0, 1.0]), OPTIONS, 0.0, 0.0)
    assert [header.name for header in found] == ["m0.md", "m2.md"]


def test_what_is_far_behind_the_best_is_not_shown_beside_it() -> None:
    found = by_score(candidates([0.9 * CLOSE - 0.01, 0.9, 0.9 * CLOSE + 0.01]), OPTIONS)
    assert [header.name for header in found] == ["m1.md", "m2.md"]


@pytest.mark.parametrize(
    "error",
    [
        ModelError("no network", Reason.CONNECTION),
        AnswerError("odd", Reason.INVALID_JSON, ("x.md",)),
    ],
)
def test_a_fallback_keeps_the_reason(error: RunError) -> None:
    assert isinstance(error, ModelError | AnswerError)
    given_ = candidates([0.0, 0.8])
    selection = fall_back(given_, OPTIONS, error)
    assert [header.name for header in selection] == ["m1.md"]
    assert selection.outcome is Outcome.FELL_BACK
    assert selection.reason is error.reason
    assert selection.detail == str(error)
    assert selection.candidates == tuple(given_)
    assert selection.rejected == getattr(error, "rejected", ())


def test_a_fallback_may_find_nothing_and_is_still_one() -> None:
    selection = fall_back(SEVEN, OPTIONS, ModelError("no"))
    assert not selection
    assert selection.outcome is Outcome.FELL_BACK


def test_a_fallback_s_detail_is_one_line() -> None:
    text = f"<html>\n\t\x1b[1m{'x' * 2000}"
    detail = fall_back(SEVEN, OPTIONS, ModelError(text * 1000)).detail
    assert detail is not None
    assert detail.startswith("<html> [1mx")
    assert len(detail) == DETAIL_LIMIT
    assert detail.isprintable()
    assert fall_back(SEVEN, OPTIONS, ModelError("")).detail is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("x"), Reason.MODEL_FAILED),
        (TimeoutError("x"), Reason.TIMEOUT),
        (ConnectionResetError("x"), Reason.CONNECTION),
        (ModelError("x", Reason.NO_KEY), Reason.NO_KEY),
    ],
)
def test_what_a_model_raised_gets_a_reason(error: Exception, reason: Reason) -> None:
    translated = as_model_error(error)
    assert translated.reason is reason
    assert "x" in str(translated)
