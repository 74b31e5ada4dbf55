"""`memsel list`: all memories, and which of them take no part in the choice."""

from __future__ import annotations

from argparse import Namespace

from selector.cli.options import add_json, add_roots, add_types
from selector.cli.output import OK, header_data, is_terminal, line, memory_line, succeed
from selector.cli.parser import Parser
from selector.cli.scanned import VALID, of_types, scanned, standings


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "List the memories, newest first. Expired and superseded ones are marked: "
        "they take no part in the choice."
    )
    add_roots(parser)
    add_types(parser)
    parser.add_argument("--names", action="store_true", help="print nothing but the names")
    add_json(parser)


def run(options: Namespace) -> int:
    """Lists."""
    store, found = scanned(options)
    wanted = of_types(standings(store, found.headers), options.types, store)
    if options.json:
        memories = [header_data(header) | {"standing": word} for header, word in wanted]
        succeed({"memories": memories}, options)
    elif options.names:
        for header, _ in wanted:
            line(header.name)
    elif is_terminal():
        from selector.cli.table import memory_table

        memory_table([(header, "" if word == VALID else word) for header, word in wanted])
    else:
        for header, word in wanted:
            line(memory_line(header, "" if word == VALID else word))
    return OK
