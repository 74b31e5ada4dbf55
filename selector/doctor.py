"""What is wrong with a folder of memories, in words for a person; on demand mends what is safe."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from selector.codes import Code
from selector.files import code_of, opened_below, read_at_most
from selector.findings import LONG_NOTE, NOT_FINDINGS, Finding, finding_of, place
from selector.frontmatter import encoding_of
from selector.indexfile import Place, known_as, read_index
from selector.layout import CLIENT_FILES, INDEX_FILES, is_our_temporary
from selector.reading import MAX_BODY
from selector.roots import Root, root_paths
from selector.scan import Scan, scan, shown
from selector.strays import Stray, strays
from selector.text import clean, cut
from selector.trash import move_to_trash
from selector.types import MemoryHeader, Problem

# What Claude Code loads of an index; header and comments do not count.
INDEX_LINES, INDEX_BYTES = 200, 25_000
# A header of which no description could be read is one finding, not two.
_IN_PLACE_OF_DESCRIPTION = (Code.EMPTY_FILE, Code.UNCLOSED_HEADER, Code.HEADER_TOO_LARGE)
# What clients load of a list of memories is its text: its header may be as it likes.
_OF_INDEXES = frozenset(
    (
        Code.PERMISSION,
        Code.UNREADABLE,
        Code.VANISHED,
        Code.DANGLING,
        Code.SYMLINK_OUTSIDE,
        Code.NOT_REGULAR,
        Code.CASE_TWINS,
        Code.HIDDEN_TEXT,
    )
)
_INDEXES = frozenset(("memory.md", "index.md"))  # of `INDEX_FILES`; the others are logs and texts


@dataclass(frozen=True, slots=True)
class Report:
    """What `examine` found."""

    memories: int  # listed
    findings: tuple[Finding, ...]  # errors first, then by name, code and line
    failed: Mapping[str, Code]  # label of a root that cannot be read -> why


def examine(root: Root | Mapping[str, Root], *, fix: bool = False) -> Report:
    """What is wrong below `root`; nothing is written unless `fix` is true.

    `fix` moves stray temporary files of ours to `.trash` in their root. All else is somebody's
    words, which only a person can mend without losing any. Raises ConfigurationError for a root
    that cannot be meant, and nothing for what is on the disk.
    """
    found = scan(root, indexes=True)
    seen: set[tuple[int, int]] = set()
    closer: list[Finding] = []
    for label, path in root_paths(root).items():
        visit = _Visit(label, path, found, fix)
        closer += visit.notes()
        closer += visit.indexes()
        closer += visit.strays(seen)
    told = {(each.name, each.code) for each in closer}
    general = [each for each in _of_scan(found.problems) if (each.name, each.code) not in told]
    return Report(
        memories=sum(not _is_list(header.name) for header in found.headers),
        findings=tuple(sorted(general + closer, key=place)),
        failed=found.failed,
    )


def _of_scan(problems: Iterable[Problem]) -> Iterator[Finding]:
    explained = {each.name for each in problems if each.code in _IN_PLACE_OF_DESCRIPTION}
    for name, code in dict.fromkeys((each.name, each.code) for each in problems):
        is_list = _is_list(name) and (not _is_index(name) or code not in _OF_INDEXES)
        is_repeated = code is Code.NO_DESCRIPTION and name in explained
        if code not in NOT_FINDINGS and not is_list and not is_repeated:
            yield finding_of(name, code)


def _is_list(name: str) -> bool:
    return os.path.basename(name).lower() in INDEX_FILES


def _is_index(name: str) -> bool:
    return os.path.basename(name).lower() in _INDEXES


class _Visit:
    """One root, looked at file by file after the scan."""

    def __init__(self, label: str, root: str, found: Scan, fix: bool) -> None:
        self._root, self._fix = root, fix
        self._prefix = f"{label}/" if label else ""
        headers = [each for each in found.headers if each.name.startswith(self._prefix)]
        self._notes = [each for each in headers if not _is_list(each.name)]
        self._indexes = [each for each in headers if _is_index(each.name)]
        self._known = _names(headers)

    def notes(self) -> Iterator[Finding]:
        """What is wrong with the whole text of each memory."""
        for header in self._notes:
            raw = self._read(header)
            if isinstance(raw, Finding):
                yield raw
                continue
            if len(raw) > LONG_NOTE:
                yield finding_of(header.name, Code.LONG_NOTE)
            yield from _of_text(header.name, raw)

    def indexes(self) -> Iterator[Finding]:
        """What is wrong with MEMORY.md and its like."""
        for header in self._indexes:
            yield from self._index(header)

    def strays(self, seen: set[tuple[int, int]]) -> Iterator[Finding]:
        """Temporary files that a save left; `seen` holds the folders of the roots before."""
        for stray in strays(self._root, seen):
            finding = finding_of(f"{self._prefix}{stray.relative}", Code.STRAY_FILE)
            if not is_our_temporary(stray.name):
                path = shlex.quote(shown(os.path.join(self._root, stray.relative)))
                told = f"a save of another program left it: look with `less {path}`, then delete it"
                finding = replace(finding, message=told)
            elif self._fix:
                finding = self._moved(finding, stray)
            yield finding

    def _moved(self, finding: Finding, stray: Stray) -> Finding:
        left = "a save was interrupted and left it"
        try:
            kept = move_to_trash(self._root, stray.name, stray.folder)
        except OSError as error:
            return replace(finding, message=f"{left}; not moved: {error.strerror}")
        return replace(finding, message=f"{left}; moved to {shown(kept)}", fixed=True)

    def _index(self, header: MemoryHeader) -> Iterator[Finding]:
        raw = self._read(header)
        if isinstance(raw, Finding):
            yield raw
            return
        yield from _of_text(header.name, raw)
        here = os.path.dirname(header.path), os.path.dirname(header.name)
        place = Place(self._root, *here, *self._known)
        index = read_index(_decoded(raw)[0], place)
        if index.lines > INDEX_LINES or index.size > INDEX_BYTES:
            size = f"{index.lines:,} lines and {index.size:,} bytes"
            most = f"clients load {INDEX_LINES} lines and {INDEX_BYTES:,} bytes at most"
            yield finding_of(header.name, Code.LONG_INDEX, f"{size}, and {most}: shorten it")
        for each in index.broken:
            targets = ", ".join(f"'{cut(shown(target), 80)}'" for target in each.targets[:3])
            told = f"{targets}: nothing below the root; correct the link or delete the line"
            yield finding_of(header.name, Code.BROKEN_INDEX_LINE, told, each.number)

    def _read(self, header: MemoryHeader) -> bytes | Finding:
        """The bytes of a file, or the finding that they cannot be had."""
        try:
            with opened_below(self._root, os.path.relpath(header.path, self._root)) as descriptor:
                raw = read_at_most(descriptor, MAX_BODY + 1)
        except OSError as error:
            return finding_of(header.name, code_of(error))
        return raw if len(raw) <= MAX_BODY else finding_of(header.name, Code.TOO_LARGE)


def _names(headers: Iterable[MemoryHeader]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of memories, and what else `[[...]]` may call them."""
    names = {os.path.basename(each.name) for each in headers}.union(CLIENT_FILES)
    names |= {os.path.splitext(name)[0] for name in names}
    names |= {each.title for each in headers if each.title}
    paths = frozenset(known_as(each.name) for each in headers)
    return paths, frozenset(map(known_as, names))


