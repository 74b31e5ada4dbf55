"""The exception tree, split by who must act.

    SelectorError
    ├── ConfigurationError   the person who set it up: a wrong option, root or callable
    └── RunError             the caller, at run time
        ├── ModelError       the model could not be asked, or failed; carries a `Reason`
        ├── AnswerError      the model answered, but the answer names no memory; carries a `Reason`
        └── ReadError        a memory cannot be read; carries a `Code`

`MemoryStore.find_relevant` raises TypeError or ValueError for an option that cannot be meant, and
ConfigurationError for a broken prompt file. A model that fails ends in the scorer's answer with the
reason in the result. Cancellation is no error and is not in this tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from selector.codes import Code, Reason

if TYPE_CHECKING:
    from selector.types import ModelReply


class SelectorError(Exception):
    """Every exception that this package raises on purpose."""


class ConfigurationError(SelectorError, ValueError):
    """An option, a root or a callable that cannot work; the message says what would be valid."""


class RunError(SelectorError):
    """Something that went wrong at run time."""


class ModelError(RunError):
    """The model could not be asked, or failed while it was asked.

    A model function may raise it itself to name the reason, for instance
    `ModelError("429 from the server", Reason.RATE_LIMITED)`. `usage` is a reply that could not be
    used and has cost its tokens all the same.
    """

    usage: ModelReply | None = None  # also where a subclass does not call `__init__`

    def __init__(
        self,
        message: str,
        reason: Reason = Reason.MODEL_FAILED,
        *,
        usage: ModelReply | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = Reason(reason)
        self.usage = usage


class AnswerError(RunError):
    """The model's answer cannot be used: no JSON, no list of names, or only unknown names."""

    usage: ModelReply | None = None  # the reply that it is about, where it is known

    def __init__(self, message: str, reason: Reason, rejected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.reason = Reason(reason)
        self.rejected = rejected


class ReadError(RunError):
    """A memory that is not listed, has vanished, is too large or may not be read."""

    def __init__(self, message: str, code: Code) -> None:
        super().__init__(message)
        self.code = code
