"""`memsel select`: which memories help with a prompt, and why."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from selector.cli.options import (
    add_json,
    add_roots,
    add_types,
    check_roots,
    environment,
    failed_roots,
    from_stdin,
    positive,
    roots,
)
from selector.cli.output import (
    OK,
    TERMINATED,
    Failure,
    encodable,
    harmless,
    header_data,
    is_terminal,
    line,
    memory_line,
    note,
    succeed,
)
from selector.cli.parser import Parser, usage
from selector.codes import Outcome, Reason, Warn
from selector.errors import ConfigurationError
from selector.store import MemoryStore
from selector.types import DEFAULT_LIMIT, ModelFunction, Selection, SelectKeywords

if TYPE_CHECKING:
    from selector.cli.explain import Record

MODEL, TIMEOUT = "MEMSEL_MODEL", "MEMSEL_TIMEOUT"
NO_MODEL = "none"
SECONDS = "10"
CONTEXT_BYTES = 9_000
STDIN_BYTES = 1024 * 1024  # of a prompt: more is no prompt
_QUOTES = 'put the prompt in quotes: memsel select "How do I ..."'


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "Choose the memories that help with a prompt: offline, unless a model is named."
    )
    parser.surplus = _QUOTES
    about = "the prompt, in quotes; - reads it from standard input; -- goes before a leading dash"
    parser.add_argument("query", metavar="QUERY", help=about)
    add_roots(parser)
    parser.add_argument(
        "--model",
        metavar="SPEC",
        help="anthropic:MODEL, openai:MODEL, openai:MODEL@URL or command:PROGRAM; none switches it "
        f"off (default: {MODEL}, else none)",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        default=str(DEFAULT_LIMIT),
        help=f"at most N memories (default {DEFAULT_LIMIT})",
    )
    for option, metavar, about in (
        ("--recent-tool", "TOOL", "a tool in active use: notes on how to use it stay out"),
        ("--surfaced", "NAME", "a memory that the conversation has already"),
        ("--file", "PATH", "a file being worked on: notes about it count more"),
    ):
        text = f"{about}; repeatable"
        parser.add_argument(option, metavar=metavar, action="append", default=[], help=text)
    add_types(parser)
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        help=f"for everything; then the offline scorer answers (default: {TIMEOUT}, else 10)",
    )
    parser.add_argument(
        "--context", action="store_true", help="print the block for a prompt, and nothing else"
    )
    parser.add_argument(
        "--max-bytes", metavar="N", help=f"of the block, at most (default {CONTEXT_BYTES})"
    )
    parser.add_argument("--explain", action="store_true", help="show how the choice came about")
    add_json(parser)


def run(options: Namespace) -> int:
    """Selects and prints. A model that fails is no failure: the scorer's answer is one."""
    chosen = _keywords(options)
    max_bytes = _max_bytes(options)
    folders = roots(options)
    spec, model = _model(options)
    query = _query(options.query)
    record = _recorded(model) if options.explain else None
    store = MemoryStore(folders.get("") or folders, model=record or model)
    selection = store.find_relevant(query, **chosen)
    check_roots(options, folders, failed_roots(folders, selection.problems))
    _warn(selection, spec)
    context = store.context(selection, max_bytes=max_bytes) if options.context else None
    explanation = None
    if options.explain:
        from selector.cli.explain import Explanation

        explanation = Explanation(selection, folders, options.surfaced, spec, record)
    if options.json:
        told = {} if context is None else {"context": context}
        succeed(_data(selection) | told | (explanation.data() if explanation else {}), options)
        return OK
    lines = explanation.lines() if explanation else ()
    if context is None:
        _print(selection, folders)
        _print_below(lines)
    else:
        _print_context(context, selection, folders)
        for text in lines:
            note(text)
    return OK


