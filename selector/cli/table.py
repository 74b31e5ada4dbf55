"""Results on a terminal: aligned columns as wide as it is, and a little colour."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence

from selector.cli.output import encodable, harmless, is_terminal, line
from selector.cli.parser import columns
from selector.types import MemoryHeader

BOLD, DIM, RED, YELLOW, GREEN, PLAIN = "1", "2", "31", "33", "32", ""
GAP = "  "
WIDEST = 0.4  # of the terminal, for any column but the last: descriptions want the rest

_NO_WIDTH = frozenset(("Mn", "Me", "Cf"))

Cell = tuple[str, str]  # a text and its style


def memory_table(memories: Sequence[tuple[MemoryHeader, str]]) -> None:
    """Prints a line for each memory; the words are why one takes no part in the choice."""
    table([_memory_row(header, word) for header, word in memories])


def _memory_row(header: MemoryHeader, word: str) -> Sequence[Cell]:
    about = ": ".join(filter(None, (word, header.description)))
    return (
        (header.type or "", PLAIN),
        (header.name, BOLD),
        (f"{header.modified:%Y-%m-%d}", DIM),
        (about, YELLOW if word else PLAIN),
    )


def table(rows: Sequence[Sequence[Cell]], *, whole: bool = False) -> None:
    """Prints rows in columns, no row wider than the terminal; empty columns are left out.

    `whole`: nothing is cut, and what is too long goes on in the terminal's next line.
    """
    clean = [[(encodable(harmless(text)), style) for text, style in row] for row in rows]
    if not clean:
        return
    most = [max(width(row[i][0]) for row in clean) for i in range(len(clean[0]))]
    room = sum(most) + len(GAP) * len(most) if whole else columns()
    widest = room if whole else int(room * WIDEST)
    for row in clean:
        line(_row(row, [min(size, widest) for size in most], room), harmless_already=True)


def _row(row: Sequence[Cell], limits: Sequence[int], room: int) -> str:
    """The cells side by side; one in the middle that has no room is left out."""
    parts: list[str] = []
    for (text, style), limit in zip(row[:-1], limits[:-1], strict=True):
        if 0 < limit <= room:
            short = fitted(text, limit)
            parts.append(f"{painted(short, style)}{' ' * (limit - width(short))}")
            room -= limit + len(GAP)
    text, style = row[-1]
    last = painted(fitted(text, max(room, 0)), style)
    return GAP.join([*parts, last] if last else parts).rstrip()


def width(text: str) -> int:
    """The columns that a text takes: two for wide East Asian characters, none for marks."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fitted(text: str, limit: int) -> str:
    """`text` in at most `limit` columns; a cut one ends in `…`."""
    if width(text) <= limit:
        return text
    end = "…" if encodable("…") == "…" else "..."[:limit]
    left = limit - len(end)
    for i, char in enumerate(text):
        left -= _width(char)
        if left < 0:
            return f"{text[:i].rstrip()}{end}"
    return text


def painted(text: str, style: str) -> str:
    """`text` in a style where the terminal and the person want one."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and style and has_colour() else text


def has_colour() -> bool:
    """False for a pipe, for `NO_COLOR` that is not empty, and for a terminal that has none."""
    is_dumb = os.environ.get("TERM") == "dumb"
    return is_terminal() and not os.environ.get("NO_COLOR") and not is_dumb
