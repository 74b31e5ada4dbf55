"""The one predicate that says whether a memory still counts."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import date
from posixpath import dirname, join, normpath

from selector.layout import SUFFIXES
from selector.types import MemoryHeader


def is_valid(
    header: MemoryHeader, names: AbstractSet[str], today: date, *, labelled: bool = False
) -> bool:
    """False when `header` has expired before `today` (UTC) or a newer memory in `names` stands in.

    The day in `expires_at` still counts. A file that names itself as its successor stays valid.
    `labelled`: the first part of each name is the label of its root, which a successor may leave
    out.
    """
    if header.expires_at is not None and header.expires_at < today:
        return False
    return header.superseded_by is None or not _successor_exists(header, names, labelled)


def _successor_exists(header: MemoryHeader, names: AbstractSet[str], labelled: bool) -> bool:
    text = (header.superseded_by or "").strip()
    link = text.strip("[]")
    if link != text:  # `[[file|what it is called here]]`
        link = link.partition("|")[0].strip()
    written = link.replace("\\", "/")
    bases = {"", dirname(header.name)}
    if labelled:
        bases.add(header.name.partition("/")[0])
    paths = [normpath(join(base, written)) for base in bases]
    found = {f"{path}{suffix}" for path in paths for suffix in ("", *SUFFIXES)} & names
    return bool(written) and not found <= {header.name}
