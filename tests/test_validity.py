"""What still counts."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from selector.types import MemoryHeader
from selector.validity import is_valid

TODAY = date(2026, 12, 1)


def note(name: str, ends: date | None = None, successor: str | None = None) -> MemoryHeader:
    return MemoryHeader(
        name, f"/{name}", datetime(2026, 1, 1, tzinfo=UTC), expires_at=ends, superseded_by=successor
    )


@pytest.mark.parametrize(
    ("ends", "valid"),
    [
        (None, True),
        (date(2026, 11, 30), False),
        (date(2026, 12, 1), True),
        (date(2026, 12, 2), True),
        (date.min, False),
        (date.max, True),
    ],
)
def test_last_day_counts(ends: date | None, valid: bool) -> None:
    assert is_valid(note("a.md", ends), {"a.md"}, TODAY) is valid


@pytest.mark.parametrize(
    ("name", "successor", "valid"),
    [
        ("a.md", "b.md", False),
        ("a.md", "b", False),
        ("a.md", "./b.md", False),
        ("a.md", "[[b]]", False),
        ("a.md", " b.md ", False),
        ("x/a.md", "c.md", False),
        ("x/a.md", "x/c.md", False),
        ("x/a.md", "x\\c.md", False),
        ("x/y/a.md", "../c.md", False),
        ("a.md", "[[b|the new one]]", False),
        ("a.md", "[b|the new one]", False),  # as `[[b]]` without quotes is read
        ("a.md", "d", False),
        ("a.md", "[[x/e]]", False),
        ("x/y/a.md", "c.md", True),  # x is a folder
        ("x/a.md", "y", True),
        ("x/a.md", "", True),
        ("a.md", "gone.md", True),
        ("a.md", "c.md", True),
        ("a.md", "", True),
        ("a.md", "[]", True),
        ("a.md", "a.md", True),
        ("a.md", "./a", True),
        ("a.md", "../../b.md", True),
        ("a.md", None, True),
    ],
)
def test_successor_must_exist(name: str, successor: str | None, valid: bool) -> None:
    names = {"a.md", "b.md", "d.mdc", "x.md", "x/a.md", "x/c.md", "x/e.markdown", "x/y/a.md"}
    assert is_valid(note(name, None, successor), names, TODAY) is valid


def test_a_label_may_be_left_out() -> None:
    names = {"team/old/a.md", "team/b.md", "other/c.md"}
    successor = note("team/old/a.md", None, "b.md")
    assert is_valid(successor, names, TODAY)  # team is a folder, and its b.md something else
    assert not is_valid(successor, names, TODAY, labelled=True)
    assert is_valid(note("team/old/a.md", None, "c.md"), names, TODAY, labelled=True)


def test_either_is_enough() -> None:
    assert not is_valid(note("a.md", date.min, "gone"), {"a.md"}, TODAY)
    assert not is_valid(note("a.md", date.max, "b"), {"a.md", "b.md"}, TODAY)
