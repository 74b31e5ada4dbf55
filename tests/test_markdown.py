"""What a body says about itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.markdown import PARAGRAPH_LIMIT, bare_fields_end, heading, paragraph


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# Title\n\ntext", "Title"),
        ("\n\n## Opens the text ##\ntext", "Opens the text"),
        ("text\n\n# Later\n", "Later"),
        ("text\n\n## Not the top\n", ""),
        ("#tag\ntext", ""),
        ("text\n```\n# code\n```\n# Title", "Title"),
        ("text\n<!--\n# comment\n-->\n# Title", "Title"),
        ("v1\n\n# Title\n", "Title"),
        ("v1\n# Title\n", "Title"),
        ("v1.2 is out\n# Title\n", "Title"),
        ("# Title\r\ntext", "Title"),
        ("#\ttabbed", "tabbed"),
        ("", ""),
    ],
)
def test_heading(body: str, expected: str) -> None:
    assert heading(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# Title\n\nOne line.\nAnd more.\n\nNext.", "One line. And more."),
        ("# A\n## B\ntext", "text"),
        ("text\n# A", "text"),
        ("---\n\ntext", "text"),
        ("* * *\ntext\n===\n", "text"),
        ("```\ncode\n```\ntext", "text"),
        ("text\n~~~~\ncode\n~~~\n~~~~\nmore", "text"),
        ("```never closed\ntext", ""),
        ("<!-- hidden\n\n -->text", "text"),
        ("<!-- never closed\ntext", ""),
        ("- a\n- b\n1. c\n2) d", "a b c d"),
        ("> > - quoted", "quoted"),
        ("> [!note]- A callout\n> text", "A callout text"),
        ("-\n*\ntext", "text"),
        ("see [[page]], [[page|shown]], [[page#part]], [[page#part|it]], [[#part]]",
         "see page, shown, page, it, part"),
        ("![[picture.png]] text ^block-id", "text"),
        ("x^2 + y", "x^2 + y"),
        ("a   b\t c", "a b c"),
        ("v1\n\n## Profile\n\ntext", "text"),
        ("v1\ntext", "text"),
        ("v1", ""),
        ("v1 is out", "v1 is out"),
        ("1.10 is out", "1.10 is out"),
        ("2026-11-30 done", "2026-11-30 done"),
        ("text\r\nmore\r\n\r\nnext", "text more"),
        ("", ""),
        ("\n \n", ""),
        ("x" * 300, "x" * PARAGRAPH_LIMIT),
        ("ab " * 100, ("ab " * 67)[:PARAGRAPH_LIMIT].strip()),
    ],
)  # fmt: skip
def test_paragraph(body: str, expected: str) -> None:
    assert paragraph(body) == expected


@pytest.mark.parametrize(
    ("body", "run"),
    [
        ("updated_at: 2026\ncwd: /x\n\ntext", "updated_at: 2026\ncwd: /x\n"),
        ("a: b\nc: d\n", "a: b\nc: d\n"),
        ("a: b\nc: d", "a: b\nc: d"),
        ("a: b\r\nc: d\r\n\r\ntext", "a: b\r\nc: d\r\n"),
        ("note: one is a sentence\n\ntext", ""),
        ("a: b\nc: d\ntext", ""),
        ("Why: so\nHow: so\n", ""),
        ("", ""),
    ],
)
def test_bare_fields(body: str, run: str) -> None:
    assert body[: bare_fields_end(body)] == run


MARKS = (
    "[", "[[", "!", "> ", "- ", "#", "# ", "`", "<!--", "- - ", "a: b\n", "[[a|", "[[a#", "\n", " ",
    "v1\n", "* ", "a ^",
)  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_long_bodies(mark: str) -> None:
    """Each ends: a quadratic reader would take seconds for one."""
    body = mark * (64_000 // len(mark))
    assert len(paragraph(body)) <= PARAGRAPH_LIMIT
    assert len(heading(body)) <= len(body)
    assert bare_fields_end(body) <= len(body)


@settings(max_examples=300, deadline=None)
@given(st.text("#-*>[]!|^`~<: \n\ta1v.", max_size=80), st.integers(0, 10))
def test_any_body(body: str, start: int) -> None:
    assert paragraph(body, start) == paragraph(body[start:])
    assert heading(body, start) == heading(body[start:])
    assert "\n" not in paragraph(body) + heading(body)


PROSE = st.sampled_from(
    ["Some prose goes here", "- an item", "- [ ] a task", "- [fact] so #it is", "[x] y", "---",
     "see [[a|b]]", "[[link]] first", "![[image]]", "an ![[image]] here", "[!note] so", "```",
     "ends ^id", "two  blanks", "1. one", "# Heading", "- - deep", "<!-- no", "some <!-- no", "-->",
     "ends\xa0", "", "> quoted", "long " * 30, "- ", "\u00e9", f"in [[{'x' * 90}|it]]",
     f"see [[{'y' * 25}"]
)  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(st.lists(PROSE, max_size=9))
def test_blanks_at_line_ends_change_nothing(lines: list[str]) -> None:
    """Tabs keep the short cut for plain prose from being taken: the long way leads to the same."""
    body = "\n".join((*lines, ""))
    assert paragraph(body) == paragraph(body.replace("\n", "\t\n"))


@pytest.mark.parametrize(
    "body",
    ["- abc\n" * 90, "See " + "[[some/long/path/to/a/page|it]] " * 90,
     f"See [[{'x' * 36}|it]] {'word ' * 35}so [[{'t' * 60}|this page]] and more",
     f"T [[{'a' * 45}|x]] {'w' * 195}![[e]] rest", f"T [[{'a' * 45}|x]] {'w' * 195}[[[p|q]] rest",
     f"T [[{'a' * 45}|x]] {'w' * 195}<!-- c --> rest",
     "hello\xa0\n" + "x" * 250],
)  # fmt: skip
def test_what_is_cut_off_is_not_lost(body: str) -> None:
    """Marks that are dropped make room for more of a paragraph."""
    assert paragraph(body) == paragraph(body.replace(" ", "\t", 1))
    assert len(paragraph(body)) >= PARAGRAPH_LIMIT - 1
