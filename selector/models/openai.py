"""OpenAI's chat completions, and every server that speaks them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from selector.models.failures import told_status
from selector.models.http import HttpModel
from selector.models.replies import End, Reply, count, dig, payload, text_of
from selector.types import ModelReply, Prompt

_ENDS: dict[str, End] = {"length": "cut", "content_filter": "refused"}
# From this version on OpenAI caches up to a mark alone, no more up to the longest equal beginning.
_MARKED_FROM = (5, 6)
_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?")


class OpenAIModel(HttpModel):
    """A model behind the chat completions API: OpenAI's own, OpenRouter's, a local server's."""

    package = "openai"
    client = "AsyncOpenAI"
    resource = "openai.resources.chat.completions.completions"
    own_server = "OPENAI_BASE_URL"
    vendor_url = "https://api.openai.com/v1"
    steps = ("schema", "json", "text")

    async def _send(self, client: Any, prompt: Prompt, step: str, timeout: float | None) -> Reply:
        response = await client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": self._content(prompt)},
            ],
            timeout=timeout,
            extra_headers=self._headers,
            extra_body=self._fields(self._cap() | _format(step, prompt.schema)),
        )
        return self._reply(payload(response.http_response.text, self.server.host))

    def _cap(self) -> dict[str, Any]:
        """The field that caps the answer, where the user has not named one.

        OpenAI's later models refuse the old one, which is the only one that other servers are sure
        to know.
        """
        old, new = "max_tokens", "max_completion_tokens"
        if {old, new} & set(self._request):
            return {}
        return {new if self.server.belongs_to("api.openai.com") else old: self._max_tokens}

    def _content(self, prompt: Prompt) -> Any:
        """The user's message: one text, or two where the end of the stable part can be marked.

        Other servers find the equal beginning of two prompts by themselves.
        """
        mark: dict[str, Any]
        if self.server.belongs_to("openrouter.ai"):
            mark = {"cache_control": {"type": "ephemeral"}}
        elif self.server.belongs_to("api.openai.com") and _is_marked(self.model):
            mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
        else:
            return prompt.user
        return [
            {"type": "text", "text": prompt.context, **mark},
            {"type": "text", "text": prompt.question},
        ]

    def _reply(self, found: Any) -> Reply:
        message = dig(found, "choices", 0, "message")
        error = dig(found, "choices", 0, "error") or dig(found, "error")
        if error and not dig(message, "content"):  # how OpenRouter says that a provider has failed
            raise told_status(self.server.host, count(dig(error, "code")) or 500, error)
        end = _ENDS.get(str(dig(found, "choices", 0, "finish_reason")), "whole")
        usage = dig(found, "usage")
        reply = ModelReply(
            text_of(dig(message, "content")),
            input_tokens=count(dig(usage, "prompt_tokens")),
            cached_tokens=count(dig(usage, "prompt_tokens_details", "cached_tokens")),
            output_tokens=count(dig(usage, "completion_tokens")),
        )
        return Reply(reply, "refused" if dig(message, "refusal") else end)


def _format(step: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that ask for structured output."""
    if step == "schema":
        named = {"name": "selection", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if step == "json" else {}


def _is_marked(model: str) -> bool:
    version = _VERSION.match(model)
    return version is not None and (int(version[1]), int(version[2] or 0)) >= _MARKED_FROM
