"""The beginning of a file in, a `MemoryHeader` out; what was odd about it goes into `codes`."""

from __future__ import annotations

from datetime import date

from selector.codes import Code, DescriptionSource
from selector.drafts import draft_of
from selector.fields import Fields, plain_fields, read_fields
from selector.frontmatter import decode, split
from selector.markdown import bare_fields_end, heading, paragraph
from selector.patterns import lazy
from selector.scalars import behind_notes, list_of, text_of, word_of
from selector.text import clean, cut
from selector.times import EXPIRY_KEYS, last_day, modified
from selector.types import DESCRIPTION_LIMIT, MemoryHeader

HEAD_BYTES = 4096  # read of every file
OPEN_HEADER_BYTES = 16_384  # read only while a header is not closed
TITLE_LIMIT = 200  # characters
DEFAULT_IMPORTANCE = 0.5
# What the clocks of two machines may differ by.
CLOCK_SLACK = 2.0  # seconds

_TYPE = lazy(r"[a-z][a-z0-9_-]{0,31}")
_MAY_OPEN = frozenset(b"-\xef\xff\xfe\n\r \t")  # first bytes: `-`, a byte-order mark, a blank line
_CLOSING = lazy(rb"\n---[ \t]*\r?\n")
_SECOND_OPENING = lazy(r"(?:\r?\n)*---")
_SCOPE_KEYS = ("paths", "globs", "applyTo", "fileMatchPattern")
_ANY_EXTRA = frozenset((*_SCOPE_KEYS, *EXPIRY_KEYS, "importance", "superseded_by"))
_USUAL_TYPES = frozenset(("user", "feedback", "project", "reference"))
_HEADER, _BODY = DescriptionSource.HEADER, DescriptionSource.BODY

# Scope, importance, last day and successor: what few headers have.
Extras = tuple[tuple[str, ...], float, date | None, str | None]
_NO_EXTRAS: Extras = ((), DEFAULT_IMPORTANCE, None, None)


# A file as the scan has it: its memory's name, its path, mtime (seconds since the epoch), size
# (bytes), and the type that the path gives it.
FileFacts = tuple[str, str, float, int, str | None]


_Draft = draft_of(MemoryHeader)


def needs_more(raw: bytes) -> bool:
    """True when `raw` may open a header that it does not close."""
    if raw[0] not in _MAY_OPEN:
        return False
    if raw.startswith(b"---"):
        return not _CLOSING.search(raw, 3)
    codes: set[Code] = set()
    return not split(decode(raw, codes, False), codes, False)[2]


def read_header(raw: bytes, facts: FileFacts, now: float, codes: set[Code]) -> MemoryHeader:
    """The header of a file that begins with `raw`; never raises, whatever the bytes are.

    What cannot be read as it was meant is left at its default and named in `codes`. `now` is in
    seconds since the epoch.
    """
    name, path, mtime, size, from_path = facts
    # A file may shrink while it is read: what is shorter than was asked for is all of it.
    whole = len(raw) >= size or len(raw) < HEAD_BYTES
    text = decode(raw, codes, whole)
    fields, start = plain_fields(text)
    if not start:
        fields, start = _fields(text, whole, codes)
    # A run of bare `key: value` lines opens a note only where there is no header.
    bare = 0 if start else bare_fields_end(text)
    header = _Draft()
    header.name = name
    header.path = path
    header.size = size
    header.description = _declared_description(fields, codes)
    header.description_from = _HEADER
    if header.description is None:
        header.description = found = _first_paragraph(text, start, bare, codes)
        header.description_from = _BODY if found else None
    header.title = _declared_title(fields, codes) or _heading(text, start)
    header.type = _type(fields, from_path, codes)
    header.scope, header.importance, header.expires_at, header.superseded_by = (
        _NO_EXTRAS if _ANY_EXTRA.isdisjoint(fields) else _extras(fields, codes)
    )
    if bare:
        fields = read_fields(text[:bare], set()) or {}
    header.modified = modified(fields, name, mtime, codes)
    if mtime > now + CLOCK_SLACK:
        codes.add(Code.FUTURE_MTIME)
    header.__class__ = MemoryHeader
    return header  # type: ignore[no-any-return]


