"""The one pattern for plain headers says what the general rule says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.codes import Code
from selector.fields import KEYS, USUAL_KEYS, plain_fields, read_fields
from selector.frontmatter import split

PLAIN = {
    "agent memory": "name: a\ndescription: b: c\nmetadata: \n  node_type: memory\n  type: user\n"
    "  originSessionId: 1-2\n  modified: 2025-01-02T03:04:05Z\n",
    "rule": "description: x\nglobs: **/*\nalwaysApply: false\n",
    "note": "title: A\naliases:\n  - b\ntags:\n- c\n- d\ncssclasses: []\ncreated: 2025-01-02\n",
    "skill": "name: a\ndescription: b\nmetadata:\n  owner: us\n  version: '1'\nallowed-tools: c\n",
    "nothing": "",
}
# What the general rule must look at.
ODD = (
    "Name: a\n", "name : a\n", "name:a\n", "name: a\nname: b\n", "name:\n", "name: a \n",
    "name: a\n  b\n", "other: a\n  name: b\n", "description: >\n  a\n", "summary: a\n",
    "  name: a\n", "# a\n", "a\n", "\n", "- a\n", '"name": a\n', "other:\n\tname: a\n",
    "metadata: {type: a}\n", "metadata:\n", "metadata:\n  type:a\n", "metadata:\n  Type: a\n",
    "metadata:\n  type: a\n  type: b\n", "metadata:\n  'type': a\n",
    "metadata:\n  a:\n    type: b\n", "metadata:\n  type:\n", "metadata:\n\ttype: a\n",
    "metadata:\n  type: a\n b: c\n",
    "metadata:\n  type: a\nmetadata:\n  type: b\n", "metadata:\n  - type: a\n",
    "metadata:\n  type: a\nmetadata:\n  b: c\n", "NAME: a\n", "metadata:\n  TYPE: a\n",
    "name: a\r\n", "other:\nname:\n", "name:  \n", "Summary: a\n",
)  # fmt: skip


def general(text: str) -> tuple[dict[str, str], int, set[Code]]:
    """What the general rule says, for a text with a header."""
    codes: set[Code] = set()
    header, start, _ = split(text, codes)
    fields = read_fields(header or "", codes) or {}
    return fields, start, codes


def check(text: str) -> bool:
    """True when the text is plain; then both rules say the same, and there is nothing to report."""
    found, start = plain_fields(text)
    if not start:
        assert found == {}
        return False
    fields, end, codes = general(text)
    # Of the mapping only the fields count.
    assert found.pop("metadata", None) is None or "metadata" in fields
    fields.pop("metadata", None)
    assert (found, start, codes) == (fields, end, set())
    return True


@pytest.mark.parametrize("header", PLAIN.values(), ids=PLAIN)
def test_plain_headers(header: str) -> None:
    assert check(f"---\n{header}---\n\nBody\n")


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_key(key: str) -> None:
    assert check(f"---\n{key}: value\nother: b\n---\nBody") == (key in USUAL_KEYS)


@pytest.mark.parametrize("header", ODD)
def test_odd_headers(header: str) -> None:
    assert not check(f"---\n{header}---\nBody\n")
    assert not check(f"---\ntype: user\n{header}---\nBody\n")


@pytest.mark.parametrize(
    "text",
    ["", "Body", "--- \nname: a\n---\n", "---\nname: a\n--- \n", "---\nname: a\n---",
     "---\nname: a\n---\n---\nname: b\n---\n", "---\nname: a\n---\n\n\n---\nname: b\n---\n",
     "\n---\nname: a\n---\n", "---\nname: a\n----\n---\n"],
)  # fmt: skip
def test_odd_fences(text: str) -> None:
    assert not check(text)


@pytest.mark.parametrize("header", ["? ", ": ", "? \n", "<<: *a\n"])
def test_what_only_yaml_knows_is_no_text(header: str) -> None:
    assert read_fields(header, set()) == {}


LINES = st.sampled_from(
    ["name: a", "type: user", "description: b #c: d", "created: 2025-01-02", "tags: [a]", "tags:",
     "metadata:", "metadata: ", "  type: user", "  modified: x", "  other: y", "  - z", "- z",
     "    type: deep", "Type: a", "  Type: b", "title: é\u3000", "title: \u3000é", "importance: 1",
     "summary: s", "metadatas: m", "types: t", "  types: t", "name", "a b: c", "", "---", "--- "]
)  # fmt: skip


@settings(max_examples=2000, deadline=None)
@given(st.lists(LINES, max_size=7), st.sampled_from(["Body", "", "---\nname: b\n---\n", "\n---\n"]))
def test_any_header(lines: list[str], body: str) -> None:
    check("\n".join(["---", *lines, "---", body]))


@settings(max_examples=1000, deadline=None)
@given(st.text("nametyp:d -\n\r\t\"'#é\u3000\x0b", max_size=40))
def test_any_text(text: str) -> None:
    check(f"---\nname: {text}\n---\n")


@pytest.mark.parametrize(
    "line",
    ["a: b\n", "a:\n", "- \n", " ", "\n", "name: ", "metadata:\n", "  a: b\n", "a", ":", "- a\n"],
)
@pytest.mark.parametrize("opening", ["---\n", "---\nmetadata:\n", "---\na:\n", "---\nname: "])
def test_long_headers(opening: str, line: str) -> None:
    """Each ends: a pattern that backtracks would take minutes for one."""
    check(opening + line * (16_000 // len(line)))
