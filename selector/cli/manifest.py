"""`memsel manifest`: the lines that a model chooses from."""

from __future__ import annotations

from argparse import Namespace

from selector.cli.options import add_json, add_roots, add_types
from selector.cli.output import OK, line, note, succeed
from selector.cli.parser import Parser
from selector.cli.scanned import VALID, of_types, scanned, standings
from selector.manifest import MAX_BYTES, MAX_LINES, fit, manifest
from selector.types import Candidate, Score


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "Print the lines that a model chooses from: the memories that count, newest first. A model "
        f"is shown at most {MAX_LINES} lines and {MAX_BYTES:,} bytes; when there are more, the "
        "scorer chooses for each prompt which ones, and here the newest are printed."
    )
    add_roots(parser)
    add_types(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """Prints the lines; those of the newest memories when there are too many."""
    store, found = scanned(options)
    counting = [one for one in standings(store, found.headers) if one.word == VALID]
    wanted = of_types(counting, options.types, store)
    shown = fit([Candidate(header, Score(0.0)) for header, _ in wanted])
    lines = manifest([one.header for one in shown]).splitlines()
    if len(shown) < len(wanted):
        note(
            f"{len(wanted)} memories count; a model is shown at most {MAX_LINES} lines and "
            f"{MAX_BYTES:,} bytes, by score; these are the {len(shown)} newest that fit"
        )
    if options.json:
        succeed({"lines": lines, "shown": len(shown), "memories": len(wanted)}, options)
    for text in () if options.json else lines:
        line(text)
    return OK
