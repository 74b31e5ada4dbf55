"""memory-selector: the few notes that help a coding agent with the prompt at hand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        Code,
        DescriptionSource,
        Embedder,
        Memory,
        MemoryHeader,
        MemorySelector,
        ModelFunction,
        ModelReply,
        Outcome,
        Problem,
        Prompt,
        Reason,
        RelevanceScorer,
        Score,
        SearchIndex,
        Selection,
        SelectOptions,
        Severity,
        StopSignal,
        Warn,
    )

__version__ = "0.1.0"

# Public name -> the module that has it. Imported when first used, so that a hook pays for nothing.
_HOMES = {
    "AIMemorySelector": "selection",
    "AnswerError": "errors",
    "Candidate": "types",
    "Code": "types",
    "ConfigurationError": "errors",
    "DescriptionSource": "types",
    "Embedder": "types",
    "HeuristicScorer": "scoring",
    "Memory": "types",
    "MemoryHeader": "types",
    "MemorySelector": "types",
    "MemoryStore": "store",
    "ModelError": "errors",
    "ModelFunction": "types",
    "ModelReply": "types",
    "Outcome": "types",
    "Problem": "types",
    "Prompt": "types",
    "ReadError": "errors",
    "Reason": "types",
    "RelevanceScorer": "types",
    "RunError": "errors",
    "Scan": "scan",
    "Score": "types",
    "SearchIndex": "types",
    "SelectOptions": "types",
    "Selection": "types",
    "SelectorError": "errors",
    "Severity": "types",
    "StopSignal": "types",
    "Warn": "types",
}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'selector' has no attribute {name!r}")
    value = getattr(import_module(f"selector.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
