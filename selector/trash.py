"""The folder of a root where unwanted files go: nothing is lost there, and no scan sees it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from selector.files import HAS_DIR_FD, open_folder
from selector.layout import TRASH

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


def move_to_trash(root: str, name: str, folder: int) -> str:
    """Moves the file `name` of an open folder to the trash; the path below `root` that it has then.

    Raises OSError, and then it is where it was.
    """
    with _opened(root) as trash:
        descriptor, free = _new_file(name, trash)
        os.close(descriptor)
        try:
            os.rename(name, free, src_dir_fd=folder, dst_dir_fd=trash)
        except OSError:
            os.unlink(free, dir_fd=trash)
            raise
        _sync(trash)
        _sync(folder)
        return f"{TRASH}/{free}"


@contextmanager
def _opened(root: str) -> Iterator[int]:
    """A descriptor of the trash of a root, which is made where it is missing."""
    if not HAS_DIR_FD:
        raise OSError(errno.ENOSYS, "this system has no safe way to do it")
    if os.path.islink(root):
        raise OSError(errno.ELOOP, "the root is a link; name the folder that it leads to")
    top = open_folder(root)
    try:
        with suppress(FileExistsError):
            os.mkdir(TRASH, 0o700, dir_fd=top)
        trash = open_folder(TRASH, top)
    finally:
        os.close(top)
    try:
        yield trash
    finally:
        os.close(trash)


def _new_file(name: str, folder: int) -> tuple[int, str]:
    """A new, empty file: its descriptor, and `name`, with a number where that is taken."""
    for number in count(1):
        free = name if number == 1 else f"{name}.{number}"
        with suppress(FileExistsError):
            return os.open(free, _NEW, 0o600, dir_fd=folder), free
    raise AssertionError("unreachable")


def _sync(folder: int) -> None:
    """Puts the names in a folder on the disk, where its file system can."""
    with suppress(OSError):
        os.fsync(folder)
