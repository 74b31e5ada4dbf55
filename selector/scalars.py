"""The value of a frontmatter field as its writer meant it: a text or a list of texts.

Nothing is resolved: dates, numbers, yes and no stay the strings they are. A value comes as it is
written, further lines of it behind line feeds.
"""

from __future__ import annotations

import re

from selector.codes import Code
from selector.patterns import lazy
from selector.text import clean

_BLOCK_SCALAR = lazy(r"[|>][-+1-9]{0,2}[ \t]*(?:#.*)?$")
_DOUBLE = lazy(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$', re.DOTALL)
_SINGLE = lazy(r"'((?:[^']|'')*)'\s*(?:#.*)?$", re.DOTALL)
_ESCAPE = lazy(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
# YAML 1.2, 5.7: the one-character escapes.
_ESCAPES = dict(
    zip('0abtnvfre "/\\N_LP', '\0\a\b\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True)
)
_LIST_ITEM = lazy(r"-(?:[ \t]+|$)")
_KEY_LINE = lazy(r"[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|$)")
_LIST_MARK = lazy(r"[,{}\[\]'\"]")
# What may stand before a value: anchors, tags, a comment.
_NOTES = lazy(r"(?:[&!]\S*(?:[ \t]+|(?=\n)|\Z))*(?:#.*)?")
_COMMENT_LINE = lazy(r"#+(?:[ \t]|\Z)")
_NOT_BLANK = lazy(r"\S")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_MARKS = frozenset(("|", ">", '"', "'", "[", "{"))
_QUOTES = frozenset(('"', "'"))
_OPENS_NOTE = frozenset(("#", "&", "!"))
_MAX_LIST = 64


def text_of(written: str, codes: set[Code]) -> str:
    """A value as one clean line, "" when it is empty or null."""
    plain = written.isascii() and written.isprintable()
    if written[:1] in _MARKS or (not plain and "\n" in written):
        return clean(_long_text(written, codes), codes)
    if plain:
        return "" if written in _NULLS else written
    return clean(written, codes)


def word_of(written: str, codes: set[Code]) -> str:
    """A short value without its comment, "" when there is none."""
    return without_comment(text_of(behind_notes(written), codes))


def behind_notes(written: str) -> str:
    """A value without the anchor, the tag and the comment that it opens with."""
    if written[:1] not in _OPENS_NOTE:
        return written
    return written[_NOTES.match(written).end() :]  # type: ignore[union-attr]  # it always matches


def _long_text(written: str, codes: set[Code]) -> str:
    """A text that is quoted, in brackets, or goes over several lines."""
    first = written[:1]
    if first in _QUOTES:
        return _quoted(written, codes)
    inline, *lines = [line.strip() for line in written.split("\n")]
    if first in (">", "|") and _BLOCK_SCALAR.match(inline):
        return " ".join(filter(None, lines))
    lines = _without_comments(lines)
    body = " ".join(filter(None, lines))
    if first in ("[", "{"):
        return _flow_text(f"{inline} {body}".strip(), codes)
    if not inline and body and all(_LIST_ITEM.match(line) for line in lines if line):
        codes.add(Code.BAD_VALUE)
        return ", ".join(_items(lines, codes))
    if not inline and body and all(_KEY_LINE.match(line) for line in lines if line):
        codes.add(Code.BAD_VALUE)
    text = f"{inline} {body}".strip()
    return "" if text in _NULLS else text


def _flow_text(text: str, codes: set[Code]) -> str:
    """A value in brackets where a text is wanted: a list is joined, all else kept as it is."""
    inner = "" if text.replace(" ", "") == "{}" else _in_brackets(text)
    if inner is None:
        codes.add(Code.BAD_SYNTAX)
        return text
    codes.add(Code.BAD_VALUE)
    return ", ".join(_items(split_list(inner), codes))


def _in_brackets(text: str) -> str | None:
    """What stands in the brackets around `text`; None for `[a] b [c]` and all else."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    before, closed, _ = text[1:-1].partition("]")
    return None if closed and "[" not in before else text[1:-1]


def list_of(written: str, codes: set[Code]) -> list[str]:
    """A value as a list of texts: `[a, b]`, `- a` lines, or a comma string; at most 64."""
    if "\n" in written:
        block = behind_notes(written)
        written = block if block[:1] == "\n" else written  # `!src/**` is a glob, no tag
        inline, *lines = [line.strip() for line in written.split("\n")]
        if not inline:
            return _items([line for line in lines if _LIST_ITEM.match(line)], codes)
        if inline[0] not in _QUOTES:
            lines = _without_comments(lines)
        written = " ".join(filter(None, (inline, *lines)))
    if written[:1] in _QUOTES:
        written = _quoted(written, codes)
    elif written[:1] == "[":
        inner = _in_brackets(written)
        if inner is None:
            inner = _in_brackets(without_comment(written))
        written = written if inner is None else inner
    return _items(split_list(written), codes)


def _items(parts: list[str], codes: set[Code]) -> list[str]:
    """The texts of list parts, without dashes, quotes and comments."""
    texts = []
    for part in parts[:_MAX_LIST]:
        text = part.strip()
        if text[:1] == "-":
            text = _LIST_ITEM.sub("", text, count=1)
        text = _quoted(text, codes) if text[:1] in _QUOTES else without_comment(text)
        if text:
            texts.append(text)
    return texts


def without_comment(text: str) -> str:
    """`text` up to a `#` behind a blank or at the start, where YAML begins a comment."""
    if text[:1] == "#":
        return ""
    return text.partition(" #")[0].rstrip() if " #" in text else text


def _without_comments(lines: list[str]) -> list[str]:
    """The further lines of a value without comments: `# like this`; `#12` may be part of a text."""
    return [line for line in lines if not _COMMENT_LINE.match(line)]


def split_list(text: str) -> list[str]:
    """The parts of `text` between commas that stand outside braces, brackets and quotes."""
    if "{" not in text and "[" not in text and '"' not in text and "'" not in text:
        return text.split(",")
    parts: list[str] = []
    depth = start = 0
    quote = ""
    opening = _first_mark(text, 0)
    for match in _LIST_MARK.finditer(text):
        mark, index = match[0], match.start()
        if quote:
            quote = "" if mark == quote else quote
        elif mark in _QUOTES:
            # Only what opens a part is a quotation mark: `it's` is a word.
            quote = mark if index == opening else ""
        elif mark == ",":
            if depth <= 0:
                parts.append(text[start:index])
                start, opening = index + 1, _first_mark(text, index + 1)
        else:
            depth += 1 if mark in "{[" else -1
    return [*parts, text[start:]]


def _first_mark(text: str, start: int) -> int:
    """Where the first character behind `start` stands that is no blank; -1 for none."""
    match = _NOT_BLANK.search(text, start)
    return match.start() if match else -1


def _quoted(written: str, codes: set[Code]) -> str:
    """The text between quotes, or the whole as it stands where the quotes do not pair."""
    mark, inner = written[0], written[1:-1]
    if "\n" in written:
        # As in YAML, a line break in a quoted text is a space.
        written = " ".join(filter(None, map(str.strip, written.split("\n"))))
    elif written.endswith(mark) and mark not in inner and "\\" not in inner and len(written) > 1:
        return inner
    match = (_DOUBLE if mark == '"' else _SINGLE).match(written)
    if not match:
        codes.add(Code.BAD_SYNTAX)
        return written
    if mark == "'":
        return match[1].replace("''", "'")
    return _unescape(match[1], codes) if "\\" in match[1] else match[1]


def _unescape(text: str, codes: set[Code]) -> str:
    """`text` with its YAML escapes resolved; two escaped halves of one character are joined.

    Where one of them is none, as in `C:\\agent`, no backslash was meant as an escape.
    """
    if any(len(code) == 1 and code not in _ESCAPES for code in _ESCAPE.findall(text)):
        codes.add(Code.BAD_SYNTAX)
        return text

    def resolve(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            number = int(code[1:], 16)
            if number <= 0x10FFFF:
                return chr(number)
            codes.add(Code.BAD_SYNTAX)
            return "\ufffd"
        return _ESCAPES[code]

    resolved = _ESCAPE.sub(resolve, text)
    if any("\ud800" <= char <= "\udfff" for char in resolved):
        codes.add(Code.BAD_SYNTAX)
        pairs = resolved.encode("utf-16-le", "surrogatepass")
        resolved = pairs.decode("utf-16-le", "replace")
    return resolved
