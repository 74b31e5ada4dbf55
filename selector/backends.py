"""Loads an adapter by its name; says what to install where the vendor's package is missing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from selector.errors import ConfigurationError


class Backend(NamedTuple):
    """Where an adapter is, and what it needs."""

    module: str
    name: str
    package: str | None = None  # the vendor's, by the name that is imported


def load_backend(kind: str, table: Mapping[str, Backend], name: str) -> Any:
    """What `table` has under `name`. Raises ConfigurationError for an unknown name and for a
    missing package; an adapter of ours that cannot be imported stays an ImportError.

    The package itself is not imported: that takes a second with some, and happens when it is used.
    """
    if name not in table:
        raise ConfigurationError(f"{kind} {name!r}: known are {', '.join(sorted(table))}")
    backend = table[name]
    if backend.package and find_spec(backend.package) is None:
        raise ConfigurationError(
            f"{kind} {name!r} needs the package {backend.package}: pip install {backend.package}"
        )
    return getattr(import_module(backend.module), backend.name)
