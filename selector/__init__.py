"""memory-selector: the few notes that help a coding agent with the prompt at hand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selector.codes import Code, DescriptionSource, Outcome, Reason, Severity, Warn
    from selector.errors import (
        AnswerError,
        ConfigurationError,
        ModelError,
        ReadError,
        RunError,
        SelectorError,
    )
    from selector.scan import Scan
    from selector.scoring import HeuristicScorer
    from selector.selection import AIMemorySelector
    from selector.store import MemoryStore
    from selector.types import (
        Candidate,
        Embedder,
        Memory,
        MemoryHeader,
        MemorySelector,
        ModelFunction,
        ModelReply,
        Problem,
        Prompt,
        RelevanceScorer,
        Score,
        SearchIndex,
        Selection,
        SelectKeywords,
        SelectOptions,
        StopSignal,
    )

__version__ = "0.1.0"

__all__ = [
    "AIMemorySelector",
    "AnswerError",
    "Candidate",
    "Code",
    "ConfigurationError",
    "DescriptionSource",
    "Embedder",
    "HeuristicScorer",
    "Memory",
    "MemoryHeader",
    "MemorySelector",
    "MemoryStore",
    "ModelError",
    "ModelFunction",
    "ModelReply",
    "Outcome",
    "Problem",
    "Prompt",
    "ReadError",
    "Reason",
    "RelevanceScorer",
    "RunError",
    "Scan",
    "Score",
    "SearchIndex",
    "SelectKeywords",
    "SelectOptions",
    "Selection",
    "SelectorError",
    "Severity",
    "StopSignal",
    "Warn",
    "__version__",
]

# Everything that is not a value. Imported when first used, so that a hook pays for nothing else.
_HOMES = {
    "Severity": "codes",
    "Code": "codes",
    "Outcome": "codes",
    "Reason": "codes",
    "Warn": "codes",
    "DescriptionSource": "codes",
    "AnswerError": "errors",
    "ConfigurationError": "errors",
    "ModelError": "errors",
    "ReadError": "errors",
    "RunError": "errors",
    "SelectorError": "errors",
    "Scan": "scan",
    "HeuristicScorer": "scoring",
    "AIMemorySelector": "selection",
    "MemoryStore": "store",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'selector' has no attribute {name!r}")
    value = getattr(import_module(f"selector.{_HOMES.get(name, 'types')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
