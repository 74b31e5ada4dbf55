"""Regular expressions that are compiled when first used: all of them would double the start-up."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile(pattern, flags)` gives, compiled at the first call of a method."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Compiled:
    """Finds its methods at once: what has a `__getattr__` takes longer to find anything."""


class _Lazy(_Compiled):
    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        self.__class__ = _Compiled  # type: ignore[assignment]  # a base, as far as mypy sees
        return getattr(compiled, name)