def _keywords(options: Namespace) -> SelectKeywords:
    return {
        "limit": positive(options.limit, "--limit", "select"),
        "recent_tools": options.recent_tool,
        "already_surfaced": options.surfaced,
        "files": options.file,
        "types": options.types,
        "timeout": _timeout(options),
    }


def _recorded(model: ModelFunction | None) -> Record | None:
    from selector.cli.explain import Record

    return Record(model) if model else None


def _query(text: str) -> str:
    if text != "-":
        if not text.strip():
            raise usage(f"the prompt is empty: {_QUOTES}", "select")
        return text
    found = from_stdin(STDIN_BYTES)
    if not found.strip():
        raise usage("the prompt on standard input is empty", "select")
    return found


def _timeout(options: Namespace) -> float:
    name, text = "--timeout", options.timeout
    if text is None:
        name, text = TIMEOUT, environment(TIMEOUT) or SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not seconds > 0:  # NaN, too
        raise usage(f"{name} {text}: a number of seconds above 0 is needed", "select")
    return seconds


def _max_bytes(options: Namespace) -> int:
    if options.max_bytes is None:
        return CONTEXT_BYTES
    if not options.context:
        raise usage("--max-bytes: only together with --context", "select")
    return positive(options.max_bytes, "--max-bytes", "select")


def _model(options: Namespace) -> tuple[str | None, ModelFunction | None]:
    """The model that is named, and how it is written."""
    name, spec = "--model", options.model
    if spec is None:
        name, spec = MODEL, environment(MODEL)
    if spec in (None, NO_MODEL):
        return None, None
    from selector.models import load

    _leave_in_order()
    try:
        return spec, load(spec)
    except ConfigurationError as error:
        raise Failure("configuration", f"{name}: {error}") from error


def _leave_in_order() -> None:
    """Makes SIGTERM an exit like others, behind which no program that is asked runs on."""
    import signal

    with suppress(ValueError):  # not the main thread: whoever runs this has a say of their own
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))


def _warn(selection: Selection, spec: str | None) -> None:
    """Says why it is not the answer that was asked for."""
    if Warn.SCAN_INCOMPLETE in selection.warnings:
        note("the time was up before every file was looked at")
    elif selection.outcome is Outcome.FELL_BACK and spec is None:
        note("the time was up before every memory was rated")
    elif selection.outcome is Outcome.FELL_BACK:
        why = ": ".join(filter(None, (selection.reason, selection.detail)))
        told = "the model did not answer"
        if selection.reason in (Reason.INVALID_JSON, Reason.INVALID_SELECTION):
            told = "the model's answer cannot be used"
        note(f"{told} ({why}); the offline scorer chose")


def _nothing(selection: Selection, folders: dict[str, str]) -> str:
    if selection.outcome is Outcome.NO_MEMORIES:
        return f"There are no memories in {', '.join(folders.values())}."
    return "No memory helps with this."


def _print(selection: Selection, folders: dict[str, str]) -> None:
    if not selection:
        line(_nothing(selection, folders))
    elif is_terminal():
        from selector.cli.table import memory_table

        memory_table([(header, "") for header in selection])
    else:
        for header in selection:
            line(memory_line(header))


def _print_below(lines: Iterable[str]) -> None:
    """Prints lines behind an empty one, where there are any."""
    for number, text in enumerate(lines):
        if number == 0:
            line()
        line(text)


def _print_context(context: str, selection: Selection, folders: dict[str, str]) -> None:
    if not context and selection:
        note("the block has no room for a memory: give --max-bytes more, or leave it out")
    elif not context:
        note(_nothing(selection, folders))
    elif sys.stdout is not None:
        shown = harmless(context, keep="\n\t") if is_terminal() else context
        print(encodable(shown))


def _data(selection: Selection) -> dict[str, Any]:
    return {
        "outcome": str(selection.outcome),
        "reason": selection.reason and str(selection.reason),
        "detail": selection.detail,
        "warnings": [str(warning) for warning in selection.warnings],
        "memories": [header_data(header) for header in selection],
    }
