"""Temporary files that an interrupted save has left among the memories."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

from selector.files import HAS_DIR_FD, open_folder
from selector.layout import SKIPPED_FOLDERS, is_temporary
from selector.scan import MAX_DEPTH
from selector.text import is_safe_name

STRAY_AGE = 3600.0  # seconds: a younger file may still be written


class Stray(NamedTuple):
    """A temporary file that is too old to be in use, while its folder is open."""

    folder: int
    name: str
    relative: str  # to the root


def strays(root: str, seen: set[tuple[int, int]]) -> Iterator[Stray]:
    """Stray files in the folders that a scan walks, hidden files too.

    Only where folders open by descriptor: elsewhere nothing is saved either.
    """
    if HAS_DIR_FD:
        with suppress(OSError, ValueError):  # which the scan tells
            yield from _strays_in(open_folder(root, follow=True), "", seen)


def _strays_in(folder: int, prefix: str, seen: set[tuple[int, int]]) -> Iterator[Stray]:
    """Those from an open folder down; it is closed in the end. Raises OSError."""
    try:
        info = os.fstat(folder)
        if (info.st_dev, info.st_ino) in seen:
            return
        seen.add((info.st_dev, info.st_ino))
        with os.scandir(folder) as found:
            entries = sorted(found, key=attrgetter("name"))
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if _is_walked(entry.name, prefix):
                        below = open_folder(entry.name, folder)
                        yield from _strays_in(below, f"{prefix}{entry.name}/", seen)
                elif is_temporary(entry.name) and _is_old(entry):
                    yield Stray(folder, entry.name, f"{prefix}{entry.name}")
    finally:
        os.close(folder)


def _is_walked(name: str, prefix: str) -> bool:
    is_left_out = name.startswith(".") or name in SKIPPED_FOLDERS or not is_safe_name(name)
    return not is_left_out and prefix.count("/") < MAX_DEPTH


def _is_old(entry: os.DirEntry[str]) -> bool:
    info = entry.stat(follow_symlinks=False)
    return stat.S_ISREG(info.st_mode) and time.time() - info.st_mtime > STRAY_AGE
