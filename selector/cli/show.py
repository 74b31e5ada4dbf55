"""`memsel show`: one memory in full."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from selector.cli.options import add_json, add_roots
from selector.cli.output import (
    FAILED,
    OK,
    Failure,
    harmless,
    header_data,
    is_terminal,
    line,
    put,
    succeed,
)
from selector.cli.parser import Parser
from selector.cli.scanned import VALID, scanned, standings
from selector.codes import Code
from selector.errors import ReadError
from selector.types import Memory

NEAR = 3  # names that are offered in place of an unknown one


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "Print one memory: its body byte for byte into a pipe or a file; on a terminal with a few "
        "lines about it, and with control characters made visible."
    )
    parser.surplus = "only one NAME; quotes keep one with spaces together"
    parser.add_argument("name", metavar="NAME", help="a name as memsel list prints it")
    add_roots(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """Prints the memory; raises Failure when it cannot be read."""
    store, found = scanned(options, everything=True)
    try:
        memory = store.read(options.name)
    except ReadError as error:
        message = str(error)
        if error.code is Code.NOT_LISTED:
            message = _unknown(options.name, [header.name for header in found.headers])
        raise Failure(str(error.code), message, FAILED) from error
    names = standings(store, found.headers)
    standing = next((one.word for one in names if one.header.name == options.name), VALID)
    if options.json:
        succeed(_data(memory) | {"standing": standing}, options)
    elif is_terminal():
        for text in _head(memory, standing):
            line(text, harmless_already=True)
        line()
        for text in harmless(memory.text.replace("\r\n", "\n"), keep="\n\t").splitlines():
            line(text.expandtabs(), harmless_already=True)
    else:
        put(memory.body)
    return OK


def _unknown(name: str, names: Sequence[str]) -> str:
    near = list(_near(name, names))
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "memsel list prints them"
    return f"no memory is called {name!r}; {hint}"


def _near(name: str, names: Sequence[str]) -> Iterator[str]:
    """A few names that may have been meant: the one whose other spelling it is, else like ones."""
    from difflib import get_close_matches

    from selector.names import KnownNames

    if meant := KnownNames(names).find(name):
        yield meant
        return
    bases = {one.rpartition("/")[2]: one for one in reversed(names)}
    found = get_close_matches(name, [*names, *bases], NEAR)
    yield from dict.fromkeys(bases.get(one, one) for one in found)


def _head(memory: Memory, standing: str) -> Iterator[str]:
    from selector.cli.table import BOLD, DIM, painted

    header = memory.header
    yield painted(harmless(header.name), BOLD)
    for key, value in (
        ("type", header.type),
        ("title", header.title),
        ("description", header.description),
        ("standing", "" if standing == VALID else f"{standing}: takes no part in the choice"),
        ("changed", f"{header.modified:%Y-%m-%d %H:%M} UTC"),
        ("path", header.path),
        ("sha256", memory.sha256),
    ):
        if value:
            yield f"{painted(f'{key:<12}', DIM)} {harmless(value)}"


def _data(memory: Memory) -> dict[str, Any]:
    header = memory.header
    return header_data(header) | {
        "description_from": header.description_from and str(header.description_from),
        "scope": list(header.scope),
        "importance": header.importance,
        "expires_at": header.expires_at and header.expires_at.isoformat(),
        "superseded_by": header.superseded_by,
        "size": header.size,
        "metadata": memory.metadata,
        "text": memory.text,
        "sha256": memory.sha256,
    }
