"""Where the frontmatter of a file is, whatever the file's encoding."""

from __future__ import annotations

from selector.codes import Code
from selector.patterns import lazy

BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_OPENING = lazy(r"(?:\s*\n)?---[ \t]*\r?\n")
_CLOSING = lazy(r"\n---[ \t]*(?:\r?\n|\Z)")
_LONE_RETURN = lazy(r"\r(?!\n)")
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"  # what editors and chats leave before a text
_MAY_OPEN = frozenset(("-", "\n", "\r", " ", "\t"))

# A text cut in two: its header (None when it has none), where in the text the body starts, and
# whether the end of the header was found.
Split = tuple[str | None, int, bool]


def decode(raw: bytes, codes: set[Code], whole: bool = True) -> str:
    """`raw` as text, read by its byte-order mark, else as UTF-8; broken bytes become U+FFFD.

    With `whole=False` a character that is cut off at the end is left out without a complaint.
    Where carriage returns alone break the lines, as in old editors, they become line feeds.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = _decode_odd(raw, codes, whole)
    if not text.isascii() and text[0] in _INVISIBLE:
        text = text.removeprefix("\ufeff")  # the byte-order mark
        if text[:1] >= "\u200b" and text[0] in _INVISIBLE:
            codes.add(Code.HIDDEN_TEXT)
            text = text.lstrip(_INVISIBLE)
    return _LONE_RETURN.sub("\n", text) if "\r" in text and _opens_with_return(text) else text


def _decode_odd(raw: bytes, codes: set[Code], whole: bool) -> str:
    """Text that is not UTF-8, not wholly, or cut off."""
    encoding, start = encoding_of(raw)
    try:
        return raw[start:].decode(encoding)
    except UnicodeDecodeError as error:
        if not whole and error.reason in ("unexpected end of data", "truncated data"):
            return raw[start : start + error.start].decode(encoding)
        codes.add(Code.INVALID_ENCODING)
        return raw[start:].decode(encoding, "replace")


def _opens_with_return(text: str) -> bool:
    """True when the first line ends with a carriage return alone."""
    first = text.find("\r")
    return text[first + 1 : first + 2] != "\n" and text.find("\n", 0, first) < 0


def encoding_of(raw: bytes) -> tuple[str, int]:
    """The encoding that the byte-order mark of `raw` names, and the length of the mark."""
    for mark, encoding in BOMS:
        if raw.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def split(text: str, codes: set[Code], whole: bool = True) -> Split:
    """Where the header of `text` is. A fence is `---` followed by blanks at most.

    With `whole=False` the text may go on behind its end, and a fence there is not yet one.
    """
    opening = _OPENING.match(text) if text[:1] in _MAY_OPEN else None
    if not opening:
        only_a_fence = text.startswith("---") and text.rstrip() == "---"
        return ("", len(text), False) if only_a_fence else (None, 0, True)
    if not text.startswith("---"):
        codes.add(Code.BAD_SYNTAX)
    start = opening.end()
    closing = _CLOSING.search(text, start - 1)
    if not closing or not (whole or closing[0].endswith("\n")):
        return text[start:], start, False
    return text[start : closing.start() + 1], closing.end(), True
