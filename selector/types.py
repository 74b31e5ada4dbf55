"""The frozen values that flow from scan to selection, and the small Protocols around them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol, TypedDict

from selector.codes import Code, DescriptionSource, Outcome, Reason, Severity, Warn

DEFAULT_LIMIT = 5
DEFAULT_TIMEOUT = 10.0  # seconds
CONTEXT_BYTES = 9_000  # of a context block, some 2,500 tokens: what every client takes
DESCRIPTION_LIMIT = 512  # characters


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
    line: int = 1  # of the file, in which the body begins


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
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)  # considered, newest first
    not_shown: int = 0  # valid memories that the manifest had no room for
    rejected: tuple[str, ...] = ()  # names in the answer that are unknown or repeated
    detail: str | None = None  # the message behind `reason`, one line
    usage: ModelReply | None = field(default=None, repr=False)  # the model's reply, its tokens
    problems: tuple[Problem, ...] = field(default=(), repr=False)  # of roots and files
    elapsed: float = 0.0  # seconds
    warnings: tuple[Warn, ...] = ()
    made_at: datetime | None = field(default=None, repr=False)  # aware, UTC: when it was chosen

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
    recent_tools: Sequence[str] = ()  # tools in active use
    already_surfaced: Collection[str] | Mapping[str, str | None] = frozenset()
    """Names that the conversation has already, or name -> SHA-256 (a changed file may return)."""
    types: Sequence[str] = ()  # only these types; empty for all
    files: Sequence[str] = ()  # paths being worked on
    model: bool = True  # False: the scorer answers, the model is not asked
    timeout: float | None = DEFAULT_TIMEOUT  # seconds of wall clock; None for no limit
    cancel: StopSignal | None = None

    def __post_init__(self) -> None:
        fill = object.__setattr__  # the way a frozen dataclass fills itself
        if isinstance(self.limit, bool) or not isinstance(self.limit, int):
            raise TypeError(f"limit {self.limit!r}: a whole number is needed")
        if not isinstance(self.model, bool):
            raise TypeError(
                f"model {self.model!r}: True or False is needed; the model itself is given to "
                "MemoryStore(root, model=...)"
            )
        if self.timeout is not None:
            fill(self, "timeout", _seconds(self.timeout))
        if self.cancel is not None and not hasattr(self.cancel, "is_set"):
            raise TypeError(f"cancel {self.cancel!r}: an object with is_set() is needed")
        if self.limit <= 0:
            fill(self, "limit", DEFAULT_LIMIT)
        for name in ("recent_tools", "types", "files"):
            fill(self, name, _texts(name, getattr(self, name)))
        fill(self, "types", tuple(map(str.lower, self.types)))  # as in headers
        if isinstance(self.already_surfaced, Mapping):
            if not all(isinstance(one, str | None) for one in self.already_surfaced.values()):
                raise TypeError("already_surfaced: the values are SHA-256 in hex, or None")
        else:
            names = _texts("already_surfaced", self.already_surfaced)
            fill(self, "already_surfaced", frozenset(names))


class SelectKeywords(TypedDict, total=False):
    """The fields of `SelectOptions` as keyword arguments, for type checkers and editors."""

    limit: int
    recent_tools: Sequence[str]
    already_surfaced: Collection[str] | Mapping[str, str | None]
    types: Sequence[str]
    files: Sequence[str]
    model: bool
    timeout: float | None
    cancel: StopSignal | None


def _seconds(timeout: object) -> float:
    """`timeout` as a float, infinity allowed."""
    if not isinstance(timeout, int | float):
        raise TypeError(f"timeout {timeout!r}: seconds, or None for no limit")
    try:
        seconds = float(timeout)
    except OverflowError:
        seconds = float("nan")
    if seconds != seconds:
        raise ValueError("timeout: a number of seconds, or None for no limit")
    return seconds


def _texts(name: str, given: str | Iterable[object]) -> tuple[str, ...]:
    """`given` as a tuple of texts; paths become texts."""
    if isinstance(given, str):
        return (given,)
    try:
        found = tuple(given)
    except TypeError as error:
        raise TypeError(f"{name} {given!r}: a list of texts is needed") from error
    for one in found:
        if not isinstance(one, str | os.PathLike):
            raise TypeError(f"{name}: a list of texts is needed, not of {type(one).__name__}")
    return tuple(map(str, found))


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
        """One score in [0, 1] for each header, in their order; 0 for what does not help.

        A scorer may have `threshold`, from which score on a memory is relevant, and `close`, the
        share of the best score that the others need (both 0 when missing).
        """


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
