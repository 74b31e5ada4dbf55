"""Changes to a folder of memories that lose nothing.

What is taken away is kept in the folder `.trash` of the root, under a name that nothing has yet.
Everything is opened from the root downwards without following a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count

from selector.files import HAS_DIR_FD, open_file, open_folder, read_at_most
from selector.frontmatter import encoding_of
from selector.layout import TEMP_PREFIX, TEMP_SUFFIX, TRASH

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


def move_to_trash(root: str, name: str, folder: int) -> str:
    """Moves the file `name` of an open folder to the trash; the path below `root` that it has then.

    Raises OSError, and then it is where it was.
    """
    with _opened(root) as (_, trash):
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


def remove_lines(root: str, path: str, old: bytes, numbers: Collection[int]) -> str:
    """Removes lines (from 1 on) of a file below `root`; the path below `root` of what it was.

    `old` is the file as it was read, and must still be. Raises OSError, and then nothing changed.
    """
    folder, name = os.path.split(os.path.relpath(path, root))
    new = _without(old, numbers)
    with _opened(root, folder) as (here, trash):
        info = os.stat(name, dir_fd=here, follow_symlinks=False)
        descriptor, free = _new_file(name, trash)
        try:
            _write(descriptor, old, info)
            _sync(trash)
            _replace(name, here, old, new, info)
        except OSError:
            os.unlink(free, dir_fd=trash)
            raise
        _sync(here)
        return f"{TRASH}/{free}"


def _without(raw: bytes, numbers: Collection[int]) -> bytes:
    encoding, mark = encoding_of(raw)
    if encoding != "utf-8":
        raise OSError(errno.EILSEQ, f"only UTF-8 is changed, not {encoding}")
    lines = raw[mark:].split(b"\n")
    ends = [b"\n"] * (len(lines) - 1) + [b""]
    return raw[:mark] + b"".join(
        line + end
        for number, (line, end) in enumerate(zip(lines, ends, strict=True), 1)
        if number not in numbers
    )


@contextmanager
def _opened(root: str, folder: str = "") -> Iterator[tuple[int, int]]:
    """Descriptors of `folder` below `root` and of the trash, which is made where it is missing."""
    if not HAS_DIR_FD:
        raise OSError(errno.ENOSYS, "this system has no safe way to do it")
    if os.path.islink(root):
        raise OSError(errno.ELOOP, "the root is a link; name the folder that it leads to")
    with ExitStack() as stack:

        def opened(name: str, parent: int | None) -> int:
            descriptor = open_folder(name, parent)
            stack.callback(os.close, descriptor)
            return descriptor

        here = top = opened(root, None)
        for part in folder.split("/") if folder else ():
            here = opened(part, here)
        with suppress(FileExistsError):
            os.mkdir(TRASH, 0o700, dir_fd=top)
        yield here, opened(TRASH, top)


def _new_file(name: str, folder: int) -> tuple[int, str]:
    """A new, empty file: its descriptor, and `name`, with a number where that is taken."""
    for number in count(1):
        free = name if number == 1 else f"{name}.{number}"
        with suppress(FileExistsError):
            return os.open(free, _NEW, 0o600, dir_fd=folder), free
    raise AssertionError("unreachable")


def _write(descriptor: int, raw: bytes, like: os.stat_result) -> None:
    """Fills a new file on the disk, gives it owner and mode of another, and closes it."""
    with os.fdopen(descriptor, "wb") as file:
        own = os.fstat(descriptor)
        if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
            os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        file.write(raw)
        file.flush()
        os.fsync(descriptor)


def _replace(name: str, folder: int, old: bytes, new: bytes, like: os.stat_result) -> None:
    """Puts `new` in the place of the file that holds `old`, whole or not at all."""
    temporary = f"{TEMP_PREFIX}{os.urandom(8).hex()}{TEMP_SUFFIX}"
    try:
        descriptor, _ = _new_file(temporary, folder)
        _write(descriptor, new, like)
        if _content(name, folder, len(old) + 1) != old:
            raise OSError(errno.EBUSY, "it was changed meanwhile")
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)


def _content(name: str, folder: int, limit: int) -> bytes:
    descriptor = open_file(name, folder)
    try:
        return read_at_most(descriptor, limit)
    finally:
        os.close(descriptor)


def _sync(folder: int) -> None:
    """Puts the names in a folder on the disk, where its file system can."""
    with suppress(OSError):
        os.fsync(folder)
