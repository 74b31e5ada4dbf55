"""The frozen values that flow from scan to selection, and the small Protocols around them."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol

DEFAULT_LIMIT = 5


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
    TOO_LARGE = "too_large"  # over `scan.MAX_BODY` bytes
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


class Outcome(StrEnum):
    """How a selection ended: these must stay apart."""

    SELECTED = "selected"  # at least one memory, chosen by the model (or the scorer, with no model)
    NONE_RELEVANT = "none_relevant"  # there are memories, none helps
    FELL_BACK = "fell_back"  # the model could not answer; the scorer did (perhaps with nothing)
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
    MODEL_FAILED = "model_failed"  # the model function, or the selector, raised
    BUSY = "busy"  # too many earlier calls still hang


class Warn(StrEnum):
    """What did not go as planned although there is a result."""

    SCAN_INCOMPLETE = "scan_incomplete"  # the deadline came before every file was read
    SCORER_FAILED = "scorer_failed"  # the user's scorer raised or gave no usable scores


class DescriptionSource(StrEnum):
    """Where a description comes from."""

    HEADER = "header"  # declared in the frontmatter
    BODY = "body"  # the first paragraph of the text


@dataclass(frozen=True, slots=True)
class MemoryHeader:
    """What is known of a memory without reading its body.

    All texts are NFC, one line, free of control and invisible characters.
    """

    name: str  # path relative to the root, `/` separated, unique; `label/relative` with many roots
    path: str  # absolute path of the file
    modified: datetime  # aware, UTC: the file's own word, else its mtime
    type: str | None = None
    title: str | None = None  # declared name, else the first heading
    description: str | None = None  # at most 512 characters
    description_from: DescriptionSource | None = None
    scope: tuple[str, ...] = ()  # globs of the files that the memory is about
    importance: float = 0.5  # 0 to 1
    expires_at: date | None = None  # the day itself still counts (UTC)
    superseded_by: str | None = None  # the newer memory, as written in the header
    size: int = 0  # bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a person may want to know about a root or a file."""

    name: str  # of the memory, file or folder, relative to the root; "" for the root itself
    code: Code
    severity: Severity = Severity.WARNING


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory, read in full."""

    header: MemoryHeader
    metadata: Mapping[str, Any]  # the whole frontmatter; scalars stay strings
    body: bytes  # everything behind the header, byte for byte
    text: str  # the body decoded; undecodable bytes become U+FFFD
    sha256: str  # hex, of the whole file


@dataclass(frozen=True, slots=True)
class Score:
    """How much of what the query asks a memory answers."""

    value: float  # 0 to 1
    parts: Mapping[str, float] = field(default_factory=dict)  # what it was made of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A valid memory with its score, and a passage of its body where a search found one."""

    header: MemoryHeader
    score: Score
    passage: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model function is given."""

    system: str  # the instructions
    context: str  # the manifest: the same text for the same candidates
    question: str  # passages, tools in use, files being worked on, the fenced query
    schema: Mapping[str, Any]  # JSON Schema of the answer
    timeout: float | None = None  # seconds left; None for no limit

    @property
    def user(self) -> str:
        """Context and question in one message."""
        return f"{self.context}\n\n{self.question}"


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer with its token counts, where they are known."""

    text: str
    input_tokens: int | None = None  # all of them, cached ones included
    cached_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen, and why. Iterates over the chosen headers; false when there are none."""

    outcome: Outcome
    memories: tuple[MemoryHeader, ...] = ()  # newest first, at most `limit`
    reason: Reason | Code | None = None  # of a fallback, or of an unavailable root
    candidates: tuple[Candidate, ...] = ()  # what was considered, newest first
    not_shown: int = 0  # valid memories that the manifest had no room for
    rejected: tuple[str, ...] = ()  # names in the answer that are unknown or repeated
    detail: str | None = None  # the message behind `reason`, one line
    usage: ModelReply | None = None  # the model's answer and its tokens
    problems: tuple[Problem, ...] = ()  # what the scan found wrong with roots and files
    elapsed: float = 0.0  # seconds
    warnings: tuple[Warn, ...] = ()

    def __iter__(self) -> Iterator[MemoryHeader]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


class StopSignal(Protocol):
    """Anything with `is_set()`: a `threading.Event`, an `asyncio.Event`, an own class."""

    def is_set(self) -> bool:
        """True once the work should stop."""


@dataclass(frozen=True, slots=True)
class SelectOptions:
    """What a caller may say about one selection.

    Lists and single texts become tuples. Raises TypeError or ValueError for what cannot be meant.
    """

    limit: int = DEFAULT_LIMIT  # at most so many memories; 0 and less mean 5
    recent_tools: tuple[str, ...] = ()  # tools in active use
    already_surfaced: AbstractSet[str] | Mapping[str, str | None] = frozenset()
    """Names that the conversation has already, or name -> SHA-256 (a changed file may return)."""
    types: tuple[str, ...] = ()  # only these types; empty for all
    files: tuple[str, ...] = ()  # paths being worked on
    model: bool = True  # False: the scorer answers, the model is not asked
    timeout: float | None = 10.0  # seconds of wall clock; None for no limit
    cancel: StopSignal | None = None

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int):
            raise TypeError(f"limit {self.limit!r}: a whole number is needed")
        if self.timeout is not None and not self.timeout == self.timeout:
            raise ValueError(f"timeout {self.timeout!r}: seconds, or None for no limit")
        if self.cancel is not None and not hasattr(self.cancel, "is_set"):
            raise TypeError(f"cancel {self.cancel!r}: an object with is_set() is needed")
        fill = object.__setattr__  # the way a frozen dataclass fills itself
        if self.limit <= 0:
            fill(self, "limit", DEFAULT_LIMIT)
        for name in ("recent_tools", "types", "files"):
            fill(self, name, _texts(name, getattr(self, name)))
        if not isinstance(self.already_surfaced, Mapping):
            names = _texts("already_surfaced", self.already_surfaced)
            fill(self, "already_surfaced", frozenset(names))


def _texts(name: str, given: str | Iterable[object]) -> tuple[str, ...]:
    """`given` as a tuple of texts; paths become texts."""
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(map(str, given))
    except TypeError as error:
        raise TypeError(f"{name} {given!r}: a list of texts is needed") from error


class ModelFunction(Protocol):
    """Any callable that answers a prompt; a lambda will do."""

    def __call__(self, prompt: Prompt, /) -> str | ModelReply | Awaitable[str | ModelReply]:
        """The answer: text that holds `{"selected_memories": [...]}`."""


class MemorySelector(Protocol):
    """Chooses among candidates: the place of a whole other way to select."""

    def select(
        self, query: str, candidates: Sequence[Candidate], options: SelectOptions
    ) -> Selection | Awaitable[Selection]:
        """The selection; only memories of `candidates` are accepted from it."""


class RelevanceScorer(Protocol):
    """Rates headers against a query."""

    def score(
        self, query: str, headers: Sequence[MemoryHeader], options: SelectOptions
    ) -> Sequence[Score | float]:
        """One score in [0, 1] for each header, in their order; 0 for what does not help."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    name: str  # part of an index's identity: another name means other vectors
    dimensions: int

    def embed(self, texts: Sequence[str], /) -> Any:
        """A float32 array of shape (len(texts), dimensions), every row of unit length."""


class SearchIndex(Protocol):
    """Finds passages in bodies; derived from the files, and rebuilt when its identity differs."""

    identity: Mapping[str, str]  # embedder, chunker, tokenizer, schema

    def upsert(self, memories: Sequence[Memory], /) -> None:
        """Takes memories in, replacing what was there under their names."""

    def delete(self, names: Sequence[str], /) -> None:
        """Forgets memories; unknown names are ignored."""

    def search(
        self, query: str, /, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> Sequence[Candidate]:
        """The best passages, one for each memory, best first."""
