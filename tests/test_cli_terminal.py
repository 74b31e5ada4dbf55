"""The same calls on a pseudo-terminal and through a pipe."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from selector.cli.table import fitted, width
from tests.commands import memsel, on_terminal, sample_memories

QUERY = "How do I roll back a bad timetable import?"
STYLE = re.compile(r"\x1b\[\d+m")


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample_memories(tmp_path_factory.mktemp("samples")))


def plain(text: str) -> str:
    return STYLE.sub("", text)


def measured(line: str) -> int:
    """The columns of a line, counted in a second way."""
    wide = sum(unicodedata.east_asian_width(char) in ("W", "F") for char in line)
    return len(line) + wide - sum(map(bool, map(unicodedata.combining, line)))


@pytest.mark.parametrize("columns", [30, 60, 80, 140])
def test_a_table_is_as_wide_as_the_terminal(memories: str, columns: int) -> None:
    shown = on_terminal("list", "--root", memories, columns=columns)
    lines = plain(shown).splitlines()
    assert len(lines) == 23
    assert max(map(measured, lines)) == columns
    assert all(line == line.rstrip() for line in lines)


def test_columns_are_aligned(tmp_path: Path) -> None:
    for name, kind in (("aé", "user"), ("ぜ", "reference"), ("longer", "fact")):
        text = f"---\ntype: {kind}\ndescription: zebra\n---\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    lines = plain(on_terminal("list", "--root", str(tmp_path))).splitlines()
    assert {measured(line[: line.index("zebra")]) for line in lines} == {9 + 2 + 9 + 2 + 10 + 2}
    assert {measured(line[: line.index(".md") + 3]) - len(".md") for line in lines} == {
        11 + 2,
        11 + 6,
    }


def test_a_terminal_has_colour_and_a_pipe_has_none(memories: str) -> None:
    call = ("select", QUERY, "--root", memories)
    shown = on_terminal(*call)
    assert "\x1b[1moncall/import-rollback.md\x1b[0m" in shown
    assert "\x1b[2m2026-11-12\x1b[0m" in shown
    assert plain(shown).startswith("runbook  oncall/import-rollback.md  2026-11-12  How to roll")
    assert plain(shown).endswith("…\n")
    done = memsel(*call)
    assert done.stdout == (
        "[runbook] oncall/import-rollback.md (2026-11-12): How to roll back a bad timetable "
        "import: restore the previous edition, then clear the departure cache\n"
    )


@pytest.mark.parametrize(
    ("settings", "colour"),
    [
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_can_be_switched_off(memories: str, settings: dict[str, str], colour: bool) -> None:
    shown = on_terminal("list", "--root", memories, columns=80, **settings)
    assert ("\x1b" in shown) is colour
    assert plain(shown).startswith("user       user_maren.md ")


def test_what_takes_no_part_is_marked(memories: str) -> None:
    shown = on_terminal("list", "--root", memories, "--type", "project", columns=120)
    assert "\x1b[33mexpired: Merge freeze on main" in shown
    assert "\x1b[33msuperseded: Delay predictions" in shown


def test_a_terminal_without_the_signs(memories: str) -> None:
    shown = plain(on_terminal("list", "--root", memories, PYTHONIOENCODING="ascii"))
    assert "…" not in shown
    assert "..." in shown
    assert max(map(len, shown.splitlines())) == 80


def test_a_memory_with_a_head(memories: str) -> None:
    shown = plain(on_terminal("show", "user_ruben.md", "--root", memories))
    head, _, body = shown.partition("\n\n")
    assert [line.split()[0] for line in head.splitlines()] == [
        "user_ruben.md",
        *("type", "title", "description", "changed", "path", "sha256"),
    ]
    assert "changed      2025-10-21 13:02 UTC\n" in head
    assert "Skip Python basics." in body


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose name, file names and texts hold what a terminal obeys."""
    folder = tmp_path / "bad\x1b[31m"
    folder.mkdir()
    body = "red \x1b]0;title\x07 \x9b31m\r\n\ttab\u202e\u3000日\n"
    text = f"---\ndescription: red \x1b[31mcolour\n---\n{body}"
    (folder / "red.md").write_bytes(text.encode())
    (folder / "open\x1b[31m.md").write_bytes(b"x")
    return folder


@pytest.mark.parametrize(
    "call",
    [
        "select red --root BAD --explain",
        "select red --root BAD --context",
        "select red --root BAD --json",
        "select red --root BAD --model \x1b[31m",
        "list --root BAD",
        "list --root BAD --type no",
        "list --root BAD/no",
        "manifest --root BAD",
        "show red.md --root BAD",
        "show \x1b[31m --root BAD",
        "doctor --root BAD",
        "\x1b[31m",
    ],
)
def test_no_escape_sequence_reaches_a_terminal(call: str, hostile: Path) -> None:
    words = [word.replace("BAD", str(hostile)) for word in call.split(" ")]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", on_terminal(*words, NO_COLOR="1"))
    assert "\x1b[31mcolour" not in on_terminal(*words)


def test_a_body_is_shown_as_text(hostile: Path) -> None:
    shown = on_terminal("show", "red.md", "--root", str(hostile))
    _, _, body = shown.partition("\n\n")
    assert body == "red \\x1b]0;title\\x07 \\x9b31m\n        tab\\u202e\u3000日\n"


def test_findings_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "plain.md").write_text("plain")
    shown = on_terminal("doctor", "--root", str(tmp_path), columns=40)
    lines = shown.splitlines()
    assert lines[0].startswith("\x1b[31merror\x1b[0m    \x1b[1mempty.md\x1b[0m  nothing is in it")
    assert lines[1].startswith("\x1b[33mwarning\x1b[0m  \x1b[1mplain.md\x1b[0m  ")
    assert measured(plain(lines[1])) > 40  # nothing is cut
    assert lines[2] == "2 memories looked at: 1 error, 1 warning"


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("zebra", 5, "zebra"),
        ("zebra", 4, "zeb…"),
        ("a zebra", 3, "a…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("zebra", 1, "…"),
    ],
)
def test_texts_are_cut_to_columns(text: str, limit: int, short: str) -> None:
    assert fitted(text, limit) == short
    assert width(short) <= limit
