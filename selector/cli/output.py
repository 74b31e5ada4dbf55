"""What a command writes: lines, the envelope for programs, and one line when it fails."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selector.types import MemoryHeader

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
SCHEMA_VERSION = 1

_said: list[str] = []  # on stderr, by this call

_JOINERS = "\u200c\u200d"  # they spell words and emoji, and move nothing on a screen


class Failure(Exception):
    """The end of a command: a word for programs, one line for a person, the exit code.

    `command` is named in front of the line where its `--help` says more.
    """

    def __init__(
        self, kind: str, message: str, code: int = USAGE, *, command: str | None = None
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.code, self.command = kind, message, code, command


class Unwritten(Exception):
    """The system did not take the result."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.is_unheard = isinstance(error, BrokenPipeError)  # the reader has seen enough
        self.code = OK  # of the command, as far as it is known


@contextmanager
def writing() -> Iterator[None]:
    """Tells a result that cannot be written from all else that the system refuses."""
    try:
        yield
    except OSError as error:
        raise Unwritten(error) from error


def line(text: str = "", *, harmless_already: bool = False) -> None:
    """Prints one line of the result."""
    if sys.stdout is not None:  # closed by the caller
        with writing():
            print(encodable(text if harmless_already else harmless(text)))


def put(raw: bytes) -> None:
    """Writes bytes of the result as they are."""
    with writing():
        if buffer := getattr(sys.stdout, "buffer", None):
            buffer.write(raw)
        elif sys.stdout is not None:  # what a caller put there takes text alone
            sys.stdout.write(raw.decode("utf-8", "replace"))


def flush() -> None:
    """Sees the result off."""
    if sys.stdout is not None:
        with writing():
            sys.stdout.flush()


def note(text: str, who: str | None = None) -> None:
    """Says one line beside the result, on stderr; in an envelope it is one of the messages."""
    _said.append(text)
    if sys.stderr is not None:  # else it would go to stdout
        with suppress(OSError):  # nobody hears it
            print(f"{who or 'memsel'}: {harmless(text)}", file=sys.stderr, flush=True)


def succeed(data: dict[str, Any], options: Namespace) -> None:
    """Prints the envelope of a result."""
    _print_json({"ok": True, "data": data, "meta": _meta(options.command, options.start)})


def report(failure: Failure, command: str | None, start: float) -> None:
    """Prints the envelope of a failure."""
    error = {"type": failure.kind, "message": failure.message}
    _print_json({"ok": False, "error": error, "meta": _meta(command, start)})


def _meta(command: str | None, start: float) -> dict[str, Any]:
    elapsed = round((time.monotonic() - start) * 1000, 1)
    return {
        "schema": SCHEMA_VERSION,
        "command": command,
        "elapsed_ms": elapsed,
        "messages": list(_said),
    }


def forget() -> None:
    """Begins a new call in the same process."""
    _said.clear()


def _print_json(envelope: dict[str, Any]) -> None:
    import json  # only who asks for it pays for it

    # ASCII: a path may hold bytes, and a terminal may have an encoding, that UTF-8 is not.
    line(json.dumps(envelope, indent=2, default=str), harmless_already=True)


def harmless(text: str, keep: str = "") -> str:
    """`text` with all escaped that a terminal might obey instead of showing it.

    Characters in `keep` stay.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char in keep or _is_harmless(char) else char.encode("unicode_escape").decode()
        for char in text
    )


def _is_harmless(char: str) -> bool:
    from unicodedata import category

    return char.isprintable() or char in _JOINERS or category(char) == "Zs"


def encodable(text: str) -> str:
    """`text` with what stdout's encoding lacks as escapes: an exception would show nothing."""
    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def is_terminal() -> bool:
    """True when a person reads the result as it is written."""
    return sys.stdout is not None and sys.stdout.isatty()


def memory_line(header: MemoryHeader, standing: str = "") -> str:
    """`[type] name (date): description`, without the parts that are missing.

    `standing` is why the memory takes no part in the choice.
    """
    kind = f"[{header.type}] " if header.type else ""
    about = f": {header.description}" if header.description else ""
    mark = f", {standing}" if standing else ""
    return f"{kind}{header.name} ({header.modified:%Y-%m-%d}{mark}){about}"


def header_data(header: MemoryHeader) -> dict[str, Any]:
    """What the envelope says of every memory."""
    return {
        "name": header.name,
        "path": header.path,
        "type": header.type,
        "title": header.title,
        "description": header.description,
        "modified": header.modified.isoformat(),
    }
