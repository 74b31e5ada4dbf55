"""Walks the roots and reads the beginning of every memory file: headers and problems."""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from selector.codes import Code, Severity
from selector.drafts import draft_of
from selector.files import HAS_DIR_FD, code_of, open_file, open_folder
from selector.headers import HEAD_BYTES, OPEN_HEADER_BYTES, FileFacts, needs_more, read_header
from selector.layout import (
    CLIENT_FILES,
    INDEX_FILES,
    SKIPPED_FOLDERS,
    SUFFIXES,
    is_conflict_copy,
    type_below,
    type_of_file,
    type_of_folder,
)
from selector.roots import Root, root_paths
from selector.text import is_safe_name
from selector.types import MemoryHeader, Problem

# Files are read and parsed in turns: each goes faster when it is not interrupted by the other.
_BATCH = 128  # files: half a MiB of beginnings, two at worst; 8 ms
# Entries between two looks at the stop signal where there are no memories to look before.
_LISTED = 4096  # of one folder, while it is listed
_OTHERS = 64  # other files and folders
MAX_DEPTH = 32  # folders below the root: deeper ones are a mistake or a trap

_SEVERITIES = {
    Code.NO_DESCRIPTION: Severity.INFO,
    Code.INDEX_FILE: Severity.INFO,
    Code.CLIENT_FILE: Severity.INFO,
    Code.SYMLINK_INSIDE: Severity.INFO,
    Code.LOOP: Severity.INFO,
    Code.NO_FOLDER: Severity.ERROR,
    Code.NOT_A_FOLDER: Severity.ERROR,
    Code.PERMISSION: Severity.ERROR,
    Code.UNREADABLE: Severity.ERROR,
}

_Draft = draft_of(Problem)

# What a root that cannot be opened is called; all else is `no_folder`.
_ROOT_CODES = frozenset((Code.NOT_A_FOLDER, Code.PERMISSION, Code.UNREADABLE))


class Scan(NamedTuple):
    """What a scan found: headers newest first, and what a person may want to know."""

    headers: list[MemoryHeader]
    problems: list[Problem]
    failed: Mapping[str, Code]  # label of a root that cannot be read -> why

    @property
    def incomplete(self) -> bool:
        """True when the scan was stopped before every file was read."""
        return any(problem.code is Code.SCAN_INCOMPLETE for problem in self.problems)

    @property
    def status(self) -> str:
        """ "ok", or the code of the first root that cannot be read."""
        return str(next(iter(self.failed.values()), "ok"))


def scan(
    root: Root | Mapping[str, Root],
    *,
    indexes: bool = False,
    instructions: bool = False,
    stop: Callable[[], bool] | None = None,
    by_descriptor: bool = HAS_DIR_FD,
) -> Scan:
    """The headers below `root`, newest first, name breaking ties; and the problems.

    `indexes` lists MEMORY.md and its like too, `instructions` the files that clients load in full.
    `stop` is asked before every file, and among many others now and then; once it is true the scan
    ends with what it has and the problem `scan_incomplete`. `by_descriptor` opens everything
    relative to its open folder, which a link that is swapped in cannot lead astray. No exception
    for anything that lies on the disk.
    """
    walk = _Walk(indexes, instructions, stop, by_descriptor)
    for label, path in root_paths(root).items():
        walk.root(label, path)
    return walk.finish()


class _Folder(NamedTuple):
    """A folder under way."""

    descriptor: int | None  # None where everything is opened by its path
    path: str
    prefix: str  # of the names of what is in it
    type: str | None  # what the path says
    depth: int  # folders below the root


