"""Text as a model and a terminal may see it: no hidden characters, no marks of a chat; and ages."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

from selector.codes import Code
from selector.patterns import lazy

# Printable characters that need a look of their own. All others, of most living scripts, are NFC
# and compose with nothing that stands before them; most texts consist of these alone. (The others
# would make the shorter list; but `re` takes three times as long to compile it.)
_UNUSUAL = lazy(
    "[\u0250-\u03a2\u0483-\u0489\u0530-\u05cf\u05eb-\u061f\u064b-\u0e00\u0e31-\u200f\u205f-\u218f"
    "\u2329-\u3000\u302a-\u3040\u3097-\u309a\u3100-\u33ff\u4dc0-\u4dff\ua000-\uabff\ud7a4-\ud7ff"
    "\uf900-\uff00\uffa0-\uffff\U00010000-\U0001f2ff\U0001f650-\U0010ffff]"
)
# Everything that `str.splitlines` or a model may take for a new line.
_BREAKS = lazy(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_ODD_BREAKS = lazy(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Letters and marks that draw nothing (fillers, variation selectors): printable by
# category, so `str.isprintable` does not see them.
_BLANK_LETTERS = lazy(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
# The presentation selectors and the joiner of ordinary emoji: removed, but nothing to report.
_EMOJI_GLUE = lazy("[\ufe0e\ufe0f]|(?<=[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d")
# Joiners that spell a word: between letters of the Arabic and Indic blocks.
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
_JOINER = lazy(f"(?<={_JOINING})[\u200c\u200d](?={_JOINING})")
# More marks on one letter than any living script writes; and where there may be as many.
_MAX_MARKS = 4
_MAY_FLOOD = lazy(rf"[^\w\s!-~]{{{_MAX_MARKS + 1},}}")
# Composing sorts the marks of a letter, which takes the square of their number.
_SORTED_MARKS = 32
_MAY_BE_SLOW = lazy(rf"[^\w\s!-~]{{{_SORTED_MARKS + 1},}}")
_JOINERS = frozenset("\u200c\u200d")
_SPACES = lazy(r"\s\s+")
# What wraps texts for a model: our own tags, those of clients and chats, the tokens of chat
# templates. Only where the name ends: `<system>`, but not `List<System.Text>`.
_WRAPPER = lazy(
    r"<(?=\s*+/?\s*+(?:memory(?:[-_][\w-]*+)?|memories[\w-]*+|system[\w-]*+|human|user|assistant"
    r"|instructions?|(?:function|tool)_\w*+|antml:[\w-]*+|(?:start|end)_of_turn|[be]os|s)(?:[\s/>]|\Z)"
    r"|[|\uff5c][^|\uff5c<>\n]{1,64}[|\uff5c]>|<\s*+/?\s*+sys\s*+>>)"
    r"|\[(?=/?(?-i:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
# What opens a turn of a conversation, or a note of a block like ours. In lower case it is a key of
# YAML, and behind four blanks it is code: both are more often copied than believed.
_TURN = lazy(
    r"^ {0,3}(?=(?:Human|HUMAN|User|USER|Assistant|ASSISTANT|System|SYSTEM)[ \t]*+[:\uff1a]"
    r"|--- [0-9a-f]{12})",
    re.MULTILINE,
)


def clean(text: str, codes: set[Code] | None = None) -> str:
    """`text` as one line of NFC without control, format, invisible or unassigned characters.

    Line breaks and tabs become one space; joiners stay between Arabic and Indic letters. What was
    wrong with the text is added to `codes`: `hidden_text`, `combining_flood`.
    """
    if text.isprintable() and (text.isascii() or not _UNUSUAL.search(text)):
        return text.strip()
    found = codes if codes is not None else set()
    if _ODD_BREAKS.search(text):
        found.add(Code.HIDDEN_TEXT)
    return _SPACES.sub(" ", _composed(_BREAKS.sub(" ", text), found)).strip()


def clean_lines(text: str) -> str:
    """`text` as `clean` gives it, but with its lines, tabs and runs of spaces.

    Every Unicode line break becomes a line feed; blank lines at both ends are dropped.
    """
    lines = shown_lines(text)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def shown_lines(text: str) -> list[str]:
    """All lines of `text` as `clean_lines` gives them, blank ones too."""
    lines = text.splitlines()
    bare = "".join(lines).replace("\t", "")
    if bare.isprintable() and (bare.isascii() or not _UNUSUAL.search(bare)):
        return lines
    return _composed("\n".join(lines), set()).split("\n")


def _composed(text: str, found: set[Code]) -> str:
    """`text` as NFC without what draws nothing and marks that are too many; what was wrong."""
    text = _EMOJI_GLUE.sub("", text)
    visible = _visible(text)
    if len(visible) != len(text):
        found.add(Code.HIDDEN_TEXT)
    sortable = _MAY_BE_SLOW.sub(lambda match: _thinned(match, _SORTED_MARKS), visible)
    # Composing first: a letter and its mark count as one. Thinning may free marks to compose.
    text = unicodedata.normalize("NFC", sortable)
    thinned = _MAY_FLOOD.sub(_thinned, text)
    if thinned != text or sortable != visible:
        found.add(Code.COMBINING_FLOOD)
        thinned = unicodedata.normalize("NFC", thinned)
    return thinned


def _thinned(match: re.Match[str], most: int = _MAX_MARKS) -> str:
    """What has matched without the marks that are too many on one letter; a joiner is no letter."""
    kept: list[str] = []
    marks = 0
    for char, following in zip(match[0], f"{match[0][1:]} ", strict=True):
        if _is_mark(char):
            marks += 1
        elif char not in _JOINERS:
            marks = 0
        if marks < most or (marks == most and (char not in _JOINERS or not _is_mark(following))):
            kept.append(char)
    return "".join(kept)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _visible(text: str) -> str:
    """`text` without characters that draw nothing; every kind of space becomes a plain one.

    Line feeds and tabs stay.
    """
    text = _BLANK_LETTERS.sub("", text)
    if text.isprintable():
        return text
    joiners = {match.start() for match in _JOINER.finditer(text)}
    return "".join(
        char if char.isprintable() or index in joiners or char in "\n\t" else " "
        for index, char in enumerate(text)
        if char.isprintable() or index in joiners or char.isspace()
    )


def defused(text: str) -> str:
    """Clean `text` with a backslash in all that a model may take for a wrapper or a turn.

    `<\\/memory>`, `<\\|im_start|>`, `\\Human:`. Everywhere the same sign: a blank would be lost
    where lines are stripped, and a person would not see it.
    """
    return _TURN.sub(r"\g<0>\\", _WRAPPER.sub(r"\g<0>\\", text))


def escaped(text: str) -> str:
    """`text` with every character that may be taken for another, or for none, as `{U+FE0F}`."""
    return "".join(
        f"{{U+{ord(char):04X}}}"
        if char == " " or not char.isprintable() or _UNUSUAL.search(char)
        else char
        for char in text
    )


def cut(text: str, limit: int) -> str:
    """`text` with at most `limit` characters."""
    return text if len(text) <= limit else text[:limit].rstrip()


def fitting(text: str, size: int) -> int:
    """How many characters of clean `text` fit into `size` bytes of UTF-8."""
    return boundary(text, len(text.encode()[: max(size, 0)].decode("utf-8", "ignore")))


def boundary(text: str, end: int) -> int:
    """The last place up to `end` where `text` can be cut: no letter loses its marks."""
    while 0 < end < len(text) and (
        text[end] in _JOINERS or text[end - 1] in _JOINERS or _is_mark(text[end])
    ):
        end -= 1
    return end


def is_safe_name(name: str) -> bool:
    """True when a file name can be shown and written back without loss.

    False for names that are not UTF-8 and for control, direction and line-break characters.
    """
    if name.isprintable():
        return name.isascii() or not _BLANK_LETTERS.search(_EMOJI_GLUE.sub("", name))
    codes: set[Code] = set()
    clean(name, codes)
    return Code.HIDDEN_TEXT not in codes and not _BREAKS.search(name)


def age(modified: datetime, now: datetime) -> str:
    """How long ago `modified` was, in words: "today", "3 days ago"; "unknown" before 1980.

    Before 1980 there were no files of ours: such an mtime is a reset clock or an unpacked archive.
    """
    if modified.year < 1980:
        return "unknown"
    days = max((now - modified).days, 0)
    if days == 0:
        return "today"
    for size, unit in ((365, "year"), (30, "month"), (7, "week")):
        if days >= 2 * size:
            return f"{days // size} {unit}s ago"
    return "yesterday" if days == 1 else f"{days} days ago"
