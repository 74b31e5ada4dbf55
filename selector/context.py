"""The block of chosen memories for a prompt: text that is shown, and that no file can get out of.

    <memories-3f9a1c2e7b10>
    what these are

    --- 3f9a1c2e7b10 oncall/import-rollback.md [runbook], changed 2 weeks ago. a caveat
    the body, or a part of it
    --- 3f9a1c2e7b10 cut here: 4,096 of 12,345 bytes; the rest is in PATH from line 57

    --- 3f9a1c2e7b10 Left out: x.md (vanished)
    </memories-3f9a1c2e7b10>

Every line of ours carries a token that stands in no text that is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import accumulate, count

from selector.names import shown_names
from selector.patterns import lazy
from selector.templates import render, sentences
from selector.text import age, boundary, clean, clean_lines, cut, defused, fitting, shown_lines
from selector.types import (
    CONTEXT_BYTES,
    DESCRIPTION_LIMIT,
    Memory,
    MemoryHeader,
    Problem,
    Selection,
)

MAX_BODY_LINES = 200
MAX_BODY_BYTES = 4_096
LOOKED_AT = 4 * MAX_BODY_BYTES  # characters of a body: what is removed must not hide the rest
NAME_LIMIT = 200  # characters of a name that are shown, its end
PATH_LIMIT = 500  # the same of a path
LEFT_OUT_LIMIT = 500  # bytes of the line about what is not there
TOKEN_SIZE = 12  # hex digits
_QUOTED = lazy(r'["\\]')
_A_DAY = timedelta(days=1)


def context_block(
    memories: Sequence[Memory],
    *,
    now: datetime,
    max_bytes: int = CONTEXT_BYTES,
    missing: Sequence[Problem] = (),
) -> str:
    """`memories` in their order as one block of at most `max_bytes` bytes of UTF-8.

    Ages count up to `now`, an aware time. `missing` are named in the last line where there is room
    for it. When the bodies do not fit, the short ones are whole and the long ones share the rest;
    when there is no room for a part of each, the last memories are left out. "" when there is
    nothing to show, or no room for a part of the first. The same arguments give the same bytes.
    """
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
        raise TypeError(f"max_bytes {max_bytes!r}: a whole number of bytes is needed")
    if max_bytes <= 0:
        raise ValueError(f"max_bytes {max_bytes!r}: 1 or more is needed, as {CONTEXT_BYTES}")
    if now.tzinfo is None:
        raise ValueError(f"now {now!r}: a time with a zone is needed")
    if not memories and not missing:
        return ""
    shown = shown_names([one.header.name for one in memories] + [one.name for one in missing])
    notes = [_note(one, shown[one.header.name], now) for one in memories]
    absent = [f"{_named(shown[one.name])} ({one.code})" for one in missing]
    token = _token(notes, absent)
    opening = f"<memories-{token}>\n{render('context_preamble', token=token)}"
    frame = (opening, f"\n</memories-{token}>")
    return _filled(frame, notes, absent, f"\n--- {token} ", max_bytes)


def headers_of(selection: Selection | Iterable[MemoryHeader]) -> tuple[MemoryHeader, ...]:
    """The headers of a selection, or of any other iterable of them; raises TypeError."""
    is_many = isinstance(selection, Iterable)
    found: tuple[object, ...] = tuple(selection) if is_many else (selection,)
    headers = tuple(one for one in found if isinstance(one, MemoryHeader))
    if len(headers) < len(found) or not is_many:
        kinds = ", ".join(sorted({type(one).__name__ for one in found}))
        raise TypeError(f"selection: a Selection or a list of its headers is needed, not {kinds}")
    return headers


def _filled(
    frame: Sequence[str], notes: Sequence[_Note], absent: Sequence[str], ours: str, max_bytes: int
) -> str:
    """The frame with as much in it as there is room for; `ours` opens every line of ours."""
    room = max_bytes - sum(map(_size, frame))
    heads = [f"\n{ours}{note.head}" for note in notes]
    fit = sum(1 for used in accumulate(map(_size, heads)) if used <= room)
    tails = [note.tail(ours, sys.maxsize) for note in notes]
    for kept in range(fit, 0, -1):
        left = room - sum(map(_size, heads[:kept]))
        last = _left_out(absent, len(heads) - kept, ours, min(left, LEFT_OUT_LIMIT))
        for line in (last, "") if last else ("",):  # what is there counts more than what is not
            shared = _shared(notes[:kept], tails[:kept], ours, left - _size(line))
            # A head line without its body would say that the note is empty.
            if all(tail or not note.body for tail, note in zip(shared, notes, strict=False)):
                bodies = (part for pair in zip(heads, shared, strict=False) for part in pair)
                return "".join((frame[0], *bodies, line, frame[1]))
    last = _left_out(absent, 0, ours, min(room, LEFT_OUT_LIMIT))
    return "".join((frame[0], last, frame[1])) if last and not heads else ""


def _left_out(absent: Sequence[str], dropped: int, ours: str, room: int) -> str:
    """The line about what is not there, as long as there is room; "" when there is none."""
    for named in range(min(len(absent), LEFT_OUT_LIMIT), -1, -1):
        unnamed = dropped + len(absent) - named
        parts = [*absent[:named], *([f"{unnamed} more (no room)"] if unnamed else [])]
        line = f"\n{ours}Left out: {', '.join(parts)}"
        if parts and _size(line) <= room:
            return line
    return ""


def _shared(notes: Sequence[_Note], whole: Sequence[str], ours: str, room: int) -> list[str]:
    """What follows on each head line: the short ones whole, a fair share for each of the others."""
    tails = list(whole)
    by_size = sorted(range(len(notes)), key=lambda i: _size(tails[i]))
    for done, i in enumerate(by_size):
        share = room // (len(notes) - done)
        if _size(tails[i]) > share:
            tails[i] = notes[i].tail(ours, share)
        room -= _size(tails[i])
    return tails


@dataclass(frozen=True, slots=True)
class _Note:
    """One memory as it may be shown."""

    head: str  # name, type, age, and what to beware of
    body: str  # clean; perhaps not all of it
    unread: int  # bytes of the body behind that
    name: str
    path: str | None  # None for one that cannot be shown as it is
    lines: Sequence[int]  # the number in the file of each line of `body`

    def tail(self, ours: str, room: int) -> str:
        """The body in at most `room` bytes; a part of it and a pointer; "" for too little room."""
        most = min(MAX_BODY_BYTES, room - 1)
        end = self._end(most)
        if end == len(self.body) and not self.unread:
            return f"\n{self.body}" if self.body else ""
        spare = room - 1 - _size(ours + self._pointer(len(self.body)))
        if spare < 0:
            return ""
        end = min(end, self._end(spare))
        part = self.body[:end].rstrip()
        while defused(part) != part:  # the cut has made a mark of a chat out of a word
            part = part[: part.rindex("<")].rstrip()
        return f"\n{part}{ours}{self._pointer(end)}" if part else f"{ours}{self._pointer(0)}"

    def _end(self, size: int) -> int:
        """Where the body is cut, that it has at most 200 lines and `size` bytes."""
        lines = self.body.split("\n", MAX_BODY_LINES)
        return fitting("\n".join(lines[:MAX_BODY_LINES]), size)

    def _pointer(self, end: int) -> str:
        shown, whole = _size(self.body[:end]), _size(self.body) + self.unread
        line = self.lines[self.body.count("\n", 0, end + 1)]
        rest = f"in {self.path} from line {line}" if self.path else f"in memsel show {self.name}"
        return f"cut here: {shown:,} of {whole:,} bytes; the rest is {rest}"


def _note(memory: Memory, name: str, now: datetime) -> _Note:
    end = boundary(memory.text, LOOKED_AT)
    text, unread = memory.text[:end], memory.text[end:]
    description = cut(clean(memory.header.description or ""), DESCRIPTION_LIMIT)
    return _Note(
        head=_head(memory.header, name, now),
        body=defused(clean_lines(text) or description),
        unread=len(unread.encode("utf-8", "replace")),
        name=_named(name),
        path=_path(memory.header.path),
        lines=_numbers(text, memory.line),
    )


def _head(header: MemoryHeader, name: str, now: datetime) -> str:
    """`name [type], changed 2 weeks ago. What to beware of in an old memory of this type.`"""
    kind = f" [{defused(clean(header.type))}]" if header.type else ""
    since = age(header.modified, now)
    changed = "age unknown" if since == "unknown" else f"changed {since}"
    caveats = sentences("context_caveats")
    caveat = caveats.get(header.type or "*", caveats["*"])
    old = f". {caveat}" if now - header.modified > _A_DAY else ""
    return f"{_named(name)}{kind}, {changed}{old}"


def _path(path: str) -> str | None:
    """A path as an agent may open it."""
    shown = clean_lines(path)
    as_it_is = shown == path == defused(path) and len(path) <= PATH_LIMIT
    return _named(path, PATH_LIMIT) if as_it_is else None


def _named(name: str, limit: int = NAME_LIMIT) -> str:
    """A name or path as part of a line of ours: in quotes where it could pose as our words."""
    text = clean_lines(name).replace("\n", " ").replace("\t", " ")
    if len(text) > limit:
        text = f"…{text[-limit:]}"
    has_blank = " " in text
    text = defused(_QUOTED.sub(r"\\\g<0>", text) if has_blank else text)
    return f'"{text}"' if has_blank else text


def _numbers(text: str, first: int) -> list[int]:
    """The number in the file of each line that is shown of `text`, which begins in line `first`.

    Editors and agents count line feeds alone; shown is every line break of Unicode.
    """
    lines = text.splitlines(keepends=True)
    numbers = list(accumulate((line.endswith("\n") for line in lines), initial=first))
    filled = (i for i, line in enumerate(shown_lines(text)) if line.strip())
    return numbers[next(filled, len(lines)) :]


def _token(notes: Sequence[_Note], absent: Sequence[str]) -> str:
    """Hex digits that stand in nothing that is shown, and that the same texts always give.

    No body can hold its own token, as every try hashes all that is shown.
    """
    parts = [part for note in notes for part in (note.head, note.path or "", note.body)]
    shown = "\0".join((*parts, *absent))
    lower = shown.lower()
    tries = (sha256(f"{i}\0{shown}".encode()).hexdigest()[:TOKEN_SIZE] for i in count())
    return next(token for token in tries if token not in lower)


def _size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode())
