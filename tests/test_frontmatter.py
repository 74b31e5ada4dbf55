"""Headers as files hold them: the rows of `bad_inputs/md_expected.jsonl`, and more of each kind."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.codes import Code, DescriptionSource
from selector.fields import read_fields
from selector.frontmatter import decode, split
from selector.headers import read_header
from selector.scalars import list_of, split_list, text_of
from selector.text import clean
from selector.types import MemoryHeader

BAD_INPUTS = Path(__file__).parent / "bad_inputs"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (BAD_INPUTS / "md_expected.jsonl").read_text("utf-8").splitlines()
]
NOW = 1_800_000_000.0
# What is no fault of the header.
HARMLESS = {Code.NO_DESCRIPTION}


def read(content: bytes | str, name: str = "note.md") -> tuple[MemoryHeader, set[Code]]:
    """The header of a file with this content, and what was wrong with it."""
    raw = content.encode() if isinstance(content, str) else content
    codes: set[Code] = set()
    facts = (name, f"/notes/{name}", NOW - 1000, len(raw), None)
    return read_header(raw[:16_384], facts, NOW, codes), codes


def declared(header: MemoryHeader) -> str | None:
    """The declared description."""
    return header.description if header.description_from is DescriptionSource.HEADER else None


def status(header: MemoryHeader, codes: set[Code]) -> str:
    """The word of `bad_inputs` for how well a header could be read."""
    if declared(header) is None:
        return "degraded"
    return "repaired" if codes - HARMLESS else "ok"


def is_one_line(text: str) -> bool:
    """True for text that forges no second line anywhere."""
    return len(text.splitlines()) <= 1 and text.isprintable()


@pytest.mark.parametrize("row", ROWS, ids=[row["fault"] for row in ROWS])
def test_bad_inputs(row: dict[str, Any]) -> None:
    header, codes = read((BAD_INPUTS / row["file"]).read_bytes())
    description = declared(header)
    assert status(header, codes) == row["status"], codes
    if row.get("name") is not None:  # null: none declared, a heading will do
        assert header.title == row["name"]
    if "desc" in row:
        assert description == row["desc"]
    if "type" in row:
        assert header.type == row["type"]
    shown = description or ""
    assert row.get("desc_has", "") in shown
    assert "desc_not" not in row or row["desc_not"] not in shown
    assert len(shown) <= row.get("desc_max_chars", 512)
    assert "warn" not in row or Code(row["warn"]) in codes
    for text in (shown, header.title or ""):
        assert is_one_line(text)
        text.encode()  # no half a character


def test_every_bad_input_has_a_row() -> None:
    files = {f"md/{path.name}" for path in (BAD_INPUTS / "md").iterdir()}
    assert files == {row["file"] for row in ROWS}


class Case(NamedTuple):
    """The lines of a header, and what is read from them."""

    label: str
    lines: str | bytes
    status: str = "ok"
    description: str | None = "a note"
    type: str | None = None
    title: str | None = None


def header(
    label: str,
    lines: str,
    status: str = "ok",
    description: str | None = "a note",
    type: str | None = None,  # noqa: A002
    title: str | None = None,
) -> Case:
    """A case of these lines between fences."""
    return Case(label, f"---\n{lines}\n---\n", status, description, type, title)


LINES = (
    # fences
    Case("windows", b"---\r\nname: n\r\ndescription: a note\r\n---\r\nbody\r\n", title="n"),
    Case("old mac", b"---\rname: n\rdescription: a note\r---\rbody\r", title="n"),
    Case("old mac, body from elsewhere", b"---\rdescription: a note\r---\rbody\nmore\n"),
    Case("mixed line ends", b"---\r\nname: n\ndescription: a note\r\n---\nbody\n", title="n"),
    Case("utf-16 big endian", b"\xfe\xff" + "---\ndescription: a note\n---\n".encode("utf-16-be")),
    Case("utf-16 windows",
           b"\xff\xfe" + "---\r\ndescription: a note\r\n---\r\n".encode("utf-16-le")),
    Case("mark and blank lines", "\ufeff\n\n---\ndescription: a note\n---\n", "repaired"),
    Case("two marks", "\ufeff\ufeff---\ndescription: a note\n---\n", "repaired"),
    Case("zero width before the fence", "\u200b---\ndescription: a note\n---\n", "repaired"),
    Case("no newline at the end", "---\ndescription: a note\n---"),
    header("only a header", "description: a note"),
    Case("text before the fence", "intro\n---\ndescription: a note\n---\n", "degraded", None),
    Case("indented fence", "  ---\n  description: a note\n  ---\n", "degraded", None),
    Case("closed by dots", "---\ndescription: a note\n...\nbody\n", "degraded", None),
    Case("dots, then closed", "---\nname: n\ndescription: a note\n...\n---\nbody\n", title="n"),
    Case("dots first", "---\n...\ndescription: a note\n... \n---\n"),
    Case("closed by four", "---\ndescription: a note\n----\nbody\n", "degraded", None),
    Case("json", '{"description": "a note"}\nbody\n', "degraded", None),
    Case("header in a code block", "```\n---\ndescription: a note\n---\n```\n", "degraded", None),
    Case("fence in a value", "---\ndescription: a note\nx: a\n --- b\n---\nbody\n"),
    Case("a second header", "---\ndescription: a note\n---\n---\ntype: x\n---\n", "repaired"),
    Case("a rule behind the header", "---\ndescription: a note\n---\n\n---\n\nprose\n\n---\n"),
    # keys
    header("indented header", "  name: n\n  description: a note", title="n"),
    header("tabs before keys", "\tdescription: a note\n\ttype: user", type="user"),
    header("spaces before the colon", "description : a note"),
    header("quoted keys", "\"description\": a note\n'type': user", type="user"),
    header("no space", "description:a note", "repaired"),
    header("no space, quoted", 'description:"a note"', "repaired"),
    header("full-width colon", "description：a note", "repaired"),
    header("full-width colon and blank", "name: n\ndescription： a note", "repaired", title="n"),
    header("full-width colon, colon", "description：a: note", "repaired", "a: note"),
    header("full-width colon, another key", "description: a\n说明：b", "repaired", "a 说明：b"),
    header("full-width colon in a value", "description: a：note", description="a：note"),
    header("full-width colon, metadata",
           "description: a note\nmetadata:\n  type：user", "repaired", type="user"),
    header("indented under the first",
           "name: n\n  description: a note\n  type: user", "repaired", type="user", title="n"),
    header("indented under another",
           "id: 5\n\n  name: n\n  x: y\n  Description: a\n    note", "repaired", title="n"),
    header("indented, a text before",
           "name: n\n  m\n- o\n  description: a note", "repaired", title="n m - o"),
    header("indented, with metadata",
           "name: n\n  description: a note\n  metadata:\n    type: user\n  x: y", "repaired",
           type="user", title="n"),
    header("indented in quotes", "description: 'a\n  type: user'", description="a type: user"),
    header("indented, no key of ours", "description: a\n  see: b", description="a see: b"),
    header("zero width before a key", "\u200bdescription: a note", "repaired"),
    header("no-break space before a key", "\xa0description: a note", "repaired"),
    header("zero width in a key", "descri\u200bption: a note", "repaired"),
    header("direction in a key", "\u202edescription\u202c: a note", "repaired"),
    header("NUL in a key", "descr\0iption: a note", "repaired"),
    header("upper case", "DESCRIPTION: a note", "repaired"),
    header("keys in another script", "описание: x\n说明: y\ndescription: a note"),
    header("keys of words", "Last edited by: me\ndescription: a note"),
    header("comments", "# first\ndescription: a note\n# last"),
    header("comment in a value", "description: a\n# inside\n  note"),
    header("alias bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\ndescription: a note"),
    header("dotted key", "a.b: x\ndescription: a note"),
    header("twice, once empty", "description:\ndescription: b", "degraded", None),
    header("twice, in two cases", "description: a note\nDescription: b", "repaired"),
    header("a stray line", "name: n\nstray\ndescription: a note", "repaired", title="n stray"),
    header("a list as header", "- description: a note", "degraded", None),
    header("summary", "summary: a note"),
    header("null, then summary", "description: ~\nsummary: a note"),
    header("when to use", "description: a\nwhen_to_use: note"),
    # values: strings stay strings
    *(
        header(f"name {word}", f"name: {word}\ndescription: a note", title=word)
        for word in ("no", "on", "yes", "true", "12:30:45", "0x1F", "1_0.5", "2026-01-02T03:04Z")
    ),
    header("null name", "name: ~\ntitle: t\ndescription: a note", title="t"),
    *(
        header(f"first mark {text[0]}", f"description: {text}", description=text)
        for text in ("& then", "% done", "> five", "| pipe", "@x", "` tick", "- dash", "? q", ": c")
    ),
    header("hash", "description: a # note", description="a # note"),
    header("null", "description: ~", "degraded", None),
    header("empty quotes", "description: ''", "degraded", None),
    header("double quotes", 'description: "a \\"note\\""', description='a "note"'),
    header("single quotes", "description: 'a ''note'''", description="a 'note'"),
    header("comment behind quotes", 'description: "a note" # why'),
    header("escapes", 'description: "a\\x20no\\u0074e"'),
    header("unclosed quote", 'description: "a note', "repaired", '"a note'),
    header("text behind quotes", 'description: "a" note', "repaired", '"a" note'),
    header("bad escapes", 'description: "in C:\\agent\\logs on hosts"', "repaired",
           "in C:\\agent\\logs on hosts"),
    header("bad and good escapes", 'description: "C:\\new\\docs \\u0041 \\x"', "repaired",
           "C:\\new\\docs \\u0041 \\x"),
    header("a bad escape", 'description: "C:\\docs"', "repaired", "C:\\docs"),
    header("half a character", 'description: "a\\ud83d note"', "repaired", "a\ufffd note"),
    header("beyond the last", 'description: "a\\U00110000"', "repaired", "a\ufffd"),
    header("empty mapping", "description: {}", "degraded", None),
    header("empty mapping, blank", "description: { }\nsummary: a note", "repaired"),
    header("empty list", "description: []", "degraded", None),
    header("unclosed bracket", "description: [draft a note", "repaired", "[draft a note"),
    header("a bracket first", "description: [a] note [b]", "repaired", "[a] note [b]"),
    header("flow list", "description: [a, 'note']", "repaired", "a, note"),
    header("mapping", "description:\n  a: b", "repaired", "a: b"),
    header("flow mapping", "description: {a: b}", "repaired", "{a: b}"),
    header("folded", "description: >-\n  a\n\n  note\ntype: user", type="user"),
    header("folded, indent given", "description: |2+ # c\n  a\n  note"),
    header("continued", "description: a\n  note"),
    header("folded, empty", "description: >-\ntype: user", "degraded", None, "user"),
    header("indented comment", "description: a\n  # inside\n  note"),
    header("indented comment, next line", "description:\n  # first\n  a note\n  #"),
    header("number sign, no comment", "description: a\n  #12 note", description="a #12 note"),
    header("hash first", "description: # a note", description="# a note"),
    header("comment in quotes", "description: 'a\n  # b'", description="a # b"),
    header("comment in a block", "description: |\n  a\n  # b", description="a # b"),
    header("quoted, two lines", "description: 'a\n\n  note'"),
    header("looks like a key inside", "description: |\n  a\n  type: b", description="a type: b"),
    Case("return in a value",
           b"---\ndescription: a\rtype: user\n---\n", "repaired", "a type: user"),
    # type
    header("metadata", "description: a note\nmetadata:\n  type: user", type="user"),
    header("metadata, blank behind", "description: a note\nmetadata: \n  type: user", type="user"),
    header("metadata first", "description: a note\ntype: x\nmetadata:\n  type: user", type="user"),
    header("metadata, empty", "description: a note\ntype: x\nmetadata:\n  type:", type="x"),
    header("metadata, flow", "description: a note\nmetadata: {a: b, type: user}", type="user"),
    header("metadata, json", 'description: a note\nmetadata: {"type":"user"}', type="user"),
    header("metadata, deeper", "description: a note\nmetadata:\n  x:\n    type: user"),
    header("metadata, a text", "description: a note\nmetadata: x"),
    header("metadata, a list", "description: a note\nmetadata:\n  - type: user"),
    header("metadata, list", "description: a note\nmetadata:\n  type:\n    - user", type="user"),
    header("metadata, list at its depth",
           "description: a note\nmetadata:\n  type:\n  - user\n  x: y", type="user"),
    header("metadata, list of two",
           "description: a note\nmetadata:\n  type:\n    - user\n    - x", "repaired", type="user"),
    header("metadata, next line",
           "description: a note\nmetadata:\n  type:\n\n    user\n  x: y", type="user"),
    header("metadata, folded", "description: a note\nmetadata:\n  type: >-\n    user", type="user"),
    *(
        header(f"metadata {notes}", f"description: a note\nmetadata: {notes}\n  type: user",
               type="user")
        for notes in ("# note", "&m", "!!map", "!!map &m # note")
    ),
    header("metadata, flow, comment",
           "description: a note\nmetadata: {type: user} # c", type="user"),
    header("metadata, flow, hash",
           'description: a note\nmetadata: {a: "x # y", type: user}', type="user"),
    header("metadata, flow, tag", "description: a note\nmetadata: !!map {type: user}", type="user"),
    header("metadata, quoted", "description: a note\nmetadata:\n  type: 'user'", type="user"),
    header("metadata, case",
           "description: a note\nmetadata:\n  Type: user", "repaired", type="user"),
    header("type list", "description: a note\ntype:\n  - user\n  - x", "repaired", type="user"),
    header("type of one", "description: a note\ntype: [user]", type="user"),
    header("type comment", "description: a note\ntype: user # me", type="user"),
    header("type of words", "description: a note\ntype: my type", "repaired"),
    header("type null", "description: a note\ntype: null"),
    header("type number", "description: a note\ntype: 5", "repaired"),
    # what a model must not see
    header("bidi", "description: a\u202e note\u202c", "repaired"),
    header("tags", "description: a note\U000e0041\U000e0042", "repaired"),
    header("zero width", "description: a\u200b no\u2060te", "repaired"),
    header("private use", "description: a note\ue000", "repaired"),
    header("hangul filler", "description: a\u3164 note", "repaired"),
    header("emoji", "description: a ❤\ufe0f note", description="a ❤ note"),
    header("persian joiner", "description: می\u200cخواهم", description="می\u200cخواهم"),
    header("escaped break", 'description: "a\\r\\n- b"', description="a - b"),
)  # fmt: skip


@pytest.mark.parametrize("case", LINES, ids=[case.label for case in LINES])
def test_kinds(case: Case) -> None:
    header, codes = read(case.lines)
    assert (status(header, codes), declared(header)) == (case.status, case.description), codes
    assert header.type == case.type
    assert case.title is None or header.title == case.title


# A header of 16 KiB that costs a careless reader its square.
LONG = 16_000
MARKS = ("[", "{", '"', "'", ",", "- ", "#", "> ", "''", "\\", "[[", "a: ", "{a: ", " ", "]", "\t")
TRAPS = [mark * (LONG // len(mark)) for mark in MARKS]


@pytest.mark.parametrize("key", ["description", "metadata", "globs", "type", "modified", "x"])
@pytest.mark.parametrize("trap", TRAPS, ids=[trap[:4] for trap in TRAPS])
def test_long_values(key: str, trap: str) -> None:
    """Each is read, and ends: with a quadratic reader this file would take minutes."""
    for quote in ("", '"', "["):
        header, _ = read(f"---\n{key}: {quote}{trap}\n---\n")
        assert is_one_line(header.description or "")


STAIRS = "".join(f"{' ' * i}date: x\n" for i in range(180))


@pytest.mark.parametrize("block", [STAIRS, "metadata:\n" + "  type:\n" * 1800,
                                   "metadata:\n  type:\n" + "   - a\n" * 2000])  # fmt: skip
def test_deep_and_wide_blocks(block: str) -> None:
    check(f"---\n{block}\n---\n".encode())


def test_thousand_equal_keys() -> None:
    header, codes = read("---\n" + "description: a note\n" * 800 + "---\n")
    assert (header.description, codes) == ("a note", {Code.DUPLICATE_KEY})


def test_header_too_large() -> None:
    header, codes = read("---\nname: n\n" + "x: y\n" * 5000 + "description: late\n---\n")
    assert (header.title, declared(header)) == ("n", None)
    assert Code.HEADER_TOO_LARGE in codes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\nbody", ("a: b\n", 13, True)),
        ("---  \r\na: b\r\n---\t\r\nbody", ("a: b\r\n", 19, True)),
        ("---\n---\n", ("", 8, True)),
        ("---\na: b\n", ("a: b\n", 4, False)),
        ("---", ("", 3, False)),
        ("----\na: b\n---\n", (None, 0, True)),
        ("body", (None, 0, True)),
        ("", (None, 0, True)),
    ],
)
def test_split(text: str, expected: tuple[str | None, int, bool]) -> None:
    assert split(text, set()) == expected


def test_split_of_a_beginning() -> None:
    """A fence at the end of what was read may go on: `----`."""
    assert split("---\na: b\n---", set(), whole=False)[2] is False
    assert split("---\na: b\n---\n", set(), whole=False)[2] is True


def test_decode_of_a_beginning() -> None:
    codes: set[Code] = set()
    assert decode("ab é".encode()[:-1], codes, whole=False) == "ab "
    assert decode(b"\xff\xfea\0b", codes, whole=False) == "a"
    assert codes == set()
    assert decode("ab é".encode()[:-1], codes) == "ab \ufffd"
    assert codes == {Code.INVALID_ENCODING}


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("*.ts, src/**", ["*.ts", "src/**"]),
        ("src/**/*.{ts,tsx}, b", ["src/**/*.{ts,tsx}", "b"]),
        ('["a,b", c]', ["a,b", "c"]),
        ("[a, b] # why", ["a", "b"]),
        ("\n- a\n- 'b'\n- c # why", ["a", "b", "c"]),
        ("\n  - a\n  - b", ["a", "b"]),
        ('"a, b"', ["a", "b"]),
        ('"a", "b"', ["a", "b"]),
        ("[a,\n  b]", ["a", "b"]),
        ("[id]/page.tsx, b/[c]", ["[id]/page.tsx", "b/[c]"]),
        ("it's, b", ["it's", "b"]),
        ("", []),
        ("[]", []),
        (",".join("a" * 100), ["a"] * 64),
    ],
)
def test_lists(written: str, texts: list[str]) -> None:
    assert list_of(written, set()) == texts


# Characters that mean something to a header, and a few that mean something to a reader.
ODD = st.text(
    st.one_of(
        st.sampled_from("-:#\n\r\t \"'[]{},|>&*\\\ufeff\u200b\u2028\x85\0\x1b"),
        st.sampled_from("aeé中ق\u0301\u200d\ufe0f\ud800"),
    ),
    max_size=60,
)
KEYS = (
    "name", "description", "type", "metadata", "globs", "Name", "x", "  type", "modified",
    "expires_at", "importance", "superseded_by", "- a", "", "\ttype",
)  # fmt: skip
COLONS = (":", ": ", " : ", "", ":\n  ", ": >-\n  ")
HEADER_LINES = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(COLONS), ODD),
    max_size=8,
)


@settings(max_examples=400, deadline=None)
@given(HEADER_LINES, ODD)
def test_any_header(lines: list[tuple[str, str, str]], body: str) -> None:
    text = "---\n" + "\n".join(map("".join, lines)) + "\n---\n" + body
    check(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(raw: bytes) -> None:
    check(raw)
    check(b"---\n" + raw + b"\n---\n" + raw)


def check(raw: bytes) -> None:
    """What holds for every file there is."""
    header, codes = read(raw)
    assert (header, codes) == read(raw)
    assert header.description is None or 0 < len(header.description) <= 512
    for text in (header.title, header.description, header.superseded_by, *header.scope):
        assert text is None or (is_shown(text) and text.strip() == text)
    assert (header.description is None) == (header.description_from is None)
    assert 0 <= header.importance <= 1
    assert header.modified.tzinfo is not None


def is_shown(text: str) -> bool:
    """One line of NFC; joiners are the only characters in it that are not printed."""
    visible = text.replace("\u200c", "").replace("\u200d", "")
    return (
        visible.isprintable()
        and len(text.splitlines()) <= 1
        and unicodedata.is_normalized("NFC", text)
    )


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["name", "description", "type", "created"]),
                       st.text("abc 1.:é-", min_size=1).map(str.strip).filter(bool)))  # fmt: skip
def test_plain_values_are_kept(fields: dict[str, str]) -> None:
    header = "".join(f"{key}: {value}\n" for key, value in fields.items())
    assert (read_fields(header, set()) or {}) == fields


@settings(max_examples=200, deadline=None)
@given(st.text("ab,{}[]'\" ", max_size=40))
def test_split_list_loses_nothing(text: str) -> None:
    assert ",".join(split_list(text)) == text


@settings(max_examples=200, deadline=None)
@given(ODD.filter(lambda text: "\ud800" not in text))
def test_double_quotes_keep_all(text: str) -> None:
    """What `json.dumps` quotes is read as it was."""
    assert text_of(json.dumps(text, ensure_ascii=False), set()) == clean(text)
