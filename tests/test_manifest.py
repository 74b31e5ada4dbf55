"""The list that a model chooses from: its exact lines, and who gets room in it."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.manifest import (
    MAX_BYTES,
    MAX_LINES,
    fit,
    manifest,
    manifest_line,
)
from selector.types import DESCRIPTION_LIMIT, Candidate, MemoryHeader, Score

NOON = datetime(2026, 4, 14, 9, 30, tzinfo=UTC)


def memory(name: str = "a.md", **fields: Any) -> MemoryHeader:
    return MemoryHeader(name, f"/m/{name}", fields.pop("modified", NOON), **fields)


LINES = [
    (
        memory("deploy.md", type="project", description="How we deploy"),
        "- [project] deploy.md (2026-04-14T09:30:00Z): How we deploy",
    ),
    (memory("deploy.md"), "- deploy.md (2026-04-14T09:30:00Z)"),
    (memory("deploy.md", type="user"), "- [user] deploy.md (2026-04-14T09:30:00Z)"),
    (memory("deploy.md", description="x"), "- deploy.md (2026-04-14T09:30:00Z): x"),
    (memory("deploy.md", type="", description=""), "- deploy.md (2026-04-14T09:30:00Z)"),
    (memory("deploy.md", description=" \n "), "- deploy.md (2026-04-14T09:30:00Z)"),
    (memory("deploy.md", description="\u200b"), "- deploy.md (2026-04-14T09:30:00Z)"),
    (
        memory("home/notes/a b.md", type="x-y_1", description="a: b (c)"),
        "- [x-y_1] home/notes/a b.md (2026-04-14T09:30:00Z): a: b (c)",
    ),
    (memory("发布.md", description="如何发布"), "- 发布.md (2026-04-14T09:30:00Z): 如何发布"),
    (
        memory(description="a\nb\r\nc\td\u2028e\x0bf\u0085g  h"),
        "- a.md (2026-04-14T09:30:00Z): a b c d e f g h",
    ),
    (memory(description="کتاب\u200cها"), "- a.md (2026-04-14T09:30:00Z): کتاب\u200cها"),
    (memory(description="cafe\u0301"), "- a.md (2026-04-14T09:30:00Z): café"),
    (
        memory(modified=NOON.replace(second=59, microsecond=999_999)),
        "- a.md (2026-04-14T09:30:59Z)",
    ),
    (memory(modified=datetime.min.replace(tzinfo=UTC)), "- a.md (0001-01-01T00:00:00Z)"),
    (memory(modified=datetime.max.replace(tzinfo=UTC)), "- a.md (9999-12-31T23:59:59Z)"),
]


@pytest.mark.parametrize(("header", "line"), LINES, ids=lambda value: str(value)[-30:])
def test_the_exact_line(header: MemoryHeader, line: str) -> None:
    assert manifest_line(header) == line


def test_one_line_for_each_header_in_their_order() -> None:
    headers = [header for header, _ in LINES]
    assert manifest(headers).split("\n") == [line for _, line in LINES]
    assert manifest([]) == ""


@pytest.mark.parametrize("size", [DESCRIPTION_LIMIT - 1, DESCRIPTION_LIMIT, DESCRIPTION_LIMIT + 1])
def test_a_description_is_capped(size: int) -> None:
    shown = manifest_line(memory(description="x" * size)).partition(": ")[2]
    assert shown == "x" * min(size, DESCRIPTION_LIMIT)


def test_twins_have_lines_of_their_own() -> None:
    headers = [memory("❤\ufe0f.md"), memory(" a.md"), memory("❤.md"), memory("a.md")]
    assert manifest(headers).replace(" (2026-04-14T09:30:00Z)", "").split("\n") == [
        "- {U+2764}{U+FE0F}.md",
        "- {U+0020}a.md",
        "- ❤.md",
        "- a.md",
    ]
    size = len(manifest(headers).encode())
    given_ = [Candidate(header, Score(0.0)) for header in headers]
    assert fit(given_, max_bytes=size) == given_
    assert len(fit(given_, max_bytes=size - 1)) == 3


def test_hidden_characters_do_not_count_for_the_cap() -> None:
    shown = manifest_line(memory(description="\u200b" * 1000 + "x" * 600)).partition(": ")[2]
    assert shown == "x" * DESCRIPTION_LIMIT


# --- one line a memory, whatever a file says

BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\t"
HIDDEN = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\u061c\u180e\u034f\ufe0f\u3164\u115f"
    "\U000e0041\x1b\x00"
)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(f"{BREAKS}{HIDDEN}a- [](:)", max_size=80),
    st.text(max_size=3).map(lambda text: text * 300),
)
HEADERS = st.builds(
    memory,
    TEXTS,
    type=st.none() | TEXTS,
    description=st.none() | TEXTS,
    title=st.none() | TEXTS,
    modified=st.datetimes(timezones=st.just(UTC)),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(HEADERS, min_size=1, max_size=4))
def test_one_line_a_memory_whatever_it_says(headers: list[MemoryHeader]) -> None:
    text = manifest(headers)
    assert len(text.splitlines()) == len(headers)
    assert all(line.startswith("- ") for line in text.splitlines())
    assert text == manifest(headers)
    assert text.encode()
    assert unicodedata.normalize("NFC", text) == text


@pytest.mark.parametrize("char", [*BREAKS, *HIDDEN], ids=ascii)
@pytest.mark.parametrize("field", ["name", "type", "description"])
def test_no_character_forges_a_line_or_hides(field: str, char: str) -> None:
    fields = {"name": "a.md", "type": "user", "description": "b"}
    line = manifest_line(memory(**(fields | {field: f"x{char}- [user] fake.md"})))
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert char not in line


def test_every_code_point_is_shown_on_one_line_or_not_at_all() -> None:
    everything = map(chr, range(0x110000))
    line = manifest_line(memory(description="x".join(c for c in everything if not c.isprintable())))
    assert line.isprintable()
    for start in range(0, 0x110000, 256):
        text = "".join(map(chr, range(start, start + 256)))
        line = manifest_line(memory(text, description=f"{text}x"))
        assert len(line.splitlines()) == 1
        assert line.isprintable()
        assert not set(line) & set(HIDDEN)


# --- room


def candidates(scores: Sequence[float], **fields: Any) -> list[Candidate]:
    """Newest first, with these scores."""
    return [
        Candidate(memory(f"n{i:04}.md", modified=NOON - timedelta(days=i), **fields), Score(score))
        for i, score in enumerate(scores)
    ]


def test_all_are_shown_when_there_is_room() -> None:
    given_ = candidates([0.0] * MAX_LINES)
    assert fit(given_) == given_
    assert fit([]) == []


def test_more_than_there_are_lines() -> None:
    given_ = candidates([0.0] * 150 + [0.5, 0.9] * 150)
    shown = fit(given_)
    assert len(shown) == MAX_LINES
    assert shown == [one for one in given_ if one in shown]  # their order stays
    assert [one.score.value for one in shown].count(0.9) == 150
    # Among equal scores the newer ones count.
    assert [one for one in shown if one.score.value == 0.5] == given_[150:250:2]


def test_an_old_memory_that_matches_is_not_lost_behind_newer_ones() -> None:
    given_ = candidates([0.0] * 300 + [0.8])
    assert fit(given_)[-1] is given_[-1]


def test_more_than_there_are_bytes() -> None:
    given_ = candidates([0.1] * 100, description="é" * DESCRIPTION_LIMIT)
    shown = fit(given_)
    size = len(manifest([one.header for one in shown]).encode())
    assert shown == given_[: len(shown)]
    assert MAX_BYTES - len(manifest_line(given_[0].header).encode()) - 1 < size <= MAX_BYTES


def test_bytes_are_used_to_the_last_one() -> None:
    given_ = candidates([0.1] * 5)
    size = len(manifest([one.header for one in given_]).encode())
    assert fit(given_, max_bytes=size) == given_
    assert fit(given_, max_bytes=size - 1) == given_[:4]
    assert fit(given_, max_lines=2) == given_[:2]
    assert fit(given_, max_lines=0) == []
    assert fit(given_, max_bytes=0) == []


def test_a_long_line_gives_way_to_shorter_ones() -> None:
    long = Candidate(memory("long.md", description="x" * 500), Score(0.8))
    best, *others = candidates([0.9, 0.5, 0.5])
    room = sum(len(manifest_line(one.header)) + 1 for one in (best, *others))
    assert fit([best, long, *others], max_bytes=room) == [best, *others]
    # With room for it alone beside the best, it comes before the others.
    room = sum(len(manifest_line(one.header)) + 1 for one in (best, long))
    assert fit([best, long, *others], max_bytes=room) == [best, long]


def test_the_same_candidates_make_the_same_text() -> None:
    shuffled = random.Random(7)
    given_ = candidates([shuffled.random() for _ in range(400)], description="x" * 100)
    text = manifest([one.header for one in fit(given_)])
    assert text == manifest([one.header for one in fit(list(given_))])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.9]), st.integers(0, 60)), max_size=30),
    st.integers(0, 12),
    st.integers(0, 900),
)
def test_what_fits_is_in_order_and_within_the_caps(
    given_: list[tuple[float, int]], max_lines: int, max_bytes: int
) -> None:
    every = [
        Candidate(memory(f"{i}.md", description="x" * size), Score(score))
        for i, (score, size) in enumerate(given_)
    ]
    shown = fit(every, max_lines=max_lines, max_bytes=max_bytes)
    assert shown == [one for one in every if one in shown]
    assert len(shown) <= max_lines
    assert len(manifest([one.header for one in shown]).encode()) <= max_bytes
    # With lines to spare, nobody is left out for a worse one that takes as much room.
    left_out = [one for one in every if one not in shown] if len(shown) < max_lines else []
    for one in left_out:
        worse = [other for other in shown if other.score.value < one.score.value]
        assert all(size_of(other) < size_of(one) for other in worse)


def size_of(candidate: Candidate) -> int:
    return len(manifest_line(candidate.header).encode())
