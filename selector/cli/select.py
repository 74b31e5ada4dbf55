"""`memsel select`: which memories help with a prompt, and why."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
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
    Failure,
    harmless,
    header_data,
    is_terminal,
    line,
    memory_line,
    note,
    put,
    succeed,
)
from selector.cli.parser import Parser, usage
from selector.codes import Outcome, Reason, Warn
from selector.errors import ConfigurationError
from selector.store import MemoryStore
from selector.types import (
    CONTEXT_BYTES,
    DEFAULT_LIMIT,
    DEFAULT_TIMEOUT,
    ModelFunction,
    Selection,
    SelectKeywords,
)

if TYPE_CHECKING:
    from selector.cli.explain import Record

MODEL, TIMEOUT = "MEMSEL_MODEL", "MEMSEL_TIMEOUT"
NO_MODEL = "none"
STDIN_BYTES = 1024 * 1024  # of a prompt: more is no prompt
_QUOTES = 'put the prompt in quotes: memsel select "How do I ..."'


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "Choose the memories that help with a prompt: offline, unless a model is named."
    )
    parser.surplus = _QUOTES
    parser.dashes = "a prompt that begins with a dash stands behind --"
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
        help=f"for everything; then the offline scorer answers (default: {TIMEOUT}, else "
        f"{DEFAULT_TIMEOUT:g})",
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
    record = _record(model) if options.explain and model else None
    store = MemoryStore(folders.get("") or folders, model=record or model)
    selection = store.find_relevant(query, **chosen)
    check_roots(options, folders, failed_roots(folders, selection.problems))
    _warn(selection, spec)
    context = store.context(selection, max_bytes=max_bytes) if options.context else None
    _say_what_is_missing(selection, folders, options.types, context)
    explanation = None
    if options.explain:
        from selector.cli.explain import Explanation

        explanation = Explanation(selection, folders, options.surfaced, spec, record)
    if options.json:
        told = {} if context is None else {"context": context}
        succeed(_data(selection) | told | (explanation.data() if explanation else {}), options)
        return OK
    if context is None:
        _print(selection)
    else:
        _print_context(context)
    if explanation:
        _print_explanation(explanation.lines(), beside=context is not None)
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


def _record(model: ModelFunction) -> Record:
    from selector.cli.explain import Record

    return Record(model)


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
        name, text = TIMEOUT, environment(TIMEOUT) or str(DEFAULT_TIMEOUT)
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

    try:
        return spec, load(spec)
    except ConfigurationError as error:
        raise Failure("configuration", f"{name}: {error}") from error


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


def _say_what_is_missing(
    selection: Selection, folders: dict[str, str], types: Sequence[str], context: str | None
) -> None:
    """Says why the result is empty, where it is."""
    if selection and context == "":
        note("the block has no room for a memory: give --max-bytes more, or leave it out")
    elif selection.outcome is Outcome.NO_MEMORIES:
        note(f"there are no memories in {', '.join(folders.values())}")
    elif not selection:
        kind = f" of type {' or '.join(types)}" if types else ""
        note(f"no memory{kind} helps with this")


def _print(selection: Selection) -> None:
    if not selection:
        return
    if is_terminal():
        from selector.cli.table import memory_table

        memory_table([(header, "") for header in selection])
    else:
        for header in selection:
            line(memory_line(header))


def _print_explanation(lines: Iterable[str], *, beside: bool) -> None:
    """Prints it below the memories, or on stderr beside a block."""
    if beside:
        for text in lines:
            note(text)
        return
    line()
    for text in lines:
        line(text)


def _print_context(context: str) -> None:
    """Prints the block: into a pipe nothing but its bytes, as many as were asked for."""
    if context and is_terminal():
        line(harmless(context, keep="\n\t"), harmless_already=True)
    elif context:
        put(context.encode())


def _data(selection: Selection) -> dict[str, Any]:
    return {
        "outcome": str(selection.outcome),
        "reason": selection.reason and str(selection.reason),
        "detail": selection.detail,
        "warnings": [str(warning) for warning in selection.warnings],
        "memories": [header_data(header) for header in selection],
    }
