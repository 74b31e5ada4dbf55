"""What the adapters of HTTP APIs share: structured output by steps, retries inside the time left,
keys that stay with their host, and foreign exceptions translated in one place.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import ssl
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar

from selector.clock import Clock
from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError
from selector.models.keys import is_own, key_for, server_at
from selector.models.replies import Reply, checked, dig, holds_answer
from selector.types import ModelReply, Prompt

MAX_TOKENS = 2_000  # of an answer: a few names, and what a model thinks before
RETRIES = 2  # behind the first try
FIRST_PAUSE = 0.4  # seconds before the first retry where the server names none; then doubled
MAX_PAUSE = 60.0  # seconds: a server that wants longer is not waited for, even without a limit

_STATUSES = {
    401: Reason.AUTH,
    402: Reason.RATE_LIMITED,  # no credit left: another request will not do either
    403: Reason.AUTH,
    407: Reason.CONNECTION,
    408: Reason.TIMEOUT,
    409: Reason.OVERLOADED,
    429: Reason.RATE_LIMITED,
    502: Reason.OVERLOADED,
    503: Reason.OVERLOADED,
    504: Reason.TIMEOUT,
    529: Reason.OVERLOADED,
}
# How a server refuses a field that it does not know.
_STEP_DOWN = frozenset((400, 422, 501))
# What a server that is not the vendor's or the user's own gets to see, the key aside.
_PLAIN_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "user-agent", "content-type",
     "content-length", "transfer-encoding", "anthropic-version",
     "x-stainless-raw-response"),  # the client's own word to itself
)  # fmt: skip
_CREDENTIALS = frozenset(("authorization", "x-api-key"))

# Base URL -> the first step that its server has not refused or ignored, for this process.
_steps: dict[str, int] = {}


class HttpModel:
    """A model behind an HTTP API, asked through the vendor's client.

    `base_url` is the vendor's when it is None, and `api_key` the variable's that belongs to that
    host. `request` holds further fields of the request, sent as they are. Each call opens its own
    connection: it may run on any event loop, and one that is cancelled leaves nothing behind.
    """

    package: ClassVar[str]  # the vendor's; both vendors' clients have the same exceptions
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
        **request: Any,
    ) -> None:
        if not model.strip("@"):
            raise ConfigurationError(f"no model named: {self.package}:MODEL is needed")
        self.model = model
        self.server = server_at(
            base_url or os.environ.get(self.own_server, "").strip() or self.vendor_url
        )
        self._api_key = api_key
        self._max_tokens = max_tokens
        self._request = request

    @classmethod
    def named(cls, text: str) -> HttpModel:
        """The model that `MODEL` or `MODEL@BASE_URL` names."""
        places = [
            place for scheme in ("@http://", "@https://") if (place := text.rfind(scheme)) > 0
        ]
        if places:
            place = max(places)
            return cls(text[:place], base_url=text[place + 1 :])
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
        key = self._api_key or key_for(self.server, os.environ)
        try:
            async with asyncio.timeout(clock.remaining()):
                return await self._ask(prompt, clock, key)
        except TimeoutError as error:
            raise ModelError(self._late(), Reason.TIMEOUT) from error
        except ModelError as error:
            if key:  # a server may repeat what it was sent
                error.args = (str(error).replace(key, "***"),)
            raise

    async def _ask(self, prompt: Prompt, clock: Clock, key: str | None) -> ModelReply:
        """The answer by the best step that the server takes."""
        # Off the event loop: the first import takes a second.
        sdk = await asyncio.to_thread(self._load)
        url, last = self.server.url, len(self.steps) - 1
        number = _steps.get(url, 0)
        async with self._client(sdk, key) as client:
            while True:
                try:
                    reply = await self._sent(sdk, client, prompt, self.steps[number], clock)
                except _RefusedRequest:
                    if number == last:
                        raise
                    number += 1  # not remembered before a lower step has worked
                    continue
                is_ignored = reply.end == "whole" and not holds_answer(reply.usage.text)
                if not is_ignored or number == last:
                    _steps[url] = max(number, _steps.get(url, 0))
                    return checked(reply, self.model)
                number += 1
                _steps[url] = max(number, _steps.get(url, 0))

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
                pause = _pause(sdk, error, attempt)
                if pause is None or pause >= (MAX_PAUSE if left is None else left):
                    raise self._told(sdk, error) from error
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, client: Any, prompt: Prompt, step: str, timeout: float | None) -> Reply:
        """One request, one reply; with whatever the vendor's client raises."""
        raise NotImplementedError

    def _client(self, sdk: Any, key: str | None) -> Any:
        """The vendor's client, which closes its connection at the end of an `async with`."""
        raise NotImplementedError

    def _load(self) -> Any:
        """The vendor's package, with all of it that a request needs."""
        _tls()
        import_module(self.resource)
        return import_module(self.package)

    def _connection(self, key: str | None) -> Any:
        """An HTTP client that follows no redirect and sends nothing where it is not meant to go.

        The vendors' clients add what the environment holds for them, keys included, and take it
        to any base URL.
        """
        import httpx2

        is_own_server = self.server.url == self.vendor_url or is_own(
            self.server, self.own_server, os.environ
        )
        named = {name.lower() for name in self._request.get("extra_headers") or ()}

        async def guard(request: Any) -> None:
            headers = request.headers
            for name in set(headers) - _PLAIN_HEADERS - named:
                if not is_own_server or name in _CREDENTIALS:
                    del headers[name]
            if key:
                headers["authorization"] = f"Bearer {key}"

        return httpx2.AsyncClient(
            verify=_tls(), follow_redirects=False, event_hooks={"request": [guard]}
        )

    def _told(self, sdk: Any, error: Exception) -> ModelError:
        """A foreign exception as one of ours."""
        host = self.server.host
        if isinstance(error, sdk.APITimeoutError):
            return ModelError(self._late(), Reason.TIMEOUT)
        if isinstance(error, sdk.APIConnectionError):
            return ModelError(
                f"{host} cannot be reached: {error.__cause__ or error}", Reason.CONNECTION
            )
        if not isinstance(error, sdk.APIStatusError):
            return ModelError(f"{type(error).__name__}: {error}")
        return told_status(host, error.status_code, error.body)

    def _late(self) -> str:
        return f"{self.server.host} gave no answer in time"


