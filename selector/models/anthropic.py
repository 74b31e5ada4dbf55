"""Anthropic's messages, and every server that speaks them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from selector.models.failures import told_status
from selector.models.http import HttpModel
from selector.models.replies import End, Reply, count, dig, payload, text_of
from selector.types import ModelReply, Prompt

_ENDS: dict[str, End] = {
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
}
_TOOL = "select_memories"


class AnthropicModel(HttpModel):
    """A model behind the messages API: Anthropic's own, or a gateway's."""

    package = "anthropic"
    client = "AsyncAnthropic"
    resource = "anthropic.resources.messages"
    own_server = "ANTHROPIC_BASE_URL"
    vendor_url = "https://api.anthropic.com"
    steps = ("schema", "tool", "text")  # a tool that must be called stands for the JSON mode

    async def _send(self, client: Any, prompt: Prompt, step: str, timeout: float | None) -> Reply:
        stable = {"type": "text", "text": prompt.context, "cache_control": {"type": "ephemeral"}}
        response = await client.messages.with_raw_response.create(
            model=self.model,
            max_tokens=self._max_tokens,
            system=prompt.system,
            messages=[
                {"role": "user", "content": [stable, {"type": "text", "text": prompt.question}]}
            ],
            timeout=timeout,
            extra_headers=self._headers,
            extra_body=self._fields(_format(step, prompt.schema)),
        )
        return self._reply(payload(response.http_response.text, self.server.host))

    def _reply(self, found: Any) -> Reply:
        if error := dig(found, "error"):
            raise told_status(self.server.host, 500, error)
        usage = dig(found, "usage")
        counted = [
            count(dig(usage, name))
            for name in ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
        ]
        reply = ModelReply(
            _text(dig(found, "content")),
            # Anthropic counts what it took from its cache, and put there, apart.
            input_tokens=None if counted[2] is None else sum(one or 0 for one in counted),
            cached_tokens=counted[0],
            output_tokens=count(dig(usage, "output_tokens")),
        )
        return Reply(reply, _ENDS.get(str(dig(found, "stop_reason")), "whole"))


def _text(content: Any) -> str:
    """The input of the tool where it was called, else the text."""
    for part in content if isinstance(content, list) else ():
        if dig(part, "type") == "tool_use" and (found := dig(part, "input")):
            return json.dumps(found, ensure_ascii=False)
    return text_of(content)


def _format(step: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that ask for structured output."""
    if step == "schema":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    if step == "text":
        return {}
    tool = {
        "name": _TOOL,
        "description": "Takes the file names of the notes that clearly help.",
        "input_schema": schema,
        "strict": True,
    }
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
