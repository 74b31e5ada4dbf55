"""What a markdown body says about itself: its first heading and its first paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selector.patterns import lazy

PARAGRAPH_LIMIT = 200  # characters
_LOOKED_AT = 250  # characters that hold so many of nearly every paragraph

# Codex opens a file with the version of its format, alone on a line.
_VERSION = r"(?:\s*v\d{1,4}[ \t\r]*(?:\n|\Z))?"
_OPENING_HEADING = lazy(rf"{_VERSION}\s*#{{1,6}}[ \t]+(.*)")
_BEFORE_PROSE = lazy(rf"{_VERSION}(?:\s*#{{1,6}}[ \t].*\n)*\s*")
_RULE = lazy(r"([-*_=+])(?:[ \t]*\1){2,}[ \t]*$")
_HEADING = lazy(r"#{1,6}[ \t]")
# Of a list, a quote, a callout; one within the other.
_MARKERS = lazy(r"(?:(?:[-*+]|\d{1,3}[.)])(?:[ \t]+|$)|>[ \t]?|\[![\w-]+\][+-]?[ \t]*)+")
# Bounded, so that a line of brackets costs no more than its length.
_EMBED = lazy(r"!\[\[[^\]\n]{0,200}\]\]")
_LINK = lazy(r"\[\[([^\[\]|#\n]{0,200})(?:#([^\[\]|\n]{0,200}))?(?:\|([^\[\]\n]{0,200}))?\]\]")
_BLOCK_ID = lazy(r"[ \t]\^[\w-]+$")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BARE_FIELD = lazy(r"[a-z][a-z0-9_]*:[ \t]+\S")
_FENCES = ("```", "~~~")
_MARKS = frozenset("#-*_=+>[0123456789")


def heading(text: str, start: int = 0) -> str:
    """The first top-level heading behind `start`, else one of any level that opens it, else ""."""
    if opening := _OPENING_HEADING.match(text, start):
        return opening[1].rstrip(" \t\r#")
    if text.find("\n# ", start) < 0:
        return ""
    for line in _prose_lines(text, start):
        if line.startswith("# "):
            return line[2:].strip(" \t#")
    return ""


def paragraph(text: str, start: int = 0) -> str:
    """The first paragraph behind `start` as one line of at most 200 characters, else "".

    Headings, rules, fences and comments are no paragraph; list, quote and link marks are dropped.
    """
    opening = _BEFORE_PROSE.match(text, start)
    start = opening.end() if opening else start
    found = _plain_paragraph(text[start : start + _LOOKED_AT])
    if found:
        return found[:PARAGRAPH_LIMIT].rstrip()
    parts: list[str] = []
    size = 0
    for line in _prose_lines(text, start):
        plain = _plain(line) if line else ""
        if plain:
            parts.append(plain)
            size += len(plain) + 1
            if size > PARAGRAPH_LIMIT:
                break
        elif parts:
            break
    return " ".join(parts)[:PARAGRAPH_LIMIT].rstrip()


def _plain_paragraph(text: str) -> str:
    """The paragraph that opens `text`, as nearly all do, with lines of nothing but prose; else "".

    The general rule says the same at three times the cost.
    """
    block, gap, _ = text.partition("\n\n")
    block = block.rstrip("\n")
    for odd in ("^", "\t", "\r", "![[", "<!--"):
        if odd in block:
            return ""
    lines = [(line[2:] if line[:2] == "- " else line).strip() for line in block.split("\n")]
    for line in lines:
        if not line[:1].isalpha() and not (line[:1] == "[" and line[1:2].isalpha()):
            return ""
    if "[[" in block:
        lines = [_LINK.sub(_shown, line) for line in lines]
    joined = " ".join(lines)
    # The last three characters may be the beginning of a mark.
    is_cut = not gap and len(text) == _LOOKED_AT and len(joined) < PARAGRAPH_LIMIT + 3
    return "" if is_cut or "  " in joined or "[[" in joined else joined


def bare_fields_end(body: str) -> int:
    """Where a leading run of bare `key: value` lines ends; 0 when there is none.

    Some tools open a file with such lines and no fences. Two lines at least, up to an empty one:
    a single `note: ...` is a sentence.
    """
    end = count = 0
    while match := _BARE_FIELD.match(body, end):
        stop = body.find("\n", match.end())
        end = stop + 1 if stop >= 0 else len(body)
        count += 1
    return end if count > 1 and not body[end : end + 1].strip() else 0


def _prose_lines(text: str, start: int) -> Iterator[str]:
    """The lines behind `start` and outside comments, stripped; a code fence is an empty line."""
    if "<!--" in text:
        text, start = _COMMENT.sub("", text[start:]), 0
    fence = ""
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        line = text[start:end].strip()
        start = end + 1
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
        elif line.startswith(_FENCES):
            fence = line[: len(line) - len(line.lstrip(line[0]))]
            yield ""
        else:
            yield line


def _plain(line: str) -> str:
    """One line without its list, quote, link and block marks; "" for a heading or a rule."""
    if line[0] in _MARKS:
        if _HEADING.match(line) or _RULE.match(line):
            return ""
        if markers := _MARKERS.match(line):
            line = line[markers.end() :]
    if "[[" in line:
        line = _LINK.sub(_shown, _EMBED.sub("", line))
    if "^" in line:
        line = _BLOCK_ID.sub("", line)
    return " ".join(line.split()) if "  " in line or "\t" in line else line.strip()


def _shown(link: re.Match[str]) -> str:
    """What a reader sees of `[[page#part|shown]]`."""
    return link[3] or link[1] or link[2] or ""
