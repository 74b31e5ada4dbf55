"""Models by name: `load("anthropic:claude-haiku-5-5")`. Each adapter is a model function."""

from __future__ import annotations

from selector.backends import Backend, load_backend
from selector.errors import ConfigurationError
from selector.types import ModelFunction

KINDS = {
    "anthropic": Backend("selector.models.anthropic", "AnthropicModel", "anthropic"),
    "openai": Backend("selector.models.openai", "OpenAIModel", "openai"),
    "command": Backend("selector.models.command", "CommandModel"),
}

FORMS = "anthropic:MODEL, openai:MODEL, openai:MODEL@BASE_URL or command:PROGRAM ARGS"


def load(spec: str) -> ModelFunction:
    """The model that `spec` names, in one of the `FORMS`. Nothing is asked and no key is read yet.

    Raises ConfigurationError for anything else, and for a program that is not there.
    """
    kind, colon, rest = spec.strip().partition(":")
    if not colon or kind not in KINDS or not rest.strip():
        raise ConfigurationError(f"model {spec!r}: name one as {FORMS}")
    model: ModelFunction = load_backend("model", KINDS, kind).named(rest.strip())
    return model
