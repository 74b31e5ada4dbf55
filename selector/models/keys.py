"""Servers, and which API key may go to which: each only to the host that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError

# The hosts of the vendors, their subdomains included, and the variable that holds the key.
OWNERS = {
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "api.openai.com": "OPENAI_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
}
# Variables that name a server of the user's own, and the key that goes there.
OWN_SERVERS = {"ANTHROPIC_BASE_URL": "ANTHROPIC_API_KEY", "OPENAI_BASE_URL": "OPENAI_API_KEY"}
ANY_OTHER = "MEMSEL_API_KEY"

# Strict on purpose: what two parsers of addresses may read differently is refused.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::(?P<port>\d{1,5}))?"
    r"(?:/[!-~]*)?",
    re.IGNORECASE | re.ASCII,
)
_NOT_IN_PATHS = re.compile(r"[\\?#@]")
_NUMBERS = re.compile(r"\[.*\]|(?:.*\.)?(?:\d+|0x[0-9a-f]*)")  # hosts that are addresses
_PORTS = {"http": 80, "https": 443}


class Server(NamedTuple):
    """Where a model is asked."""

    url: str  # without a slash at the end
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> tuple[str, str, int]:
        """What two addresses of one server have in common."""
        return self.scheme, self.host, self.port

    @property
    def is_loopback(self) -> bool:
        """True for this machine itself."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            address = ip_address(self.host.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified

    def belongs_to(self, owner: str) -> bool:
        """True for the host `owner` and its subdomains."""
        return self.host == owner or self.host.endswith(f".{owner}")


def server_at(url: str) -> Server:
    """The server at a base URL.

    Raises ConfigurationError for what is no plain http or https address, and for a vendor's
    without https: its key would travel in the open.
    """
    match = _URL.fullmatch(url.strip())
    if not match or _NOT_IN_PATHS.search(match[0]) or not _can_be_asked(match):
        raise ConfigurationError(
            f"base URL {_without_password(url)!r}: http://HOST:PORT/PATH or https://... is needed, "
            "without a password, query or fragment"
        )
    scheme, host = match["scheme"].lower(), match["host"].lower()
    port = int(match["port"] or _PORTS[scheme])
    server = Server(match[0].rstrip("/"), scheme, host, port)
    if scheme == "http" and any(map(server.belongs_to, OWNERS)):
        raise ConfigurationError(f"base URL {url!r}: {host} is asked with https only")
    return server


def _can_be_asked(match: re.Match[str]) -> bool:
    """False for a port or an address that there cannot be."""
    host = match["host"].lower()
    try:
        if _NUMBERS.fullmatch(host):
            address = ip_address(host.strip("[]"))
            return (address.version == 6) == host.startswith("[") and _is_port(match["port"])
    except ValueError:
        return False
    return _is_port(match["port"])


def _is_port(port: str | None) -> bool:
    return port is None or 0 < int(port) < 65_536


def is_own(server: Server, variable: str, environment: Mapping[str, str]) -> bool:
    """True when `variable` (`OPENAI_BASE_URL`) names `server`."""
    try:
        return server_at(environment.get(variable, "")).origin == server.origin
    except ConfigurationError:
        return False


def key_for(server: Server, environment: Mapping[str, str], first: str = "") -> str | None:
    """The API key for `server`; None for this machine, which needs none.

    Of two variables that name this server (`OPENAI_BASE_URL`), `first` counts. Raises ModelError
    `no_key`, which names the variable that is missing.
    """
    names = [name for owner, name in OWNERS.items() if server.belongs_to(owner)]
    own = sorted(OWN_SERVERS, key=lambda name: name != first)
    names += [OWN_SERVERS[name] for name in own if is_own(server, name, environment)]
    names = list(dict.fromkeys(names)) or [ANY_OTHER]
    for name in names:
        if key := environment.get(name, "").strip():
            if not is_key(key):
                raise ModelError(f"{name} holds what cannot be a key", Reason.NO_KEY)
            return key
    if server.is_loopback:
        return None
    raise ModelError(f"{names[0]} is not set; it holds the key for {server.host}", Reason.NO_KEY)


def is_key(text: str) -> bool:
    """True for what a header can hold."""
    return bool(text) and text.isascii() and text.isprintable()


def _without_password(url: str) -> str:
    return re.sub(r"//.*@", "//...@", url)
