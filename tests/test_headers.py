"""What becomes of the fields: times, scope, importance, and what stands in for a missing one."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime

import pytest

from selector.codes import Code, DescriptionSource
from selector.headers import CLOCK_SLACK, OPEN_HEADER_BYTES, needs_more, read_header
from selector.types import MemoryHeader

MTIME = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW = MTIME.timestamp() + 3600


def read(
    text: str, name: str = "note.md", mtime: float = MTIME.timestamp(), kind: str | None = None
) -> tuple[MemoryHeader, set[Code]]:
    """The header of a file with this text, and what was wrong with it."""
    codes: set[Code] = set()
    raw = text.encode()
    return read_header(raw, (name, f"/{name}", mtime, len(raw), kind), NOW, codes), codes


def at(text: str) -> datetime:
    """The instant, in UTC, that an ISO text names."""
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


@pytest.mark.parametrize(
    ("lines", "time", "codes"),
    [
        ("modified: 2026-11-18T09:12:44.318Z", "2026-11-18T09:12:44.318Z", set()),
        ("modified: '2026-11-18T09:12:44Z' # at home", "2026-11-18T09:12:44Z", set()),
        ("updated: 2026-11-18", "2026-11-18", set()),
        ("updated_at: 2026-11-18 09:12", "2026-11-18 09:12", set()),
        ("timestamp: 2026-11-18T09:12:44+05:30", "2026-11-18T09:12:44+05:30", set()),
        ("date: 2026-11-18", "2026-11-18", set()),
        ("created: 2026-11-18", "2026-11-18", set()),
        ("created: 2026-11-01\nmodified: 2026-11-18", "2026-11-18", set()),
        ("metadata:\n  modified: 2026-11-18\nmodified: 2026-11-01", "2026-11-18", set()),
        ("metadata:\n  modified:\nmodified: 2026-11-18", "2026-11-18", set()),
        ("metadata:\n  modified:\n    2026-11-18\n  x: y", "2026-11-18", set()),
        # Only `modified` speaks of the file there.
        ("metadata:\n  date: 2026-11-01\n  created: 2026-11-01", "2026-11-30T12:00", set()),
        ("modified: last week", "2026-11-30T12:00", {Code.BAD_TIME}),
        ("modified: 2026-13-45", "2026-11-30T12:00", {Code.BAD_TIME}),
        ("modified: 1700000000", "2026-11-30T12:00", {Code.BAD_TIME}),
        ("modified: soon\ncreated: 2026-11-18", "2026-11-18", {Code.BAD_TIME}),
        ("modified: null", "2026-11-30T12:00", set()),
        ("modified:", "2026-11-30T12:00", set()),
        # A day after the mtime may be a time zone; more cannot be.
        ("modified: 2026-12-01T11:59:59Z", "2026-12-01T11:59:59Z", set()),
        ("modified: 2026-12-01T12:00:01Z", "2026-11-30T12:00", {Code.FUTURE_TIME}),
        ("modified: 2999-01-01\ncreated: 2026-11-18", "2026-11-18", {Code.FUTURE_TIME}),
        ("modified: 0001-01-01T00:00:00+14:00", "2026-11-30T12:00", {Code.BAD_TIME}),
        ("x: y", "2026-11-30T12:00", set()),
    ],
)
def test_declared_time(lines: str, time: str, codes: set[Code]) -> None:
    header, found = read(f"---\ndescription: d\n{lines}\n---\n")
    assert (header.modified, found) == (at(time), codes)
    assert header.modified.tzinfo is UTC


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("2026-11-18.md", "2026-11-18"),
        ("memory/2026-11-18-incident.md", "2026-11-18"),
        ("2026-11-18/note.md", "2026-11-30T12:00"),
        ("note-2026-11-18.md", "2026-11-30T12:00"),
        ("2026-11-188.md", "2026-11-30T12:00"),
        ("2026-99-18.md", "2026-11-30T12:00"),
        ("2999-01-01.md", "2026-11-30T12:00"),
    ],
)
def test_time_in_the_name(name: str, time: str) -> None:
    assert read("text", name)[0].modified == at(time)
    declared = read("---\nmodified: 2026-11-01\n---\n", name)[0]
    assert declared.modified == at("2026-11-01")


@pytest.mark.parametrize("mtime", [-1e30, -1e12, -1.0, 0.0, 1e12, 1e30])
def test_any_mtime(mtime: float) -> None:
    header, codes = read("---\ndescription: d\n---\n", mtime=mtime)
    assert header.modified.tzinfo is UTC
    assert codes == ({Code.FUTURE_MTIME} if mtime > NOW else set())


def test_clocks_may_differ() -> None:
    text = "---\ndescription: d\n---\n"
    assert read(text, mtime=NOW + CLOCK_SLACK - 0.5)[1] == set()
    assert read(text, mtime=NOW + CLOCK_SLACK + 0.5)[1] == {Code.FUTURE_MTIME}


@pytest.mark.parametrize(
    ("lines", "scope"),
    [
        ("globs: *.ts, src/**", ("*.ts", "src/**")),
        ("globs: **/*", ("**/*",)),
        ("globs:", ()),
        ("paths:\n  - src/**/*.{ts,tsx}\n  - 'lib/**'", ("src/**/*.{ts,tsx}", "lib/**")),
        ("applyTo: '**/*.py,**/*.pyi'", ("**/*.py", "**/*.pyi")),
        ("fileMatchPattern: ['a', \"b\"]", ("a", "b")),
        ("globs: a, a\npaths: [a, b]", ("b", "a")[::-1]),
        ('globs: ["a\\u202eb"]', ("ab",)),
        ("globs: # none", ()),
        ("globs: # these\n  - a\n  # not this\n  - b", ("a", "b")),
        ("paths: &p\n  - a", ("a",)),
        ("globs: a,\n  # and\n  b", ("a", "b")),
        ("globs: '!a, #b'", ("!a",)),
        ("globs: !src/**\n", ("!src/**",)),
    ],
)
def test_scope(lines: str, scope: tuple[str, ...]) -> None:
    assert read(f"---\ndescription: d\n{lines}\n---\n")[0].scope == scope


@pytest.mark.parametrize(
    ("written", "importance", "codes"),
    [
        ("0.9", 0.9, set()),
        ("1 # much", 1.0, set()),
        ("0", 0.0, set()),
        ("high", 0.5, {Code.BAD_VALUE}),
        ("7", 0.5, {Code.BAD_VALUE}),
        ("-0.1", 0.5, {Code.BAD_VALUE}),
        ("nan", 0.5, {Code.BAD_VALUE}),
        ("inf", 0.5, {Code.BAD_VALUE}),
        ("", 0.5, {Code.BAD_VALUE}),
    ],
)
def test_importance(written: str, importance: float, codes: set[Code]) -> None:
    header, found = read(f"---\ndescription: d\nimportance: {written}\n---\n")
    assert (header.importance, found) == (importance, codes)


@pytest.mark.parametrize(
    ("lines", "ends", "codes"),
    [
        ("expires_at: 2027-05-18", date(2027, 5, 18), set()),
        ("valid_until: 2027-05-18T23:30:00-02:00", date(2027, 5, 19), set()),
        ("stale_after: '2027-05-18'", date(2027, 5, 18), set()),
        ("expires_at: someday\nstale_after: 2027-05-18", date(2027, 5, 18), {Code.BAD_TIME}),
        ("expires_at:", None, set()),
        ("expires_at: never", None, {Code.BAD_TIME}),
        ("expires_at: # none", None, set()),
        ("expires_at: # soon\n  2027-05-18", date(2027, 5, 18), set()),
        ("expires_at: !!timestamp 2027-05-18", date(2027, 5, 18), set()),
    ],
)
def test_last_day(lines: str, ends: date | None, codes: set[Code]) -> None:
    header, found = read(f"---\ndescription: d\n{lines}\n---\n")
    assert (header.expires_at, found) == (ends, codes)


def test_successor() -> None:
    header, _ = read("---\ndescription: d\nsuperseded_by: '[[new]]' # since May\n---\n")
    assert header.superseded_by == "[[new]]"
    assert read("---\nsuperseded_by: null\n---\n")[0].superseded_by is None


@pytest.mark.parametrize(
    ("text", "title", "description"),
    [
        ("# Title\n\nFirst.\n\nSecond.", "Title", "First."),
        ("---\nname: n\n---\n# Title\n\nFirst.", "n", "First."),
        ("---\ntype: user\n---\n\n## Opens\n\nFirst.", "Opens", "First."),
        ("---\nx: y\n---\n", None, None),
        ("updated_at: 2026-11-18T09:12:44Z\ncwd: /x\n\n# T\n\nFirst.", "T", "First."),
        ("updated_at: 2026-11-18\ncwd: /x\n", None, "updated_at: 2026-11-18 cwd: /x"),
        ("updated_at: 2026-11-18\ncwd: /x", None, "updated_at: 2026-11-18 cwd: /x"),
        ("---\nx: y\n---\na: b\nc: d\n\nNext.", None, "a: b c: d"),
        ("v1\n\n## Profile\n\nFirst.", "Profile", "First."),
        ("---\nnever: closed\n\nFirst.", None, "never: closed"),
        ("---\n\nA rule, then prose.\n\n---\nmore", None, "A rule, then prose."),
        ("x\u202ey", None, "xy"),
        ("# T\u202eit\u200ble \n\nFirst.", "Title", "First."),
        ("", None, None),
    ],
)  # fmt: skip
def test_from_the_body(text: str, title: str | None, description: str | None) -> None:
    header, codes = read(text)
    assert (header.title, header.description) == (title, description)
    assert header.description_from is (DescriptionSource.BODY if description else None)
    assert Code.NO_DESCRIPTION in codes


@pytest.mark.parametrize(
    ("length", "code"), [(100, Code.UNCLOSED_HEADER), (4096, Code.HEADER_TOO_LARGE)]
)
def test_a_file_that_shrinks(length: int, code: Code) -> None:
    """Less than was asked for is all there is, whatever size the file had a moment ago."""
    raw = b"---\nname: n\nx: " + b"y" * length
    codes: set[Code] = set()
    facts = ("a.md", "/a.md", MTIME.timestamp(), 100_000, None)
    header = read_header(raw[:length], facts, NOW, codes)
    assert code in codes
    assert header.title == ("n" if code is Code.HEADER_TOO_LARGE else None)


@pytest.mark.parametrize("line", ["type: user", "expires_at: 2026-12-31", "name: a", "globs: x"])
def test_half_a_line_is_no_value(line: str) -> None:
    """Where the size limit cuts a header, its last line may be the beginning of another word."""
    raw = f"---\ndescription: d\nx: {'y' * OPEN_HEADER_BYTES}"
    codes: set[Code] = set()
    text = f"{raw[: OPEN_HEADER_BYTES - len(line) - 1]}\n{line}".encode()
    header = read_header(text, ("a.md", "/a.md", NOW, 99_999, None), NOW, codes)
    assert (header.type, header.title, header.scope, header.expires_at) == (None, None, (), None)
    assert (header.description, codes) == ("d", {Code.HEADER_TOO_LARGE})


def test_bare_fields_say_the_time() -> None:
    text = "updated_at: 2026-11-18T09:12:44Z\ncwd: /x"
    assert read(text)[0].modified == at("2026-11-18T09:12:44Z")
    assert read(f"---\nx: y\n---\n{text}")[0].modified == MTIME


@pytest.mark.parametrize(
    ("lines", "kind", "codes"),
    [
        ("type: user", "user", set()),
        ("type: Project", "project", set()),
        ("type:", "skill", set()),
        ("type: null", "skill", set()),
        ("x: y", "skill", set()),
        ("metadata:\n  type: ''\ntype: user", "user", set()),
        ("metadata:\n  type: a b\ntype: user", None, {Code.BAD_TYPE}),
        ("type: 1st", None, {Code.BAD_TYPE}),
        (f"type: {'x' * 33}", None, {Code.BAD_TYPE}),
        (f"type: {'x' * 32}", "x" * 32, set()),
        ("type: us\u200ber", "user", {Code.HIDDEN_TEXT}),
        ("type: # todo", "skill", set()),
        ("type: # todo\n  user", "user", set()),
        ("type: # todo\n  - user", "user", set()),
        ("type: !!str project", "project", set()),
        ("type: &t project", "project", set()),
        ("type: &t !!str 'project' # c", "project", set()),
        ("type: !!str", "skill", set()),
        ("metadata:\n  type: &t project", "project", set()),
        ("metadata:\n  type: # todo\ntype: user", "user", set()),
    ],
)
def test_type(lines: str, kind: str | None, codes: set[Code]) -> None:
    header, found = read(f"---\ndescription: d\n{lines}\n---\n", kind="skill")
    assert (header.type, found) == (kind, codes)


def test_limits() -> None:
    header, codes = read(f"---\nname: {'n' * 300}\ndescription: {'d ' * 300}\n---\n")
    assert len(header.title or "") == 200
    assert header.description == ("d " * 256).rstrip()
    assert codes == {Code.LONG_DESCRIPTION}


def test_a_header_is_a_whole_value() -> None:
    """It is made slot by slot, and is no less for it."""
    header, _ = read("---\ndescription: d\n---\n")
    made = MemoryHeader(**{each.name: getattr(header, each.name) for each in fields(header)})
    assert made == header
    assert hash(made) == hash(header)
    assert repr(made) == repr(header)
    assert replace(header, name="b").name == "b"


@pytest.mark.parametrize(
    ("raw", "more"),
    [
        (b"---\nx: y\n", True),
        (b"---\nx: y\n---", True),
        (b"---\nx: y\n----\n", True),
        (b"---\nx: y\n---\n", False),
        (b"---\r\nx: y\r\n--- \r\n", False),
        (b"\xef\xbb\xbf---\nx: y\n", True),
        (b"\xef\xbb\xbf---\nx: y\n---\n", False),
        ("\ufeff---\nx: y\n".encode("utf-16-le"), True),
        ("\ufeff---\nx: y\n---\n".encode("utf-16-le"), False),
        (b"\n\n---\nx: y\n", True),
        (b"\n\ntext", False),
        (b"- item", False),
    ],
)
def test_needs_more(raw: bytes, more: bool) -> None:
    assert needs_more(raw) is more
