"""What the tests of the adapters share."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from selector.codes import Reason
from selector.errors import ModelError
from selector.types import ModelReply, Prompt
from tests.servers import ANTHROPIC, OPENAI

NAMES = tuple(f"note{number}.md" for number in range(7))  # of the fixture `folder`, newest first
QUERY = "zebra crossing"  # which their descriptions answer
PROMPT = Prompt("Choose notes.", "- note0.md", "Which?", {"type": "object"}, timeout=20.0)

HTTP = pytest.mark.parametrize("protocol", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])


def ask(model: Any, prompt: Prompt = PROMPT) -> ModelReply:
    reply: ModelReply = asyncio.run(model(prompt))
    return reply


def reason_of(model: Any, prompt: Prompt = PROMPT) -> tuple[Reason, str]:
    with pytest.raises(ModelError) as failed:
        ask(model, prompt)
    return failed.value.reason, str(failed.value)
