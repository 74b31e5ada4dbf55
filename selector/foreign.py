"""What a user's scorer and selector gave back, as values that the store can rely on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ModelError
from selector.scoring import as_candidates
from selector.types import Candidate, MemoryHeader, Score, Selection, SelectOptions


class Rated(NamedTuple):
    """The candidates with their scores."""

    candidates: tuple[Candidate, ...]
    threshold: float  # the score from which on one is relevant
    close: float  # the share of the best score from which on another one is
    failure: str | None = None  # why the user's scorer did not give them
    late: bool = False  # the time was enough for the newest ones only; the others have 0


def rated_by(scorer: Any, headers: Sequence[MemoryHeader], scores: Any) -> Rated:
    """What a user's scorer gave; raises ModelError when it is not one score for each header."""
    try:
        count = len(scores)
        values = [one if isinstance(one, Score) else Score(float(one)) for one in scores]
        fit = all(0.0 <= one.value <= 1.0 for one in values)
        threshold, close = (float(getattr(scorer, name, 0.0)) for name in ("threshold", "close"))
    except Exception as error:  # foreign values may do anything
        raise ModelError(f"its scores are no list of numbers ({type(error).__name__})") from error
    if not count == len(values) == len(headers):
        raise ModelError(f"it gave {count} scores for {len(headers)} memories")
    if not fit:
        raise ModelError("it gave a score outside 0 to 1")
    return Rated(as_candidates(headers, values), threshold, close)


def chosen_by(selection: Any, candidates: Sequence[Candidate], options: SelectOptions) -> Selection:
    """A user's selection with nothing in it that is not a candidate; raises AnswerError."""
    if not isinstance(selection, Selection):
        raise AnswerError(
            f"the selector returned {type(selection).__name__}, not a Selection",
            Reason.INVALID_SELECTION,
        )
    try:
        outcome = Outcome(selection.outcome)
        chosen = {str(header.name) for header in selection.memories}
        rejected = tuple(map(str, selection.rejected))
    except Exception as error:  # foreign values may do anything
        raise AnswerError(
            f"the selector's selection cannot be read ({type(error).__name__})",
            Reason.INVALID_SELECTION,
        ) from error
    memories = tuple(one.header for one in candidates if one.header.name in chosen)
    unknown = tuple(sorted(chosen.difference(header.name for header in memories)))
    if unknown and not memories:
        raise AnswerError("the selector chose no known memory", Reason.INVALID_SELECTION, unknown)
    if outcome in (Outcome.SELECTED, Outcome.NONE_RELEVANT):
        outcome = Outcome.SELECTED if memories else Outcome.NONE_RELEVANT
    return Selection(
        outcome,
        memories[: options.limit],
        reason=selection.reason,
        candidates=tuple(candidates),
        rejected=rejected + unknown,
        detail=selection.detail,
        usage=selection.usage,
    )
