"""The memories below the folders, and whether each takes part in the choice."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from selector.cli.options import check_roots, roots
from selector.cli.output import note
from selector.scan import Scan
from selector.store import MemoryStore
from selector.types import MemoryHeader
from selector.validity import is_valid

VALID, EXPIRED, SUPERSEDED = "valid", "expired", "superseded"


class Standing(NamedTuple):
    """A memory, and why it takes no part in the choice: "valid" where it does."""

    header: MemoryHeader
    word: str


def scanned(options: Namespace, *, everything: bool = False) -> tuple[MemoryStore, Scan]:
    """The store and what it holds; raises Failure when no folder can be read.

    `everything`: index files, and those that clients load in full, too.
    """
    folders = roots(options)
    store = MemoryStore(folders.get("") or folders)
    found = store.scan(indexes=everything, instructions=everything)
    check_roots(options, folders, found.failed)
    return store, found


def standings(store: MemoryStore, headers: Sequence[MemoryHeader]) -> list[Standing]:
    """How each of all headers stands, in their order."""
    names = {header.name for header in headers}
    today = datetime.now(UTC).date()
    labelled = "" not in store.roots

    def word(header: MemoryHeader) -> str:
        if is_valid(header, names, today, labelled=labelled):
            return VALID
        is_over = header.expires_at is not None and header.expires_at < today
        return EXPIRED if is_over else SUPERSEDED

    return [Standing(header, word(header)) for header in headers]


def of_types(found: list[Standing], types: Sequence[str], store: MemoryStore) -> list[Standing]:
    """Those of the wanted types, all where none is named; says so when there are none."""
    wanted = [one for one in found if not types or one.header.type in types]
    if not wanted:
        kind = f" of type {' or '.join(types)}" if found else ""
        note(f"there are no memories{kind} in {', '.join(store.roots.values())}")
    return wanted
