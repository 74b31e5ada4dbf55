"""The choice by the scores alone: where no model is asked, and where it did not answer."""

from __future__ import annotations

from collections.abc import Sequence

from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ModelError
from selector.scoring import CLOSE, THRESHOLD, choose
from selector.text import clean, cut
from selector.types import Candidate, MemoryHeader, Selection, SelectOptions

DETAIL_LIMIT = 500  # characters of an error's message that a selection keeps


def by_score(
    candidates: Sequence[Candidate],
    options: SelectOptions,
    threshold: float = THRESHOLD,
    close: float = CLOSE,
) -> tuple[MemoryHeader, ...]:
    """The relevant candidates with the best scores, at most `limit`, newest first.

    None below `threshold`, none with 0, and none below the share `close` of the best score.
    """
    chosen = {one.header.name for one in choose(candidates, options.limit, threshold, close)}
    return tuple(one.header for one in candidates if one.header.name in chosen)


def fall_back(
    candidates: Sequence[Candidate],
    options: SelectOptions,
    error: ModelError | AnswerError,
    *,
    threshold: float = THRESHOLD,
    close: float = CLOSE,
) -> Selection:
    """The selection by the scores alone, because the model did not give a usable answer."""
    return Selection(
        Outcome.FELL_BACK,
        by_score(candidates, options, threshold, close),
        reason=error.reason,
        candidates=tuple(candidates),
        rejected=error.rejected if isinstance(error, AnswerError) else (),
        detail=one_line(error),
        usage=error.usage,
    )


def one_line(error: Exception) -> str | None:
    """The message of an error as a selection keeps it."""
    # Cut before it is cleaned, too: a proxy's page may be a megabyte.
    return cut(clean(str(error)[: 4 * DETAIL_LIMIT]), DETAIL_LIMIT) or None


def as_model_error(error: Exception) -> ModelError:
    """`error` as a ModelError; a timeout and a lost connection keep their own reason."""
    if isinstance(error, ModelError):
        return error
    reason = Reason.MODEL_FAILED
    if isinstance(error, TimeoutError):
        reason = Reason.TIMEOUT
    elif isinstance(error, ConnectionError):
        reason = Reason.CONNECTION
    return ModelError(f"{type(error).__name__}: {error}", reason)