class _Walk:
    """One scan under way."""

    def __init__(
        self,
        indexes: bool,
        instructions: bool,
        stop: Callable[[], bool] | None,
        by_descriptor: bool,
    ) -> None:
        self._headers: list[MemoryHeader] = []
        self._problems: list[Problem] = []
        self._failed: dict[str, Code] = {}
        # Beginnings of files that are read and not parsed yet, and what is odd about their names.
        self._heads: list[tuple[bytes, FileFacts, tuple[Code, ...]]] = []
        self._stop = stop
        self._stopped = False
        self._others = 0
        self._by_descriptor = by_descriptor
        self._now = time.time()
        self._names: set[str] = set()
        self._folders: set[tuple[int, int]] = set()
        self._left_out: dict[str, Code] = {}
        if not indexes:
            self._left_out |= dict.fromkeys(INDEX_FILES, Code.INDEX_FILE)
        if not instructions:
            self._left_out |= dict.fromkeys(CLIENT_FILES, Code.CLIENT_FILE)

    def root(self, label: str, path: str) -> None:
        """Walks one root; one that cannot be read is a problem, not an exception."""
        self._root = path
        prefix = f"{label}/" if label else ""
        try:
            descriptor = open_folder(path, follow=True) if self._by_descriptor else None
            self._folder(_Folder(descriptor, path, prefix, type_of_folder(path, path), 0))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            code = code_of(error) if isinstance(error, OSError) else Code.NO_FOLDER
            self._failed[label] = code if code in _ROOT_CODES else Code.NO_FOLDER
            self._report(label, self._failed[label])

    def finish(self) -> Scan:
        """What was found, in order."""
        self._read_headers()
        self._headers.sort(key=attrgetter("name"))
        self._headers.sort(key=attrgetter("modified"), reverse=True)
        if not self._stopped:  # in haste, and half of a pair may be missing
            self._report_case_twins()
        return Scan(self._headers, self._problems, self._failed)

    def _report(self, name: str, code: Code) -> None:
        problem = _Draft()
        problem.name = name if name.isprintable() else shown(name)
        problem.code = code
        problem.severity = _SEVERITIES.get(code, Severity.WARNING)
        problem.__class__ = Problem
        self._problems.append(problem)

    def _folder(self, here: _Folder) -> None:
        """Lists one open folder, its files first, and closes it. Raises OSError."""
        descriptor = here.descriptor
        try:
            if not self._enter(here):
                return
            with os.scandir(here.path if descriptor is None else descriptor) as found:
                entries: list[os.DirEntry[str]] = []
                while some := list(islice(found, _LISTED)):
                    entries += some
                    if len(some) == _LISTED and self._is_over():
                        break
            for name in self._files(_in_order(entries), here):
                self._subfolder(name, here)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _enter(self, here: _Folder) -> bool:
        """False for a folder that was seen before, by this or another name."""
        info = os.stat(here.path if here.descriptor is None else here.descriptor)
        identity = (info.st_dev, info.st_ino)
        if identity in self._folders:
            self._report(here.prefix.rstrip("/"), Code.LOOP)
            return False
        self._folders.add(identity)
        return True

    def _subfolder(self, name: str, parent: _Folder) -> None:
        if self._stopped:
            return
        written = f"{parent.prefix}{name}"
        path = os.path.join(parent.path, name)
        if not is_safe_name(name):
            self._report(written, Code.UNSAFE_NAME)
        elif parent.depth == MAX_DEPTH:
            self._report(written, Code.TOO_DEEP)
        elif parent.descriptor is None and not self._is_inside(path):  # a Windows junction
            self._report(written, Code.SYMLINK_OUTSIDE)
        else:
            kind = type_below(os.path.basename(parent.path), name, parent.type)
            folder = parent.descriptor
            try:
                descriptor = None if folder is None else open_folder(name, folder)
                self._folder(_Folder(descriptor, path, f"{written}/", kind, parent.depth + 1))
            except OSError as error:
                self._report(written, code_of(error))

    def _files(self, entries: list[os.DirEntry[str]], here: _Folder) -> list[str]:
        """Takes in the files among the entries of a folder; gives the folders to walk."""
        folders: list[str] = []
        before, prefix = os.path.join(here.path, ""), here.prefix
        can_stop = self._stop is not None
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            lower = name.lower()
            is_memory = lower[-3:] == ".md" or lower.endswith(SUFFIXES)
            if not is_memory:
                self._others += 1
            if can_stop and (is_memory or not self._others % _OTHERS) and self._is_over():
                break
            written = f"{prefix}{name}"
            try:
                if not entry.is_file(follow_symlinks=False):
                    if self._is_folder(entry, written, f"{before}{name}"):
                        folders.append(name)
                elif is_memory:
                    code = self._left_out.get(lower)
                    if not (name.isascii() and name.isprintable()) and not is_safe_name(name):
                        code = Code.UNSAFE_NAME
                    if code:
                        self._report(written, code)
                    else:
                        kind = type_of_file(lower) or here.type
                        self._head(name, here.descriptor, f"{before}{name}", written, kind)
            except OSError as error:
                self._report(written, code_of(error))
        return folders

    def _is_over(self) -> bool:
        """True once the caller says stop; the first time it is reported."""
        if not self._stopped and self._stop is not None and self._stop():
            self._stopped = True
            self._report("", Code.SCAN_INCOMPLETE)
        return self._stopped

    def _is_folder(self, entry: os.DirEntry[str], written: str, path: str) -> bool:
        """True for a folder to walk; what is no file either is reported where it matters."""
        if entry.is_dir(follow_symlinks=False):
            return entry.name not in SKIPPED_FOLDERS
        is_memory = entry.name.lower().endswith(SUFFIXES)
        if entry.is_symlink():
            self._link(path, written, is_memory)
        elif is_memory:
            self._report(written, Code.NOT_REGULAR)
        return False

    def _link(self, path: str, written: str, is_memory: bool) -> None:
        """Reports a link that could have led to a memory; links are never followed."""
        try:
            target = os.path.realpath(path, strict=True)
        except OSError as error:
            code = code_of(error)
            if is_memory:
                links = {Code.VANISHED: Code.DANGLING, Code.SYMLINK_OUTSIDE: Code.LOOP}
                self._report(written, links.get(code, code))
            return
        if is_memory or os.path.isdir(target):
            inside = self._is_inside(target)
            self._report(written, Code.SYMLINK_INSIDE if inside else Code.SYMLINK_OUTSIDE)

    def _is_inside(self, path: str) -> bool:
        """True when `path`, its links resolved, is the root or below it."""
        root, target = os.path.realpath(self._root), os.path.realpath(path)
        return target == root or target.startswith(root.rstrip(os.sep) + os.sep)

    def _head(
        self, name: str, folder: int | None, path: str, written: str, kind: str | None
    ) -> None:
        """Reads the beginning of a file. Raises OSError."""
        descriptor = open_file(path if folder is None else name, folder)
        try:
            info = os.fstat(descriptor)
            if not stat.S_ISREG(info.st_mode):  # swapped in since the folder was listed
                self._report(written, Code.NOT_REGULAR)
                return
            raw = os.read(descriptor, HEAD_BYTES)
            if len(raw) == HEAD_BYTES and needs_more(raw):
                raw += os.read(descriptor, OPEN_HEADER_BYTES - HEAD_BYTES)
        finally:
            os.close(descriptor)
        odd: tuple[Code, ...] = ()
        if written in self._names or not written.isascii():
            written, odd = self._name(written)
        self._names.add(written)
        if "onflict" in written and is_conflict_copy(written):
            odd += (Code.CONFLICT_COPY,)
        self._heads.append((raw, (written, path, info.st_mtime, info.st_size, kind), odd))
        if len(self._heads) >= _BATCH:
            self._read_headers()

    def _read_headers(self) -> None:
        codes: set[Code] = set()
        for raw, facts, odd in self._heads:
            codes.update(odd)
            self._headers.append(read_header(raw, facts, self._now, codes))
            if codes:
                for code in sorted(codes):
                    self._report(facts[0], code)
                codes.clear()
        self._heads.clear()

    def _name(self, written: str) -> tuple[str, tuple[Code, ...]]:
        """The NFC form of a name, or its own form when another file has taken that one."""
        name = unicodedata.normalize("NFC", written)
        if name not in self._names:
            return name, ()
        return written, (Code.UNICODE_TWINS,)

    def _report_case_twins(self) -> None:
        """Names that differ only in case are one file on another machine."""
        names = [header.name for header in self._headers]
        if len(set(map(str.casefold, names))) == len(names):
            return
        groups: dict[str, list[str]] = defaultdict(list)
        for name in sorted(names):
            groups[name.casefold()].append(name)
        for group in groups.values():
            if len(group) > 1:
                for name in group:
                    self._report(name, Code.CASE_TWINS)


def _in_order(found: Iterable[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    """Entries by code point, which is the byte order of UTF-8; those in NFC first.

    So a file whose whole name is NFC gets that name, whatever its twins are called.
    """
    entries = sorted(found, key=attrgetter("name"))
    if not all(map(str.isascii, map(attrgetter("name"), entries))):
        entries.sort(key=lambda entry: not unicodedata.is_normalized("NFC", entry.name))
    return entries


def shown(name: str) -> str:
    """A name of any bytes as printable text: what is not printable is written as an escape."""
    if name.isprintable():
        return name
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in name
    )