class _RefusedRequest(ModelError):
    """A request that the server does not take in this form."""


def told_status(host: str, status: int, body: Any) -> ModelError:
    """What an HTTP status other than 200 stands for; `body` is its JSON, or a text."""
    found = dig(body, "error", "message") or dig(body, "message") or dig(body, "error") or body
    text = found if isinstance(found, str) else ""
    message = f"{host} replied {status}: {_plain(text)}".rstrip(": ")
    if status in _STEP_DOWN:
        return _RefusedRequest(message, Reason.BAD_REQUEST)
    if status in _STATUSES:
        return ModelError(message, _STATUSES[status])
    return ModelError(message, Reason.MODEL_FAILED if status >= 500 else Reason.BAD_REQUEST)


def _plain(text: str) -> str:
    return "a web page" if text.lstrip()[:1] == "<" else text


def _pause(sdk: Any, error: Exception, attempt: int) -> float | None:
    """Seconds to wait before the next try; None where another one is of no use."""
    if attempt >= RETRIES or isinstance(error, sdk.APITimeoutError):
        return None
    pause: float = FIRST_PAUSE * 2**attempt
    if isinstance(error, sdk.APIConnectionError):
        # Nobody is there: a local server that is down is to cost no prompt a second.
        is_down = type(error.__cause__).__name__ in ("ConnectError", "UnsupportedProtocol")
        return None if is_down else pause
    if not isinstance(error, sdk.APIStatusError):
        return None
    status, headers = error.status_code, error.response.headers
    if status not in (408, 409, 429) and (status < 500 or status in _STEP_DOWN):
        return None
    if headers.get("x-should-retry") == "false":
        return None
    return _wanted(headers) or pause * random.uniform(0.75, 1)


def _wanted(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait for, None where it does not say, or says a date."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / unit
            if seconds >= 0:  # which NaN is not
                return seconds
    return None


def _finite(timeout: float | None) -> float | None:
    return None if timeout is None or math.isinf(timeout) else timeout


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """One for all connections: it takes 20 ms to read the certificates."""
    import httpx2

    return httpx2.create_ssl_context()