def _fields(text: str, whole: bool, codes: set[Code]) -> tuple[Fields, int]:
    """The fields of the header, and where the body starts; a block without a field is body."""
    header, start, closed = split(text, codes, whole)
    if header is None:
        return {}, 0
    if not closed:
        codes.add(Code.UNCLOSED_HEADER if whole else Code.HEADER_TOO_LARGE)
        # What the size limit cuts off is a header, its last line perhaps half of one; what never
        # closes may be all text.
        lines = "" if whole else header[: header.rfind("\n") + 1]
        return (lines and read_fields(lines, codes)) or {}, start
    read = read_fields(header, codes)
    if read is None:
        return {}, text.index("---") + 3
    if _SECOND_OPENING.match(text, start):
        start = _behind_second_header(text, start, codes)
    return read, start


def _behind_second_header(text: str, start: int, codes: set[Code]) -> int:
    """Where the body starts; a header that opens what stands behind the first one is reported."""
    body = text[start:].lstrip("\r\n")
    header, length, closed = split(body, set())
    if header and closed and read_fields(header, set()):
        codes.add(Code.SECOND_HEADER)
        return len(text) - len(body) + length
    return start


def _declared_title(fields: Fields, codes: set[Code]) -> str | None:
    for key in ("name", "title"):
        written = fields.get(key)
        title = text_of(written, codes) if written else ""
        if title:
            return title if len(title) <= TITLE_LIMIT else cut(title, TITLE_LIMIT)
    return None


def _heading(text: str, start: int) -> str | None:
    """The first heading of the body that starts there."""
    found = heading(text, start)
    if found and not (found.isascii() and found.isprintable()):
        found = clean(found)
    return cut(found, TITLE_LIMIT) or None


def _declared_description(fields: Fields, codes: set[Code]) -> str | None:
    for key in ("description", "summary"):
        written = fields.get(key)
        text = text_of(written, codes) if written else ""
        if not text:
            continue
        if "when_to_use" in fields:  # agent skills say in a second field when they apply
            text = f"{text} {text_of(fields['when_to_use'], codes)}".rstrip()
        if len(text) > DESCRIPTION_LIMIT:
            codes.add(Code.LONG_DESCRIPTION)
            text = cut(text, DESCRIPTION_LIMIT)
        return text
    return None


def _first_paragraph(text: str, start: int, bare: int, codes: set[Code]) -> str | None:
    """The description where none is declared; bare fields only where nothing else is."""
    codes.add(Code.NO_DESCRIPTION)
    found = clean((bare and paragraph(text, bare)) or paragraph(text, start))
    if not found and not start and not text.strip():
        codes.add(Code.EMPTY_FILE)
    return found or None


def _type(fields: Fields, from_path: str | None, codes: set[Code]) -> str | None:
    """The declared type, else what the path says."""
    for key in ("metadata.type", "type"):
        written = fields.get(key)
        if written:
            if written in _USUAL_TYPES:
                return written
            word = clean(_first_text(written, codes), codes).lower()
            if word:
                if _TYPE.fullmatch(word):
                    return word
                codes.add(Code.BAD_TYPE)
                return None
    return from_path


def _first_text(written: str, codes: set[Code]) -> str:
    """`written` as a text; of a list the first part."""
    written = behind_notes(written)
    if not written.startswith(("[", "\n")):
        return word_of(written, codes)
    texts = list_of(written, codes) or [word_of(written, codes)]
    if len(texts) > 1:
        codes.add(Code.BAD_VALUE)
    return texts[0]


def _extras(fields: Fields, codes: set[Code]) -> Extras:
    successor = fields.get("superseded_by")
    return (
        _scope(fields, codes),
        _importance(fields["importance"], codes) if "importance" in fields else DEFAULT_IMPORTANCE,
        last_day(fields, codes),
        word_of(successor, codes) or None if successor else None,
    )


def _scope(fields: Fields, codes: set[Code]) -> tuple[str, ...]:
    """The globs of all keys that name files, each once."""
    globs: dict[str, None] = {}
    for key in _SCOPE_KEYS:
        if key in fields:
            for glob in list_of(fields[key], codes):
                globs[glob if glob.isascii() and glob.isprintable() else clean(glob, codes)] = None
    return tuple(globs)


def _importance(written: str, codes: set[Code]) -> float:
    try:
        value = float(word_of(written, codes))
    except ValueError:
        value = -1.0
    if 0.0 <= value <= 1.0:
        return value
    codes.add(Code.BAD_VALUE)
    return DEFAULT_IMPORTANCE
