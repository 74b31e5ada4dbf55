"""What the adapters of HTTP APIs share: structured output by steps, retries inside the time left,
and foreign exceptions translated in one place.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

from selector.calls import awork
from selector.clock import Clock
from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError
from selector.models.failures import MAX_PAUSE, RefusedRequest, hide, pause_before, told
from selector.models.keys import is_key, is_own, key_for, server_at
from selector.models.replies import Reply, checked, holds_answer
from selector.types import ModelReply, Prompt

MAX_TOKENS = 2_000  # of an answer: a few names, and what a model thinks before
# What would make another protocol of it.
_NOT_FOR_REQUESTS = frozenset(("messages", "n", "stream", "timeout"))

_NAMED = re.compile(r"(.*)@(https?://.*)", re.IGNORECASE | re.DOTALL)  # the last of several

# (protocol, base URL) -> the first step that was not refused or ignored there, for this process.
_steps: dict[tuple[str, str], int] = {}


class HttpModel:
    """A model behind an HTTP API, asked through the vendor's client.

    `base_url` is the vendor's when it is None, and `api_key` the variable's that belongs to that
    host. `request` holds further fields of the request, which win over ours, and `extra_headers`.
    Each call opens its own connection: it may run on any event loop, and one that is cancelled
    leaves nothing behind.
    """

    package: ClassVar[str]  # the vendor's; both vendors' clients have the same exceptions
    client: ClassVar[str]  # the class in it
    resource: ClassVar[str]  # the part of it that the client would import at its first request
    own_server: ClassVar[str]  # the variable that names another server than the vendor's
    vendor_url: ClassVar[str]
    steps: ClassVar[tuple[str, ...]]  # ways to ask for structured output, the best first

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_tokens: int = MAX_TOKENS,
        extra_headers: Mapping[str, str] | None = None,
        **request: Any,
    ) -> None:
        if not model.strip("@"):
            raise ConfigurationError(f"no model named: {self.package}:MODEL is needed")
        if unfit := sorted(_NOT_FOR_REQUESTS & set(request)):
            raise ConfigurationError(f"{', '.join(unfit)}: no field that can be given to a model")
        if api_key is not None and not is_key(api_key := api_key.strip()):
            raise ConfigurationError("api_key: this cannot be a key; a line of ASCII is needed")
        self.model = model
        self.server = server_at(
            base_url or os.environ.get(self.own_server, "").strip() or self.vendor_url
        )
        self._api_key = api_key
        self._max_tokens = max_tokens
        self._headers = dict(extra_headers or {})
        self._request = request

    @classmethod
    def named(cls, text: str) -> HttpModel:
        """The model that `MODEL` or `MODEL@BASE_URL` names."""
        if found := _NAMED.fullmatch(text):
            return cls(found[1], base_url=found[2])
        if "@" in text[1:]:  # in front it may be a part of the name
            raise ConfigurationError(
                f"model {text!r}: behind the @ a base URL with http:// or https:// is needed"
            )
        return cls(text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.server.url!r})"

    async def __call__(self, prompt: Prompt) -> ModelReply:
        """The model's answer. Raises ModelError with a reason, within the prompt's timeout."""
        clock = Clock(_finite(prompt.timeout))
        key = self._api_key or key_for(self.server, os.environ, self.own_server)
        spent: list[ModelReply] = []
        try:
            async with asyncio.timeout(clock.remaining()):
                return await self._ask(prompt, clock, key, spent)
        except TimeoutError as error:
            usage = spent[-1] if spent else None
            message = f"{self.server.host} gave no answer in time"
            raise ModelError(message, Reason.TIMEOUT, usage=usage) from error
        except ModelError as error:
            hide(key, error)  # a server may repeat what it was sent
            error.usage = spent[-1] if spent else None
            raise

    async def _ask(
        self, prompt: Prompt, clock: Clock, key: str | None, spent: list[ModelReply]
    ) -> ModelReply:
        """The answer by the best step that the server takes; `spent` gets every reply."""
        # Off the event loop, as the first import takes a second, and in a thread that holds up
        # neither the end of the loop nor that of the process.
        sdk = await awork(lambda _: self._load(), Clock())
        place, last = (self.package, self.server.url), len(self.steps) - 1
        number = known = _steps.get(place, 0)
        async with self._opened(sdk, key) as client:
            while True:
                try:
                    reply = await self._sent(sdk, client, prompt, self.steps[number], clock)
                except RefusedRequest:
                    if number == last:
                        raise
                    known = number = number + 1  # remembered when this one works
                    continue
                reply = reply.after(spent)
                spent.append(reply.usage)
                text = reply.usage.text
                if reply.end != "whole" or holds_answer(text) or number == last:
                    _remember(place, known)
                    return checked(reply, self.model)
                number += 1
                if text.strip():  # words for JSON: a server that heeds a schema cannot do that
                    known = number
                    _remember(place, known)

    async def _sent(self, sdk: Any, client: Any, prompt: Prompt, step: str, clock: Clock) -> Reply:
        """The reply to one request, tried again where that may help and there is time for it."""
        attempt = 0
        while True:
            try:
                return await self._send(client, prompt, step, clock.remaining())
            except ModelError:
                raise
            except Exception as error:  # whatever the vendor's client raises
                left = clock.remaining()
                pause = pause_before(attempt, sdk, error)
                if pause is None or pause >= (MAX_PAUSE if left is None else left):
                    raise told(sdk, error, self.server.host) from error
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, client: Any, prompt: Prompt, step: str, timeout: float | None) -> Reply:
        """One request, one reply; with whatever the vendor's client raises."""
        raise NotImplementedError

    def _fields(self, ours: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request, with the user's over ours and within them."""
        fields = dict(ours)
        for name, value in self._request.items():
            both = isinstance(value, dict) and isinstance(fields.get(name), dict)
            fields[name] = {**fields[name], **value} if both else value
        return fields

    def _load(self) -> Any:
        """The vendor's package, with all of it that a request needs."""
        from selector.models.connections import tls  # with it comes the HTTP client

        tls()
        import_module(self.resource)
        return import_module(self.package)

    def _opened(self, sdk: Any, key: str | None) -> Any:
        """The vendor's client, which closes its connection at the end of an `async with`."""
        try:
            return getattr(sdk, self.client)(
                # It would look for others; the connection sends none where there is none.
                api_key=key or "none",
                base_url=self.server.url,
                max_retries=0,
                http_client=self._connection(key),
            )
        except Exception as error:  # a proxy in the environment that cannot be used
            raise ModelError(f"no connection can be made: {error}", Reason.CONNECTION) from error

    def _connection(self, key: str | None) -> Any:
        """The connection for the vendor's client. With it come the headers of the vendor's that the
        environment holds, where the server is the vendor's or the user's own.
        """
        from selector.models.connections import connection

        is_vendors = self.server.origin == server_at(self.vendor_url).origin
        is_own_server = is_vendors or is_own(self.server, self.own_server, os.environ)
        return connection(self.server, key, self._headers, is_own_server=is_own_server)


def _remember(place: tuple[str, str], step: int) -> None:
    _steps[place] = max(step, _steps.get(place, 0))


def _finite(timeout: float | None) -> float | None:
    return None if timeout is None or math.isinf(timeout) else timeout
