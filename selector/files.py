"""Opening files below a folder: no link is followed, nothing blocks, no time is changed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from selector.codes import Code

# Relative opens: the folder that was looked at is the folder that is read, whatever is swapped
# in meanwhile. Windows has none of it; there whole paths are used.
HAS_DIR_FD = os.open in os.supports_dir_fd and os.scandir in os.supports_fd

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FILE = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER = _READ | getattr(os, "O_DIRECTORY", 0)
_NO_ATIME = getattr(os, "O_NOATIME", 0)
_QUIET_FILE = _FILE | _NO_ATIME

_CODES = {
    errno.ENOENT: Code.VANISHED,
    errno.EACCES: Code.PERMISSION,
    errno.EPERM: Code.PERMISSION,
    errno.ELOOP: Code.SYMLINK_OUTSIDE,  # O_NOFOLLOW met a link
    errno.ENOTDIR: Code.NOT_A_FOLDER,
    errno.ENXIO: Code.NOT_REGULAR,  # a socket
    errno.ENAMETOOLONG: Code.UNSAFE_NAME,
}


def code_of(error: OSError) -> Code:
    """The word for what the system refused."""
    return _CODES.get(error.errno or 0, Code.UNREADABLE)


def open_file(name: str, folder: int | None = None) -> int:
    """A descriptor of the file `name`, relative to the descriptor `folder` where one is given.

    A link is refused; a pipe does not block. Raises OSError.
    """
    try:
        return os.open(name, _QUIET_FILE, dir_fd=folder)
    except PermissionError as error:
        return _open_as_other(name, _FILE, folder, error)


def open_folder(name: str, folder: int | None = None, *, follow: bool = False) -> int:
    """A descriptor of the folder `name`; with `follow` the last part may be a link."""
    flags = _FOLDER if follow else _FOLDER | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(name, flags | _NO_ATIME, dir_fd=folder)
    except PermissionError as error:
        return _open_as_other(name, flags, folder, error)


def _open_as_other(name: str, flags: int, folder: int | None, error: OSError) -> int:
    """Opens what only its owner may open without changing its access time."""
    if not _NO_ATIME or error.errno != errno.EPERM:
        raise error
    return os.open(name, flags, dir_fd=folder)


@contextmanager
def opened_below(root: str, relative: str, *, by_descriptor: bool = HAS_DIR_FD) -> Iterator[int]:
    """A descriptor of the regular file `relative` below `root`, each part opened without a link.

    Raises OSError: `ENXIO` for a file that is not regular, `ENOENT` for a way out of the root.
    """
    parts = relative.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise FileNotFoundError(errno.ENOENT, "no file below the root", relative)
    if not by_descriptor:
        parts = [os.path.join(root, *parts)]
    descriptors = [open_folder(root, follow=True)] if by_descriptor else []
    try:
        for part in parts[:-1]:
            descriptors.append(open_folder(part, descriptors[-1]))
        descriptors.append(open_file(parts[-1], descriptors[-1] if descriptors else None))
        if not stat.S_ISREG(os.fstat(descriptors[-1]).st_mode):
            raise OSError(errno.ENXIO, "not a regular file", relative)
        yield descriptors[-1]
    finally:
        for descriptor in reversed(descriptors):
            os.close(descriptor)


def read_at_most(descriptor: int, limit: int) -> bytes:
    """Up to `limit` bytes from where the descriptor stands: fewer only at the end of the file."""
    chunks: list[bytes] = []
    left = limit
    while left > 0 and (chunk := os.read(descriptor, left)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)
