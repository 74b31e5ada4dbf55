"""Text as a model and a terminal may see it: one line, no hidden characters; and ages in words."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from selector.codes import Code
from selector.patterns import lazy

# Letters, marks and signs of living scripts that need no look of their own: each is printable and
# NFC, and none composes with what stands before it. Most texts consist of these alone.
_ORDINARY = lazy(
    "[ -~\u00a1-\u00ac\u00ae-\u024f\u03a3-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a"
    "\u0e01-\u0e30\u2010-\u2027\u2030-\u205e\u2190-\u2328\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f\U0001f300-\U0001f64f]*"
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
_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
# Four marks on one letter are more than any living script writes.
_FLOOD = lazy(f"({_MARKS}{{4}}){_MARKS}+")
_SPACES = lazy(r"\s\s+")


def clean(text: str, codes: set[Code] | None = None) -> str:
    """`text` as one line of NFC without control, format, invisible or unassigned characters.

    Line breaks and tabs become one space; joiners stay between Arabic and Indic letters. What was
    wrong with the text is added to `codes`: `hidden_text`, `combining_flood`.
    """
    if text.isprintable() and (text.isascii() or _ORDINARY.fullmatch(text)):
        return text.strip()
    found = codes if codes is not None else set()
    if _ODD_BREAKS.search(text):
        found.add(Code.HIDDEN_TEXT)
    text = _BREAKS.sub(" ", text)
    text = _EMOJI_GLUE.sub("", text)
    visible = _visible(text)
    if len(visible) != len(text):
        found.add(Code.HIDDEN_TEXT)
    # Composing first: a letter and its mark count as one. Thinning may free marks to compose.
    text = unicodedata.normalize("NFC", visible)
    thinned = _FLOOD.sub(r"\1", text)
    if thinned != text:
        found.add(Code.COMBINING_FLOOD)
        thinned = unicodedata.normalize("NFC", thinned)
    return _SPACES.sub(" ", thinned).strip()


def _visible(text: str) -> str:
    """`text` without characters that draw nothing; every kind of space becomes a plain one."""
    text = _BLANK_LETTERS.sub("", text)
    if text.isprintable():
        return text
    joiners = {match.start() for match in _JOINER.finditer(text)}
    return "".join(
        char if char.isprintable() or index in joiners else " "
        for index, char in enumerate(text)
        if char.isprintable() or index in joiners or char.isspace()
    )


def cut(text: str, limit: int) -> str:
    """`text` with at most `limit` characters."""
    return text if len(text) <= limit else text[:limit].rstrip()


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
