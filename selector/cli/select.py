"""`memsel select`: which memories help with a prompt, and why."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from selector.cli.help import formatter
from selector.codes import Code, Outcome, Severity
from selector.scan import shown
from selector.store import MemoryStore
from selector.types import Candidate, Selection

SCHEMA_VERSION = 1
EXPLAINED = 10  # candidates that an explanation lists: the chosen ones and those behind them

_ANSWERS = {
    Outcome.NONE_RELEVANT: "No memory helps with this.",
    Outcome.NO_MEMORIES: "There are no memories in {root}.",
    Outcome.FELL_BACK: "No memory helps with this.",
}
_MEND: dict[object, str] = {
    Code.NO_FOLDER: "there is no such folder; make it, or name another",
    Code.NOT_A_FOLDER: "that is a file; name the folder that it is in",
    Code.PERMISSION: "you may not read it; ask its owner, or name another",
}


def add_to(commands: Any) -> None:
    """Adds the command to the subparsers `commands`."""
    parser = commands.add_parser(
        "select",
        help="choose memories for a prompt",
        description="Choose the memories below a folder that help with a prompt. Works offline.",
        allow_abbrev=False,
        formatter_class=formatter,
    )
    parser.add_argument("query", metavar="QUERY", help="the prompt")
    parser.add_argument("--root", metavar="DIR", required=True, help="the folder of the memories")
    parser.add_argument(
        "--limit", metavar="N", type=_positive, default=5, help="at most N memories (default 5)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--explain", action="store_true", help="show the scores and what they are made of"
    )
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1 on is needed")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Selects and prints; the exit code is 2 when the root cannot be read."""
    store = MemoryStore(options.root)
    selection = store.find_relevant(options.query, limit=options.limit)
    unavailable = selection.outcome is Outcome.UNAVAILABLE
    if options.json:
        import json  # only who asks for it pays for it

        # ASCII: a path may hold bytes, and a terminal may have an encoding, that UTF-8 is not.
        print(json.dumps(_envelope(selection, options), indent=2))
    elif not unavailable:
        _print(selection, options)
    if unavailable:
        mend = _MEND.get(selection.reason, "the system cannot read it")
        print(f"memsel: root {options.root!r}: {mend}", file=sys.stderr)
    if selection.outcome is Outcome.FELL_BACK:
        print("memsel: the time was up before every file was looked at", file=sys.stderr)
    return 2 if unavailable else 0


def _print(selection: Selection, options: argparse.Namespace) -> None:
    for header in selection:
        kind = f"[{header.type}] " if header.type else ""
        about = f": {header.description}" if header.description else ""
        _line(f"{kind}{header.name} ({header.modified:%Y-%m-%d}){about}")
    if not selection:
        _line(
            _ANSWERS.get(selection.outcome, str(selection.outcome)).format(root=shown(options.root))
        )
    if options.explain:
        _explain(selection)


def _explain(selection: Selection) -> None:
    _line()
    _line(f"{selection.outcome} in {selection.elapsed * 1000:.0f} ms, by the offline scorer")
    _line(f"{len(selection.candidates)} candidates:")
    chosen = {header.name for header in selection}
    for candidate in _explained(selection):
        mark = "*" if candidate.header.name in chosen else " "
        parts = ", ".join(f"{name} {value:.2f}" for name, value in candidate.score.parts.items())
        score, name = candidate.score.value, candidate.header.name
        _line(f" {mark} {score:.2f}  {name}  ({parts or 'nothing'})")
    for problem in selection.problems:
        if problem.severity is not Severity.INFO:
            _line(f" ! {problem.name or 'root'}: {problem.code}")


def _explained(selection: Selection) -> list[Candidate]:
    """The best candidates first: all chosen ones, and some behind them."""
    ranked = sorted(selection.candidates, key=lambda one: (-one.score.value, one.header.name))
    return ranked[: max(EXPLAINED, len(selection))]


def _envelope(selection: Selection, options: argparse.Namespace) -> dict[str, Any]:
    meta = {"schema": SCHEMA_VERSION, "elapsed_ms": round(selection.elapsed * 1000, 1)}
    if selection.outcome is Outcome.UNAVAILABLE:
        error = {"type": str(selection.reason), "message": f"root {options.root!r} cannot be read"}
        return {"ok": False, "error": error, "meta": meta}
    data: dict[str, Any] = {
        "outcome": str(selection.outcome),
        "reason": selection.reason and str(selection.reason),
        "warnings": [str(warning) for warning in selection.warnings],
        "memories": [
            {
                "name": header.name,
                "path": header.path,
                "type": header.type,
                "title": header.title,
                "description": header.description,
                "modified": header.modified.isoformat(),
            }
            for header in selection
        ],
    }
    if options.explain:
        data["candidates"] = [
            {
                "name": one.header.name,
                "score": round(one.score.value, 4),
                "parts": {name: round(value, 4) for name, value in one.score.parts.items()},
            }
            for one in _explained(selection)
        ]
        data["problems"] = [
            {"name": one.name, "code": str(one.code), "severity": str(one.severity)}
            for one in selection.problems
        ]
    return {"ok": True, "data": data, "meta": meta}


def _line(text: str = "") -> None:
    # What the terminal's encoding lacks is shown as an escape: an exception would show nothing.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
