"""The whole frontmatter of one memory: strings stay strings, and nothing raises."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selector.metadata import MAX_BRACKETS, YAML_BYTES, parse

CASES: dict[str, tuple[str, dict[str, Any] | None]] = {
    "nothing": ("", {}),
    "a comment alone": ("# nothing here\n", {}),
    "strings": ("name: deploy\ntype: user", {"name": "deploy", "type": "user"}),
    "no dates, numbers, yes and no": (
        "date: 2026-04-14\nversion: 1.10\nflag: no\nnone: null\nold: 0o17",
        {"date": "2026-04-14", "version": "1.10", "flag": "no", "none": "null", "old": "0o17"},
    ),
    "lists and mappings": (
        "tags: [a, b]\nmetadata:\n  type: user\n  list:\n    - 1\n    - x: y",
        {"tags": ["a", "b"], "metadata": {"type": "user", "list": ["1", {"x": "y"}]}},
    ),
    "blocks": ("one: |\n  a\n  b\ntwo: >-\n  a\n  b", {"one": "a\nb\n", "two": "a b"}),
    "the first of two keys": ("a: 1\na: 2", {"a": "1"}),
    "of two keys inside, too": ("m:\n  a: 1\n  a: 2", {"m": {"a": "1"}}),
    "tags of Python": (
        "a: !!python/object/apply:os.system ['true']",
        {"a": ["true"]},
    ),
    "an alias stays text": ("a: &x [1]\nb: *x", {"a": "&x [1]", "b": "*x"}),
    "a glob that YAML refuses": ("globs: **/*.py\nname: x", {"globs": "**/*.py", "name": "x"}),
    "a colon that YAML refuses": ("description: note: this", {"description": "note: this"}),
    "quotes where YAML refuses": (
        "a: \"one\"\nb: 'two'\nc: 'open\nd: x: y",
        {"a": "one", "b": "two", "c": "'open", "d": "x: y"},
    ),
    "further lines where YAML refuses": (
        "globs:\n  - **/*.py\n  - **/*.ts\nname: x",
        {"globs": "- **/*.py\n- **/*.ts", "name": "x"},
    ),
    "the first of two keys where YAML refuses": (
        "glob: **\na: 1\na: 2\n  more of the second\nb: 3",
        {"glob": "**", "a": "1", "b": "3"},
    ),
    "tabs": ("name:\tx\n\ttype: y", {"name": "x\ntype: y"}),
    "keys that are no strings": ("1: a\ntrue: b", {"1": "a", "true": "b"}),
    "a list as key": ("? [a, b]\n: c\nname: x", {"name": "x"}),
    "a list": ("- a\n- b", None),
    "a text": ("just a text", None),
    "a number": ("12", None),
}


@pytest.mark.parametrize(("header", "expected"), CASES.values(), ids=CASES.keys())
def test_headers(header: str, expected: dict[str, Any] | None) -> None:
    assert parse(header) == expected


@pytest.mark.parametrize("bracket", "[{")
def test_brackets_that_would_exhaust_the_stack(bracket: str) -> None:
    text = bracket * (MAX_BRACKETS + 1)
    assert parse(f"name: x\ndeep: {text}") == {"name": "x", "deep": text}


def test_items_in_items_that_would_exhaust_the_stack() -> None:
    items = "- " * (YAML_BYTES // 4) + "a"
    assert parse(f"name: x\ndeep:\n{items}") == {"name": "x", "deep": items}


@pytest.mark.parametrize("line", ["- a\n", "more text\n", "key: value\n", "\n", "  indented\n"])
def test_a_long_header_takes_its_length_in_time(line: str) -> None:
    """Four megabytes, as many as are read: neither YAML nor adding line to line ends in time."""
    header = "name: x\n" + line * (4_000_000 // len(line))
    start = time.monotonic()
    found = parse(header)
    assert time.monotonic() - start < 20
    assert found is not None
    assert found["name"].startswith("x")


lines = st.lists(
    st.sampled_from(
        ["name: x", "a: [", "- b", "  c: d", "? e", ": f", "*g", "&h i", "!!set {j}", "k: |",
         "<<: l", "%TAG m", "\t", "'", '"', "#", "...", "n: >-", "{o: p}: q", "r: \ud800", "\x00",
         "\x85", "\u2028"]
    )
    | st.text(max_size=12),
    max_size=12,
)  # fmt: skip


@given(lines)
def test_any_header_gives_strings_or_nothing(some: list[str]) -> None:
    found = parse("\n".join(some))
    assert found is None or all(isinstance(key, str) for key in found)
    assert found == parse("\n".join(some))
    for value in (found or {}).values():
        assert isinstance(value, str | list | dict)