def _of_text(name: str, raw: bytes) -> Iterator[Finding]:
    """What is wrong with a text, wherever in it."""
    text, bad_line = _decoded(raw)
    if bad_line:
        yield finding_of(name, Code.INVALID_ENCODING, line=bad_line)
    hidden = [number for number, line in enumerate(text.split("\n"), 1) if _has_hidden(line)]
    if hidden:
        where = f"in {len(hidden):,} lines" if len(hidden) > 1 else "in one line"
        told = (
            f"invisible, control or direction characters {where}: a model may read what you do not"
            " see; look, and delete them"
        )
        yield finding_of(name, Code.HIDDEN_TEXT, told, hidden[0])


def _decoded(raw: bytes) -> tuple[str, int | None]:
    """`raw` as text, and the line of the first byte that is not its encoding."""
    encoding, mark = encoding_of(raw)
    raw = raw[mark:]
    try:
        return raw.decode(encoding), None
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode(encoding, "replace")
        return raw.decode(encoding, "replace"), before.count("\n") + 1


def _has_hidden(line: str) -> bool:
    """True when a person does not see all that a model would read."""
    if line.isascii() and line.isprintable():
        return False
    codes: set[Code] = set()
    clean(line, codes)
    return Code.HIDDEN_TEXT in codes
