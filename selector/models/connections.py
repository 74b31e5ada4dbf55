"""The HTTP connections of the adapters: what goes out where, and how much may come back."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Collection
from functools import lru_cache
from typing import Any

import httpx2

from selector.codes import Reason
from selector.errors import ModelError
from selector.models.keys import Server

MAX_REPLY = 2 * 1024 * 1024  # bytes: an answer is looked at up to 64 KiB

# What a server that is not the vendor's or the user's own gets to see, the key aside.
_PLAIN_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "user-agent", "content-type",
     "content-length", "transfer-encoding", "anthropic-version",
     "x-stainless-raw-response"),  # the client's own word to itself
)  # fmt: skip
_CREDENTIALS = frozenset(("authorization", "x-api-key"))


def connection(
    server: Server, key: str | None, named: Collection[str], *, is_own_server: bool
) -> httpx2.AsyncClient:
    """A client that follows no redirect, and sends nothing where it is not meant to go.

    The vendors' clients add what the environment holds for them, keys included, and take it to any
    base URL: all but the headers in `named` is taken out, where `is_own_server` the credentials
    alone. A proxy of the environment is used for https, where it sees nothing but the host.
    """
    plain = _PLAIN_HEADERS.union(name.lower() for name in named)

    async def guard(request: httpx2.Request) -> None:
        headers = request.headers
        for name in set(headers) - plain:
            if not is_own_server or name in _CREDENTIALS:
                del headers[name]
        headers["accept-encoding"] = "identity"
        if key:
            headers["authorization"] = f"Bearer {key}"

    async def limit(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ModelError(f"{server.host} replied in a packed form", Reason.INVALID_JSON)
        response.stream = _Limited(response.stream, server.host)

    return httpx2.AsyncClient(
        verify=tls(),
        trust_env=server.scheme == "https" and not server.is_loopback,
        follow_redirects=False,
        event_hooks={"request": [guard], "response": [limit]},
    )


class _Limited(httpx2.AsyncByteStream):
    """A body that ends with an exception where it gets too long."""

    def __init__(self, stream: Any, host: str) -> None:
        self._stream, self._host = stream, host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_REPLY
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise ModelError(
                    f"{self._host} replied more than {MAX_REPLY:,} bytes", Reason.INVALID_JSON
                )
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """One for all connections: it takes 20 ms to read the certificates."""
    return httpx2.create_ssl_context()
