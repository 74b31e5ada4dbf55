"""The list of memories that a model chooses from: one line each, which no file can forge."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from selector.names import shown_names
from selector.text import clean, cut
from selector.types import DESCRIPTION_LIMIT, Candidate, MemoryHeader

# What a small model reads with care; the same caps as the index file of the format's own client.
MAX_LINES = 200
MAX_BYTES = 25_000
LOOKED_AT = 2  # times as many candidates as lines are tried: a short line of rank 5,000 is no gain


def manifest_line(header: MemoryHeader, name: str | None = None) -> str:
    """`- [type] name (2026-04-14T09:30:00Z): description`, without the parts that are missing.

    `name` is what `shown_names` makes of the name among others.
    """
    kind = f"[{clean(header.type)}] " if header.type else ""
    time = header.modified.astimezone(UTC).isoformat(timespec="seconds")[:19]
    description = cut(clean(header.description or ""), DESCRIPTION_LIMIT)
    end = f": {description}" if description else ""
    return f"- {kind}{name or clean(header.name)} ({time}Z){end}"


def manifest(headers: Sequence[MemoryHeader]) -> str:
    """One line for each header, in their order."""
    shown = shown_names(header.name for header in headers)
    return "\n".join(manifest_line(header, shown[header.name]) for header in headers)


def fit(
    candidates: Sequence[Candidate], *, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES
) -> list[Candidate]:
    """The candidates that a manifest has room for, in their order.

    When not all of them fit, those with the best scores come first, and among equal scores the
    earlier ones; a long line that does not fit gives way to a shorter one behind it.
    """
    left = max_bytes + 1  # the last line has no line feed
    kept: list[int] = []
    ranked = sorted(range(len(candidates)), key=lambda i: -candidates[i].score.value)
    tried = ranked[: LOOKED_AT * max_lines]
    shown = shown_names(candidates[index].header.name for index in sorted(tried))
    for index in tried:
        header = candidates[index].header
        size = len(manifest_line(header, shown[header.name]).encode("utf-8", "replace")) + 1
        if size <= left and len(kept) < max_lines:
            kept.append(index)
            left -= size
    return [candidates[index] for index in sorted(kept)]
