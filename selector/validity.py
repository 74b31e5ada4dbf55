"""The one predicate that says whether a memory still counts."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import date
from posixpath import dirname, join, normpath

from selector.types import MemoryHeader


def is_valid(header: MemoryHeader, names: AbstractSet[str], today: date) -> bool:
    """False when `header` has expired before `today` (UTC) or a newer memory in `names` stands in.

    The day in `expires_at` still counts. A file that names itself as its successor stays valid.
    """
    if header.expires_at is not None and header.expires_at < today:
        return False
    return header.superseded_by is None or not _successor_exists(header, names)


def _successor_exists(header: MemoryHeader, names: AbstractSet[str]) -> bool:
    written = (header.superseded_by or "").strip().strip("[]").replace("\\", "/")
    folder = dirname(header.name)
    label = header.name.partition("/")[0]
    for base in (written, join(folder, written), join(label, written)):
        path = normpath(base)
        for name in (path, f"{path}.md"):
            if name in names and name != header.name:
                return True
    return False
