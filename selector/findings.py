"""The findings of the doctor: what each code means for a person, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from selector.codes import Code, Severity
from selector.headers import OPEN_HEADER_BYTES
from selector.reading import MAX_BODY
from selector.scan import MAX_DEPTH, shown
from selector.types import DESCRIPTION_LIMIT

LONG_NOTE = 64 * 1024  # bytes: more than a prompt has room for

# Errors: a memory is lost, cannot be read, or reads otherwise than it was written.
ERRORS = {
    Code.NO_FOLDER: "there is no such folder: check the path, or the drive that it is on",
    Code.NOT_A_FOLDER: "this is not a folder: name the one that holds the notes",
    Code.PERMISSION: "may not be read: `chmod u+r` for a file, `chmod u+rx` for a folder",
    Code.UNREADABLE: "the system cannot read it: check the disk and the mount",
    Code.UNSAFE_NAME: "not listed, as its name is not UTF-8, too long, or has invisible"
    " characters: rename it",
    Code.TOO_DEEP: f"not listed, as it lies more than {MAX_DEPTH} folders deep: move it up",
    Code.TOO_LARGE: f"over {MAX_BODY >> 20} MiB, which is not read: split it, or move it away",
    # What a crash leaves of a note.
    Code.EMPTY_FILE: "nothing is in it: restore its text, or delete it",
    Code.UNCLOSED_HEADER: "the header is never closed and counts as text: end it with a line `---`",
    # What stands behind the cut may be the description.
    Code.HEADER_TOO_LARGE: f"the header is not closed within {OPEN_HEADER_BYTES >> 10} KiB and is"
    " cut there: close it, or move text from it into the body",
    # Words with such bytes are not found.
    Code.INVALID_ENCODING: "holds bytes that are no text in its encoding: save it as UTF-8",
}
WARNINGS = {
    # Links are never followed, on purpose: no memory is lost, but somebody may expect one.
    Code.SYMLINK_OUTSIDE: "a link out of the root, which is not followed: name the folder that it"
    " leads to as a further root, or copy the notes",
    Code.DANGLING: "a link to nothing: delete it, or bring back what it leads to",
    Code.NOT_REGULAR: "a pipe, socket or device with the name of a note: rename or delete it",
    Code.VANISHED: "went away, or was replaced, while it was read: look again",
    Code.CASE_TWINS: "another name differs only in case, and elsewhere the two are one file:"
    " rename one",
    Code.UNICODE_TWINS: "another name looks the same in another Unicode form, and elsewhere the"
    " two are one file: rename one",
    Code.CONFLICT_COPY: "left by a sync program when two changed the note: merge them, then delete"
    " this one",
    Code.FUTURE_MTIME: "was modified in the future and counts as newest: check the clock, `touch`"
    " the file",
    Code.FUTURE_TIME: "the header names a time later than the file's own, which is not believed:"
    " correct it",
    Code.BAD_TIME: "the header has a time that cannot be read: write it like 2026-04-14T09:30:00Z",
    Code.NO_DESCRIPTION: "no description is declared, and by that a note is found: add"
    " `description: ...` to its header",
    Code.SECOND_HEADER: "a second header follows the first and is ignored: merge the two",
    Code.HIDDEN_TEXT: "the header holds invisible, control or direction characters: delete them",
    Code.COMBINING_FLOOD: "the header piles up marks on one letter: delete them",
    Code.LONG_DESCRIPTION: f"the description is cut at {DESCRIPTION_LIMIT} characters: shorten it",
    Code.BAD_TYPE: "the type is not one plain word, like `project`, and is ignored: correct it",
    Code.BAD_VALUE: "the header has a list for a text, or a word for a number: correct it",
    Code.BAD_SYNTAX: "the header has a line that YAML refuses; other programs may lose it: put the"
    " value in quotes",
    Code.KEY_CASE: "the header writes a key in capitals, which other programs may not know: write"
    " it small",
    Code.DUPLICATE_KEY: "the header has a key twice, and the first one counts: delete the other",
    Code.LONG_NOTE: f"over {LONG_NOTE >> 10} KiB, too much for a prompt: split it by topic",
    Code.LONG_INDEX: "longer than what clients load of an index: shorten it",
    Code.BROKEN_INDEX_LINE: "links to nothing below the root: correct the link, or delete the line",
    Code.STRAY_FILE: "a save was interrupted and left it: `--fix` moves it to the trash",
}
NOT_FINDINGS = frozenset(
    (
        Code.SCAN_INCOMPLETE,  # this scan is never stopped
        # left out on purpose
        Code.SYMLINK_INSIDE,
        Code.LOOP,
        Code.INDEX_FILE,
        Code.CLIENT_FILE,
        Code.NOT_LISTED,  # an answer to a name that somebody asks for
    )
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a memory, a file, a folder or a root."""

    name: str  # as in `Problem`: relative to the root; "" for the root itself
    code: Code
    severity: Severity  # not that of a scan: an error is a memory lost or wrongly read
    message: str  # one line: what is wrong, and what to do about it
    line: int | None = None  # of the file, from 1 on
    fixed: bool = False  # mended just now


def place(finding: Finding) -> tuple[bool, str, Code, int]:
    """What findings are sorted by: errors first, then name, code and line."""
    return finding.severity is not Severity.ERROR, finding.name, finding.code, finding.line or 0


def finding_of(
    name: str, code: Code, message: str | None = None, line: int | None = None
) -> Finding:
    """What `code` means for `name`, in other words where `message` has them."""
    severity = Severity.ERROR if code in ERRORS else Severity.WARNING
    message = message or ERRORS.get(code) or WARNINGS[code]
    return Finding(shown(name), code, severity, message, line)
