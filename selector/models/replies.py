"""What servers and programs reply, read without trusting its shape."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from selector.answer import read_items
from selector.codes import Reason
from selector.errors import AnswerError, ModelError
from selector.types import ModelReply

End = Literal["whole", "cut", "refused"]


class Reply(NamedTuple):
    """One reply of a server."""

    usage: ModelReply  # the text and the tokens
    end: End = "whole"

    def after(self, spent: Sequence[ModelReply]) -> Reply:
        """This one with the tokens of what was replied before it, too."""
        if not spent:
            return self
        before, usage = spent[-1], self.usage
        return self._replace(
            usage=ModelReply(
                usage.text,
                _sum(before.input_tokens, usage.input_tokens),
                _sum(before.cached_tokens, usage.cached_tokens),
                _sum(before.output_tokens, usage.output_tokens),
            )
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


def payload(text: str, server: str) -> Any:
    """The JSON that a server replied; raises ModelError `invalid_json` for a proxy's page."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        kind = "a web page" if text.lstrip()[:1] == "<" else "something else" if text else "nothing"
        raise ModelError(
            f"{server} replied {kind}, not JSON: a proxy, or a wrong base URL?",
            Reason.INVALID_JSON,
        ) from error


def dig(value: Any, *path: str | int) -> Any:
    """What is at `path` in a JSON value; None where it ends early."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def count(value: Any) -> int | None:
    """`value` when it can be a number of tokens."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text_of(content: Any) -> str:
    """The text of a message: a string, or the text parts of a list, joined."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def holds_answer(text: str) -> bool:
    """True when a list of names can be found in `text`, whatever is around it."""
    try:
        read_items(text)
    except AnswerError:
        return False
    return True


def checked(reply: Reply, who: str) -> ModelReply:
    """The reply of `who`, for the store to read.

    Raises ModelError: `refusal`; and where nothing can be salvaged from the text `truncated` or
    `invalid_json`.
    """
    usage = reply.usage
    if reply.end == "refused":
        raise ModelError(f"{who} declined to answer", Reason.REFUSAL, usage=usage)
    try:
        read_items(usage.text)
    except AnswerError as error:
        if reply.end == "cut":
            told = f"{who} was cut off: {error}"
            raise ModelError(told, Reason.TRUNCATED, usage=usage) from error
        if error.reason is Reason.INVALID_JSON:
            raise ModelError(f"{who}: {error}", Reason.INVALID_JSON, usage=usage) from error
    return usage
