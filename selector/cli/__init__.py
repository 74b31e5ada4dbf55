"""The command `memsel`: parse, call, print. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Sequence

from selector.cli.output import (
    FAILED,
    INTERRUPTED,
    Failure,
    Unwritten,
    flush,
    forget,
    note,
    report,
)
from selector.cli.parser import COMMANDS, parse
from selector.errors import ConfigurationError


def console() -> int:
    """The command as a process of its own: it ends too soon to look for garbage, then or before."""
    gc.disable()
    _end_in_order()
    try:
        return main()
    finally:
        gc.freeze()  # else all that is left would be looked through once more at the end


def _end_in_order() -> None:
    """Makes SIGTERM and SIGHUP an exit like others, behind which no program that is asked runs on.

    One that the caller has told us to ignore (`nohup`) stays ignored.
    """
    for name in ("SIGTERM", "SIGHUP"):  # the second one not on Windows
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 for an answer, also an empty one; 1 for what a command found wrong, or when
    the answer cannot be written or the system refuses; 2 for a bad call; 130 for Ctrl-C.

    `--help` and `--version` end in SystemExit, as argparse does it.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    start = time.monotonic()
    forget()
    try:
        try:
            return _answered(words, start)
        except ConfigurationError as error:
            raise Failure("configuration", str(error)) from error
        except OSError as error:
            raise Failure("unreadable", f"the system refused: {error.strerror}", FAILED) from error
    except Failure as failure:
        return _failed(failure, words, start)
    except KeyboardInterrupt:
        note("stopped")
        return INTERRUPTED
    except Unwritten as unwritten:
        return _unwritten(unwritten, unwritten.code)


def _answered(words: list[str], start: float) -> int:
    try:
        run, options = parse(words, start)
        code = run(options)
    except SystemExit as ended:  # the help, which goes through a pipe, too
        try:
            flush()
        except Unwritten as unwritten:
            code = ended.code if isinstance(ended.code, int) else 0
            raise SystemExit(_unwritten(unwritten, code)) from None
        raise
    try:
        flush()
    except Unwritten as unwritten:
        unwritten.code = code
        raise
    return code


def _failed(failure: Failure, words: list[str], start: float) -> int:
    """Says what went wrong: in a line for a person, and in an envelope where one was asked for."""
    note(failure.message, failure.command and f"memsel {failure.command}")
    options = words[: words.index("--")] if "--" in words else words
    if "--json" not in options:
        return failure.code
    try:
        report(failure, words[0] if words[0] in COMMANDS else None, start)
        flush()
    except Unwritten as unwritten:
        return _unwritten(unwritten, failure.code)
    return failure.code


def _unwritten(unwritten: Unwritten, code: int) -> int:
    """`code` where the reader (`| head`) has seen enough, else 1 and a word about it."""
    # Keeps the interpreter from complaining at exit that nobody listens.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if unwritten.is_unheard:
        return code
    note(f"the answer cannot be written: {unwritten}")
    return FAILED
