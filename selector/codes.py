"""The closed sets: what can be wrong with a file, and how a selection can end."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How much a problem matters."""

    INFO = "info"  # left out on purpose, as documented
    WARNING = "warning"  # listed, but something was repaired, guessed or is worth a look
    ERROR = "error"  # not listed, or the whole root cannot be read


class Code(StrEnum):
    """What is wrong with a root, a file or a header."""

    # the root
    NO_FOLDER = "no_folder"  # the root does not exist
    NOT_A_FOLDER = "not_a_folder"  # the root is a file
    PERMISSION = "permission"  # the root, a folder or a file may not be read
    SCAN_INCOMPLETE = "scan_incomplete"  # the deadline came before the end of the scan
    # files that are not listed
    SYMLINK_INSIDE = "symlink_inside"  # a link to something that the root holds anyway
    SYMLINK_OUTSIDE = "symlink_outside"  # a link that leaves the root
    DANGLING = "dangling"  # a link to nothing
    LOOP = "loop"  # a link to itself, or a folder that was seen before
    NOT_REGULAR = "not_regular"  # a pipe, socket or device
    UNSAFE_NAME = "unsafe_name"  # not UTF-8, or with control, direction or line-break characters
    TOO_DEEP = "too_deep"  # more folders deep than `scan.MAX_DEPTH`
    VANISHED = "vanished"  # gone between listing and reading
    UNREADABLE = "unreadable"  # the system refused for another reason
    INDEX_FILE = "index_file"  # MEMORY.md and its like: lists of memories, not memories
    CLIENT_FILE = "client_file"  # CLAUDE.md and its like: the client loads them in full anyway
    # reading one memory
    NOT_LISTED = "not_listed"  # no memory has this name
    TOO_LARGE = "too_large"  # over `reading.MAX_BODY` bytes
    # names and times
    CASE_TWINS = "case_twins"  # names that differ only in case
    UNICODE_TWINS = "unicode_twins"  # names that differ only in Unicode form
    CONFLICT_COPY = "conflict_copy"  # a copy that a sync program left behind
    FUTURE_MTIME = "future_mtime"  # the file's own modification time is yet to come
    FUTURE_TIME = "future_time"  # a declared time that the mtime contradicts; not believed
    BAD_TIME = "bad_time"  # a declared time or date that cannot be read
    # headers
    EMPTY_FILE = "empty_file"  # no content at all
    NO_DESCRIPTION = "no_description"  # none declared; taken from the body where there is one
    UNCLOSED_HEADER = "unclosed_header"  # opened and never closed: read as body
    HEADER_TOO_LARGE = "header_too_large"  # not closed within 16 KiB: what was read counts
    SECOND_HEADER = "second_header"  # a second header right behind the first; ignored
    INVALID_ENCODING = "invalid_encoding"  # bytes that are not the file's encoding
    HIDDEN_TEXT = "hidden_text"  # invisible, control or direction characters; removed
    COMBINING_FLOOD = "combining_flood"  # a pile of combining marks; thinned
    LONG_DESCRIPTION = "long_description"  # over 512 characters; cut
    BAD_TYPE = "bad_type"  # the declared type is not a plain word
    BAD_VALUE = "bad_value"  # a value of the wrong shape (a list for a text, a word for a number)
    BAD_SYNTAX = "bad_syntax"  # a line that YAML would refuse; read as it was meant
    KEY_CASE = "key_case"  # `Name:` for `name:`
    DUPLICATE_KEY = "duplicate_key"  # the first one counts
    # what `doctor` looks for beyond a scan
    LONG_NOTE = "long_note"  # over `doctor.LONG_NOTE` bytes: one topic a note is found better
    LONG_INDEX = "long_index"  # an index file of which clients load the beginning only
    BROKEN_INDEX_LINE = "broken_index_line"  # a line of an index file with a link to nothing
    STRAY_FILE = "stray_file"  # the temporary file of a save that was interrupted


class Outcome(StrEnum):
    """How a selection ended: these must stay apart."""

    SELECTED = "selected"  # at least one memory, chosen by the model (or the scorer, with no model)
    NONE_RELEVANT = "none_relevant"  # there are memories, none helps
    FELL_BACK = "fell_back"  # no answer, or no time: the scorer chose (perhaps nothing)
    CANCELLED = "cancelled"  # the caller stopped it
    NO_MEMORIES = "no_memories"  # the root can be read and holds no memory
    UNAVAILABLE = "unavailable"  # no root can be read


class Reason(StrEnum):
    """Why the model did not answer."""

    NO_KEY = "no_key"  # no API key for the named model
    AUTH = "auth"  # the key was refused
    RATE_LIMITED = "rate_limited"  # too many requests
    OVERLOADED = "overloaded"  # the provider is overloaded
    TIMEOUT = "timeout"  # the deadline came first
    CONNECTION = "connection"  # no connection to the provider
    BAD_REQUEST = "bad_request"  # the provider refused the request
    REFUSAL = "refusal"  # the model declined to answer
    TRUNCATED = "truncated"  # the answer was cut off and nothing could be read from it
    INVALID_JSON = "invalid_json"  # the answer holds no JSON
    INVALID_SELECTION = "invalid_selection"  # JSON, but no list with a known name
    MODEL_FAILED = "model_failed"  # the model, its provider, or the selector failed otherwise
    BUSY = "busy"  # too many earlier calls still hang


class Warn(StrEnum):
    """What did not go as planned although there is a result."""

    SCAN_INCOMPLETE = "scan_incomplete"  # the deadline came before every file was read
    SCORER_FAILED = "scorer_failed"  # the user's scorer raised or gave no usable scores


class DescriptionSource(StrEnum):
    """Where a description comes from."""

    HEADER = "header"  # declared in the frontmatter
    BODY = "body"  # the first paragraph of the text
